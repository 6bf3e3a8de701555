// What changed from one run to another, and why.

import type { Comparison } from "../document";
import { realText } from "../format";
import { Table } from "../parts/figure";

/** Rows that are shown at first. */
const FEW = 15;

export function ComparisonView({ names, found }: { names: [string, string]; found: Comparison }) {
  const states = found.states.map(({ label, before, after }) => [
    label,
    realText(before),
    realText(after),
    `${after > before ? "+" : ""}${realText(after - before)}`,
  ]);
  const differences = found.differences.map(({ label, before, after, ratio }) => [
    label,
    before,
    after,
    ratio === null ? "new" : realText(ratio),
  ]);
  return (
    <section class="panel" id="comparison" aria-labelledby="comparison-title">
      <p class="over">
        A: {names[0]}, {found.times[0]} · B: {names[1]}, {found.times[1]}
      </p>
      <h2 id="comparison-title" class="large">
        {found.time === null ? "A and B" : `B takes ${realText(found.time)} times the time of A`}
      </h2>
      <div class="two">
        <div>
          {found.factors.length > 0 && (
            <Table
              caption="Why: these multiply to the time"
              heads={["reason", "A", "B", "time ×"]}
              rows={found.factors.map(({ what, before, after, times }) => [what, before, after, realText(times)])}
            />
          )}
          {states.length > 0 && (
            <Table caption="Cycles for an issued instruction" heads={["state", "A", "B", "change"]} rows={states} />
          )}
        </div>
        {differences.length > 0 && (
          <div>
            <Table caption="What changed most" heads={["metric", "A", "B", "×"]} rows={differences.slice(0, FEW)} />
            {differences.length > FEW && (
              <details class="behind">
                <summary>{differences.length - FEW} more</summary>
                <Table caption="Further changes" heads={["metric", "A", "B", "×"]} rows={differences.slice(FEW)} />
              </details>
            )}
          </div>
        )}
      </div>
    </section>
  );
}
