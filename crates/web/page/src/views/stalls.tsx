// What warps did between two instructions.

import { useCallback } from "preact/hooks";
import { type Launch, type StateInfo, metricsOf } from "../document";
import { integerText, percentText } from "../format";
import { Figure, Table } from "../parts/figure";
import { Chart, Plot } from "../parts/plot";
import { COLOURS, type Theme, stateColour } from "../theme";

interface Bar {
  state: StateInfo;
  warpCycles: number;
  share: number;
  /** Cycles for an instruction that issued, as the report prints them. */
  shown: string;
  value: number;
  name: string;
}

export function StallsView({ launch, states, theme }: { launch: Launch; states: StateInfo[]; theme: Theme }) {
  const metrics = metricsOf(launch);
  const all = launch.states.reduce((sum, cycles) => sum + cycles, 0);
  const bars: Bar[] = states
    .map((state, index) => ({
      state,
      warpCycles: launch.states[index],
      share: (100 * launch.states[index]) / Math.max(all, 1),
      shown: metrics.get(state.metric)?.shown ?? "",
      value: Number(metrics.get(state.metric)?.value ?? 0),
      name: `${state.label} (${state.letter})`,
    }))
    .filter((bar) => bar.warpCycles > 0)
    .sort((a, b) => b.warpCycles - a.warpCycles);
  const colours = COLOURS[theme];
  // Before the first instruction there is no "per instruction", and every bar is nothing.
  const longest = Math.max(...bars.map(({ value }) => value), 0) || 1;
  const draw = useCallback(
    (width: number): Plot.PlotOptions => ({
      width,
      height: 60 + 28 * bars.length,
      marginTop: 8,
      marginBottom: 46,
      marginLeft: width < 500 ? 158 : 190,
      marginRight: 118,
      style: { fontSize: "13px", background: "transparent", color: colours.text },
      x: { label: "cycles per issued instruction", grid: true, nice: true, domain: [0, longest] },
      y: { label: null, domain: bars.map((bar) => bar.name) },
      marks: [
        Plot.barX(bars, { x: "value", y: "name", fill: (bar: Bar) => stateColour(bar.state.colour, theme), inset: 2 }),
        Plot.text(bars, {
          x: "value",
          y: "name",
          text: (bar: Bar) => `${bar.shown}  (${percentText(bar.share)})`,
          textAnchor: "start",
          dx: 6,
          fill: colours.text,
        }),
        Plot.ruleX([0], { stroke: colours.faint }),
      ],
    }),
    [launch, theme],
  );
  const table = (
    <Table
      caption="States of warps"
      heads={["state", "letter", "warp-cycles", "share", "cycles per issued instruction"]}
      left={2}
      rows={bars.map((bar) => [
        bar.state.label,
        bar.state.letter,
        integerText(bar.warpCycles),
        percentText(bar.share),
        bar.shown,
      ])}
    />
  );
  return (
    <Figure
      id="stalls"
      title="What the warps waited for"
      says="The states of all warps of the chip. In “selected” a warp issues; all other cycles between two of its instructions are one of the waits."
      table={table}
    >
      {bars.length === 0 ? (
        <p class="says">No warp has come to a multiprocessor yet.</p>
      ) : (
        <Chart label={`Cycles per issued instruction by state; most in ${bars[0].name}`} draw={draw} />
      )}
    </Figure>
  );
}
