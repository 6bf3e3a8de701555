// The whole page of a document.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Launch, type PageDocument, metricsOf } from "./document";
import { dimensions, integerText } from "./format";
import { type Theme, useTheme } from "./theme";
import { ComparisonView } from "./views/comparison";
import { MemoryView } from "./views/memory";
import { OccupancyView } from "./views/occupancy";
import { QueuesView } from "./views/queues";
import { RooflineView } from "./views/roofline";
import { SectionsView } from "./views/sections";
import { SourceView } from "./views/source";
import { StallsView } from "./views/stalls";
import { TimelineView } from "./views/timeline";
import { VerdictView } from "./views/verdict";

type Part = [id: string, name: string];
const PARTS: Part[] = [
  ["verdict", "Verdict"],
  ["warps", "Warps"],
  ["stalls", "Stalls"],
  ["memory", "Memory"],
  ["source", "Source"],
  ["roofline", "Roofline"],
  ["occupancy", "Occupancy"],
  ["queues", "Queues"],
  ["sections", "Sections"],
];

/** The parts of a page that shows two runs. */
const COMPARED: Part[] = [
  ["comparison", "Comparison"],
  ...PARTS.flatMap(([id, name]): Part[] =>
    id === "warps"
      ? [
          [id, `${name} A`],
          [`${id}-b`, `${name} B`],
        ]
      : [[id, name]],
  ),
];

export function Page({ document }: { document: PageDocument }) {
  const [theme, toggle] = useTheme();
  return (
    <Results
      document={document}
      theme={theme}
      button={
        <button type="button" onClick={toggle} aria-label={theme === "dark" ? "Light colours" : "Dark colours"}>
          {theme === "dark" ? "Light" : "Dark"}
        </button>
      }
      foot="Simulated by warplab; no GPU was involved. Numbers are those of the text report of the same run."
    />
  );
}

interface ResultsProps {
  document: PageDocument;
  theme: Theme;
  /** What stands beside the names of the parts. */
  button?: ComponentChildren;
  foot?: string;
  /** The cycle up to which was counted, where launches are stepped: the last cycles are recorded then. */
  soFar?: number;
}

/** All views of a document, with what leads to them. */
export function Results(props: ResultsProps) {
  const { document, theme, soFar } = props;
  const stepped = soFar !== undefined;
  const first = stepped ? document.launches.length - 1 : document.launches.findIndex((launch) => launch.timeline);
  const [picked, choose] = useState<number>();
  const chosen = picked !== undefined && picked < document.launches.length ? picked : Math.max(first, 0);
  const launch = document.launches[chosen];
  if (!launch) return <p class="panel">There is no launch to show.</p>;
  const { comparison } = document;
  const several = document.launches.length > 1;
  const unrecorded = several
    ? `No multiprocessor was recorded in this launch; --launch ${chosen + 1} records it.`
    : "No block ran on the multiprocessor that was recorded; --timeline-sm N chooses another.";
  const title = stepped ? "Every warp in the last cycles" : "Every warp, every cycle";
  return (
    <>
      <Head launch={launch} simulator={document.simulator} soFar={soFar} />
      <nav aria-label="Parts of the page">
        <ul>
          {(comparison ? COMPARED : PARTS).map(([id, name]) => (
            <li>
              <a href={`#${id}`}>{name}</a>
            </li>
          ))}
        </ul>
        {several && (
          <label class="launches">
            Launch{" "}
            <select onChange={(event) => choose(Number(event.currentTarget.value))}>
              {document.launches.map((other, index) => (
                <option value={index} selected={index === chosen}>
                  {comparison ? "AB"[index] : index + 1}: {other.launch.kernel}
                </option>
              ))}
            </select>
          </label>
        )}
        {props.button}
      </nav>
      <main key={chosen}>
        {comparison && <ComparisonView {...comparison} />}
        <VerdictView launch={launch} />
        {(comparison ? document.launches : [launch]).map((shown, index) => (
          <TimelineView
            // What a person points at belongs to one window of cycles.
            key={soFar === undefined ? index : `${soFar}`}
            id={index === 0 ? "warps" : "warps-b"}
            title={comparison ? `${"AB"[index]}: every warp, every cycle` : title}
            launch={shown}
            states={document.states}
            theme={theme}
            hint={stepped ? "No block has come yet to the multiprocessor that is recorded." : unrecorded}
          />
        ))}
        <StallsView launch={launch} states={document.states} theme={theme} />
        <MemoryView launch={launch} />
        <SourceView code={launch.code} states={document.states} theme={theme} />
        <RooflineView rooflines={launch.rooflines} theme={theme} />
        <OccupancyView occupancy={launch.occupancy} theme={theme} />
        <QueuesView launch={launch} theme={theme} />
        <SectionsView sections={launch.sections} />
      </main>
      {props.foot && <footer>{props.foot}</footer>}
    </>
  );
}

function Head({ launch, simulator, soFar }: { launch: Launch; simulator: string; soFar?: number }) {
  const { launch: info, device } = launch;
  const stepped = soFar !== undefined;
  const metrics = metricsOf(launch);
  const fact = (id: string, name: string) => {
    const metric = metrics.get(id);
    const units: Record<string, string> = { cycle: "cycle", inst: "instruction" };
    const unit = metric && units[metric.shown_unit];
    const plural = unit && metric.shown !== "1" ? "s" : "";
    return metric ? [[name, `${metric.shown} ${unit ?? metric.shown_unit}${plural}`]] : [];
  };
  const facts: string[][] = [
    ["grid", dimensions(info.grid)],
    ["block", dimensions(info.block)],
    ["registers per thread", integerText(info.registers)],
    ...fact("gpu__time_duration.sum", "duration"),
    ...fact("sm__cycles_elapsed.max", "elapsed"),
    ...fact("smsp__inst_executed.sum", "executed"),
    ...(info.code ? [["code", info.code]] : []),
  ];
  return (
    <header>
      <p class="over">
        warplab <span title={simulator}>·</span> {device.name}, CC {device.architecture}, {device.multiprocessors} SM
        {device.multiprocessors === 1 ? "" : "s"} at {integerText(device.sm_mhz)} MHz
      </p>
      <h1>{info.kernel}</h1>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {stepped && (
        <p class="so-far" data-so-far={soFar}>
          <b>{info.partial ? `So far, at cycle ${integerText(soFar)}` : "This launch has ended"}:</b>{" "}
          {info.partial ? "every number is of the cycles up to the one that is shown above." : "its numbers are those of a run."}
        </p>
      )}
      {info.partial && !stepped && (
        <p class="warning">The run was stopped before the kernel ended: all numbers are of a part.</p>
      )}
      {info.sample && (
        <p class="warning">
          Sampled: {integerText(info.sample.simulated_blocks)} of {integerText(info.sample.blocks)} blocks were simulated;
          the whole grid is estimated at {integerText(info.sample.cycles)} cycles, give or take{" "}
          {integerText(info.sample.error)}.
        </p>
      )}
    </header>
  );
}
