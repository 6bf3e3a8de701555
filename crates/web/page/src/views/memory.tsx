// The memory system as a chart: units, and arrows with what they carried.

import type { ComponentChildren } from "preact";
import { type Flow, type Launch, type MemoryUnit, metricsOf } from "../document";
import { bytesText, integerText, percentText, shortText } from "../format";
import { Figure, Table } from "../parts/figure";

/** Columns from left to right; between two of them run the arrows of `BETWEEN`. */
const COLUMNS = [["sm"], ["l1", "shared"], ["l2"], ["dram"]];
/** The parts of L2 in a machine that has it in two halves, from top to bottom. */
const HALVES = ["l2_near", "l2_far"];
/** These arrows are drawn even if nothing came along them. */
const ALWAYS = ["global loads", "global stores"];

export function MemoryView({ launch }: { launch: Launch }) {
  const { units, flows } = launch.memory;
  const metrics = metricsOf(launch);
  const unit = (name: string) => units.find((unit) => unit.name === name)!;
  const shown = (name: string) => name !== "shared" || flows.some((flow) => touches(flow, "shared") && flow.requests);
  const halves = units.some(({ name }) => HALVES.includes(name));
  const table = (
    <Table
      caption="What moved"
      heads={["from", "to", "what", "requests", "sectors or passes", "bytes", "of the bandwidth"]}
      left={3}
      rows={flows.map((flow) => [
        unit(flow.from).label,
        unit(flow.to).label,
        flow.what,
        flow.requests === null ? "" : integerText(flow.requests),
        flow.sectors === null ? "" : integerText(flow.sectors),
        flow.bytes === null ? "" : integerText(flow.bytes),
        flow.bandwidth === null ? "" : percentText(flow.bandwidth),
      ])}
    />
  );
  return (
    <Figure
      id="memory"
      title="What moved through memory"
      says={`Arrows are as thick as the share of the bandwidth that they took. A sector is 32 bytes.${
        halves ? " Each SM asks the half of L2 near to it; lines at home in the far half come and go over the L2 fabric." : ""
      }`}
      table={table}
    >
      <div class="memory">
        {COLUMNS.map((names, column) => (
          <>
            <div class="units">
              {names.filter(shown).map((name) => (
                <Unit unit={unit(name)} hitRate={metrics.get(unit(name).hit_rate_metric ?? "")?.shown}>
                  {halves && name === "l2" && <Halves labels={HALVES.map((half) => unit(half).label)} flows={flows} />}
                </Unit>
              ))}
            </div>
            {column + 1 < COLUMNS.length && (
              <div class="arrows">
                {COLUMNS[column + 1].filter(shown).map((name) => (
                  <div class="way">
                    {flows
                      .filter((flow) => names.some((other) => touches(flow, other)) && touches(flow, name))
                      .filter((flow) => flow.sectors || flow.requests || ALWAYS.includes(flow.what) || column > 0)
                      .map((flow) => (
                        <Arrow flow={flow} right={flow.to === name} passes={name === "shared"} />
                      ))}
                  </div>
                ))}
                {column === 1 && shown("shared") && <div class="way empty" />}
              </div>
            )}
          </>
        ))}
      </div>
    </Figure>
  );
}

function touches(flow: Flow, unit: string): boolean {
  return flow.from === unit || flow.to === unit;
}

/** The two halves of L2 with what they sent each other, the near one above. */
function Halves({ labels, flows }: { labels: string[]; flows: Flow[] }) {
  const [near, far] = HALVES;
  return (
    <div class="halves">
      <h4>{labels[0]}</h4>
      <div class="fabric">
        {flows
          .filter((flow) => touches(flow, near) && touches(flow, far))
          .map((flow) => (
            <Arrow flow={flow} right={flow.to === far} passes={false} />
          ))}
      </div>
      <h4>{labels[1]}</h4>
    </div>
  );
}

function Unit({ unit, hitRate, children }: { unit: MemoryUnit; hitRate?: string; children?: ComponentChildren }) {
  const parts = { sm: "SMs", shared: "SMs", l1: "SMs", l2: "halves", dram: "channels" }[unit.name] ?? "parts";
  return (
    <div class="unit">
      <h3>{unit.label}</h3>
      {unit.parts > 1 && (
        <p class="faint">
          {integerText(unit.parts)} {parts}
        </p>
      )}
      {unit.busy !== null && (
        <>
          <span class="bar" aria-hidden="true">
            <span style={{ width: `${Math.min(unit.busy, 100)}%` }} />
          </span>
          <p>{percentText(unit.busy)} busy</p>
        </>
      )}
      {hitRate && hitRate !== "n/a" && (
        <p>
          {hitRate} % {unit.name === "dram" ? "row hits" : "hits"}
        </p>
      )}
      {children}
    </div>
  );
}

/** An arrow to the right or the left; where arrows stand upright, down or up. */
function Arrow({ flow, right, passes }: { flow: Flow; right: boolean; passes: boolean }) {
  const nothing = !flow.requests && !flow.sectors && !flow.bytes;
  const thick = nothing ? 1 : 2 + (Math.min(flow.bandwidth ?? 0, 100) / 100) * 14;
  return (
    <div class={`arrow ${right ? "right" : "left"} ${nothing ? "nothing" : ""}`} style={{ "--thick": `${thick}px` }}>
      <p class="what">
        {flow.what} {flow.bandwidth !== null && !nothing && <b>{percentText(flow.bandwidth)}</b>}
      </p>
      <span class="line" aria-hidden="true" />
      <p class="faint">
        {nothing
          ? "nothing"
          : [
              flow.requests !== null && `${unbroken(shortText(flow.requests))} requests`,
              flow.sectors !== null && `${unbroken(shortText(flow.sectors))} ${passes ? "passes" : "sectors"}`,
              flow.bytes !== null && unbroken(bytesText(flow.bytes)),
            ]
              .filter(Boolean)
              .join(", ")}
      </p>
    </div>
  );
}

/** A number that stays on one line with its unit. */
function unbroken(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}
