// What bounds the kernel, and what to change first.

import { type Launch, type Metric, type Verdict, metricsOf } from "../document";

const COMPUTE = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
const MEMORY = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed";
const PARTS: [id: string, name: string][] = [
  ["l1tex__throughput.avg.pct_of_peak_sustained_active", "L1 and shared memory"],
  ["lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2"],
  ["l1tex__m_xbar2l1tex_read_bytes.sum.pct_of_peak_sustained_elapsed", "the crossbar"],
  ["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", "DRAM"],
];
const BARS: [id: string, name: string][] = [
  [COMPUTE, "Compute (SM)"],
  [MEMORY, "Memory"],
  [PARTS[0][0], "L1/TEX and shared"],
  [PARTS[1][0], "L2 cache"],
  [PARTS[3][0], "DRAM"],
];

/** What a rule proposes, in a few words. */
const PROPOSALS: Record<string, string> = {
  "scattered-access": "Let neighbouring lanes use neighbouring addresses",
  "bank-conflicts": "Remove the bank conflicts of shared memory",
  "issue-slots": "Fill the empty issue slots",
  "unused-lanes": "Keep all lanes of a warp busy",
  "small-grid": "Use more, smaller blocks",
  tail: "Fill the last wave of blocks",
  "odd-block": "Use blocks that fill their last warp",
  "occupancy-limit": "Let more warps be resident",
  "occupancy-gap": "Keep the multiprocessors filled",
  divergence: "Let the lanes of a warp decide alike",
};

export function VerdictView({ launch }: { launch: Launch }) {
  const metrics = metricsOf(launch);
  // A launch that is stepped may not have issued anything yet.
  const begun = metrics.get("smsp__inst_executed.sum")?.value !== 0;
  const speed = begun ? launch.sections[0]?.verdicts.find((verdict) => verdict.kind === "INF") : undefined;
  const found = begun ? launch.changes.slice(0, 2) : [];
  const changes = found.map(({ section, verdict }) => launch.sections[section].verdicts[verdict]);
  return (
    <section class="panel verdict" id="verdict" aria-labelledby="verdict-title">
      <div class="bound">
        <p class="over">What bounds this kernel</p>
        <h2 id="verdict-title">{begun ? headline(speed, metrics) : "No instruction has issued yet"}</h2>
        {speed && <p>{speed.text}</p>}
      </div>
      <Bars metrics={metrics} />
      <div class="changes">
        <h3>{changes.length > 0 ? "What promises most" : begun ? "Nothing stands out" : "There is nothing to judge"}</h3>
        {changes.length === 0 && begun && <p>No rule has found anything to change.</p>}
        <ol>
          {changes.map((verdict) => (
            <li>
              <h4>{proposal(verdict)}</h4>
              <p>{verdict.text}</p>
              <dl>
                {verdict.metrics.slice(0, 3).flatMap((id) => {
                  const metric = metrics.get(id);
                  return metric ? [<Number metric={metric} />] : [];
                })}
              </dl>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}

function Number({ metric }: { metric: Metric }) {
  return (
    <div>
      <dt>{metric.label}</dt>
      <dd>
        {metric.shown} <span class="unit">{metric.shown_unit}</span>
      </dd>
    </div>
  );
}

function headline(speed: Verdict | undefined, metrics: Map<string, Metric>): string {
  const value = (id: string) => metrics.get(id)?.value as number;
  const compute = value(COMPUTE) > value(MEMORY);
  const [, part] = PARTS.reduce((best, next) => ((value(next[0]) ?? 0) > (value(best[0]) ?? 0) ? next : best));
  const side = compute ? "computing" : `memory: ${part}`;
  if (speed?.rule === "saturated") return `Bound by ${side}`;
  if (speed?.rule === "balanced") return `Between latency and ${side}`;
  return "Bound by latency";
}

function proposal(verdict: Verdict): string {
  if (verdict.rule === "stall") {
    const name = verdict.text.split(":")[0].replace(/^Stall /, "");
    return `Hide or avoid the waits for “${name}”`;
  }
  return PROPOSALS[verdict.rule] ?? verdict.rule;
}

/** How busy the parts of the machine were; marks at 60 and 80 per cent. */
function Bars({ metrics }: { metrics: Map<string, Metric> }) {
  return (
    <div class="bars">
      <h3>How busy the machine was</h3>
      <dl>
        {BARS.flatMap(([id, name]) => {
          const metric = metrics.get(id);
          if (typeof metric?.value !== "number") return [];
          return [
            <div>
              <dt>{name}</dt>
              <dd>
                <span class="bar" aria-hidden="true">
                  <span style={{ width: `${Math.min(metric.value, 100)}%` }} />
                </span>
                <span class="value">
                  {metric.shown} {metric.shown_unit}
                </span>
              </dd>
            </div>,
          ];
        })}
      </dl>
      <p class="faint">Marks at 60 % (busy) and 80 % (saturated).</p>
    </div>
  );
}
