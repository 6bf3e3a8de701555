// Little's law of every queue, and the latencies of what went through.

import { useCallback } from "preact/hooks";
import { type Launch, type Metric, type Queue, metricsOf } from "../document";
import { integerText } from "../format";
import { Figure, Table } from "../parts/figure";
import { Chart, Plot } from "../parts/plot";
import { COLOURS, type Theme } from "../theme";

const COLUMNS: [suffix: string, head: string][] = [
  ["arrivals.sum", "arrivals"],
  ["arrivals.sum.per_cycle_elapsed", "per cycle"],
  ["latency.avg", "mean latency"],
  ["latency.p50", "p50"],
  ["latency.p99", "p99"],
  ["latency.max", "longest"],
  ["in_flight.avg", "mean in flight"],
  ["littles_law.product", "rate x latency"],
];

export function QueuesView({ launch, theme }: { launch: Launch; theme: Theme }) {
  const metrics = metricsOf(launch);
  const { partial } = launch.launch;
  const used = launch.queues.filter((queue) => queue.classes.length > 0);
  const table = (
    <>
      <Table
        caption="Queues"
        heads={["queue", ...COLUMNS.map(([, head]) => head)]}
        rows={launch.queues.map((queue) => [
          queue.label,
          ...COLUMNS.map(([suffix]) => find(metrics, queue, suffix)?.shown ?? ""),
        ])}
      />
      {used.map((queue) => (
        <Table
          caption={`${queue.label}: latencies`}
          heads={["cycles, from", "below", "how many"]}
          left={0}
          rows={queue.classes.map(({ from, to, count }) => [from, to, count].map(integerText))}
        />
      ))}
    </>
  );
  return (
    <Figure
      id="queues"
      title="Little’s law of every queue"
      says={`What is in flight is the rate of arrivals times the mean latency${
        partial ? ", once all that are inside have left" : ""
      }. To reach a rate, that many must be in flight. The pictures show how the latencies spread; the axis doubles.`}
      table={table}
    >
      {used.length === 0 && <p class="says">Nothing went through the queues of memory.</p>}
      <div class="three">
        {used.map((queue) => (
          <div class="queue">
            <h3>{queue.label}</h3>
            <p class="law">
              <span>
                {find(metrics, queue, "arrivals.sum.per_cycle_elapsed")?.shown} <small>per cycle</small>
              </span>
              <span aria-label="times">×</span>
              <span>
                {find(metrics, queue, "latency.avg")?.shown} <small>cycles</small>
              </span>
              {partial ? <small>so far</small> : <span aria-label="is">=</span>}
              <span>
                {find(metrics, queue, "in_flight.avg")?.shown} <small>in flight</small>
              </span>
            </p>
            <Histogram queue={queue} theme={theme} />
            <p class="faint">
              p50 {find(metrics, queue, "latency.p50")?.shown}, p99 {find(metrics, queue, "latency.p99")?.shown}, longest{" "}
              {find(metrics, queue, "latency.max")?.shown} cycles
            </p>
          </div>
        ))}
      </div>
    </Figure>
  );
}

function find(metrics: Map<string, Metric>, queue: Queue, suffix: string): Metric | undefined {
  return metrics.get(`warplab__queue_${queue.id}_${suffix}`);
}

function Histogram({ queue, theme }: { queue: Queue; theme: Theme }) {
  const draw = useCallback(
    (width: number): Plot.PlotOptions => {
      const colours = COLOURS[theme];
      const first = Math.max(queue.classes[0].from, 1);
      const last = queue.classes.at(-1)!.to;
      return {
        width,
        height: 140,
        marginLeft: 44,
        marginBottom: 40,
        marginTop: 8,
        style: { fontSize: "12px", background: "transparent", color: colours.text },
        x: {
          type: "log",
          base: 2,
          domain: [first / 1.3, Math.max(last * 1.3, first * 4)],
          label: "cycles",
          ticks: Math.max(2, Math.min(6, width / 60)),
          tickFormat: ",d",
        },
        y: { label: null, tickFormat: "~s", ticks: 3, grid: true },
        marks: [
          Plot.rectY(queue.classes, {
            x1: (d) => Math.max(d.from, 1) / (d.from < 1 ? 1.3 : 1),
            x2: "to",
            y: "count",
            fill: colours.series[1],
            inset: 0.5,
          }),
          Plot.ruleY([0], { stroke: colours.faint }),
        ],
      };
    },
    [queue, theme],
  );
  return <Chart label={`Latencies of ${queue.label}`} draw={draw} />;
}
