// The three curves of the occupancy calculator, and where the launch stands.

import { useCallback } from "preact/hooks";
import type { Occupancy } from "../document";
import { integerText } from "../format";
import { Figure, Table } from "../parts/figure";
import { Chart, Plot } from "../parts/plot";
import { COLOURS, type Theme } from "../theme";

type Curve = Occupancy["curves"][0];

export function OccupancyView({ occupancy, theme }: { occupancy: Occupancy; theme: Theme }) {
  const table = (
    <>
      <Table
        caption="How many blocks fit"
        heads={["what", "how", "result"]}
        left={2}
        rows={occupancy.steps.map(([what, how, result]) => [what, how, integerText(result)])}
      />
      {occupancy.curves.map((curve) => (
        <Table
          caption={`Resident warps by ${curve.what}`}
          heads={[curve.what, "warps"]}
          left={0}
          rows={changes(curve).map(([value, warps]) => [integerText(value), integerText(warps)])}
        />
      ))}
    </>
  );
  return (
    <Figure
      id="occupancy"
      title="Occupancy, here and around"
      says={
        <>
          <b>
            {integerText(occupancy.warps)} of {integerText(occupancy.warp_slots)} warps
          </b>{" "}
          fit on a multiprocessor, in {integerText(occupancy.blocks)} blocks; limited by {occupancy.limiters.join(" and ")}.
          The curves change one thing and keep the others; the mark is this launch.
        </>
      }
      table={table}
      tableTitle="The calculation step by step, and the curves as tables"
    >
      <div class="three">
        {occupancy.curves.map((curve) => (
          <CurveChart curve={curve} slots={occupancy.warp_slots} theme={theme} />
        ))}
      </div>
    </Figure>
  );
}

/** The points at which the number of warps changes. */
function changes(curve: Curve): [number, number][] {
  return curve.points.filter(([, warps], place) => place === 0 || curve.points[place - 1][1] !== warps);
}

function CurveChart({ curve, slots, theme }: { curve: Curve; slots: number; theme: Theme }) {
  const here = curve.points.find(([value]) => value === curve.here);
  const draw = useCallback(
    (width: number): Plot.PlotOptions => {
      const colours = COLOURS[theme];
      return {
        width,
        height: 230,
        marginLeft: 34,
        marginBottom: 40,
        style: { fontSize: "12px", background: "transparent", color: colours.text },
        x: { label: curve.what, nice: true, ticks: 5, tickFormat: ",d" },
        y: { label: "warps", domain: [0, slots], grid: true, ticks: 5 },
        marks: [
          Plot.areaY(curve.points, { x: "0", y: "1", curve: "step-before", fill: colours.series[1], fillOpacity: 0.12 }),
          Plot.lineY(curve.points, { x: "0", y: "1", curve: "step-before", stroke: colours.series[1], strokeWidth: 2 }),
          Plot.ruleY([0], { stroke: colours.faint }),
          ...(here
            ? [
                Plot.ruleX([here], { x: "0", y2: "1", stroke: colours.text, strokeDasharray: "3 3" }),
                Plot.dot([here], { x: "0", y: "1", r: 6, fill: colours.series[0], stroke: colours.panel, strokeWidth: 2 }),
                Plot.text([here], {
                  x: "0",
                  y: () => slots * 0.07,
                  text: (d: [number, number]) => `${integerText(d[0])}: ${d[1]} warps`,
                  textAnchor: here[0] > curve.points.at(-1)![0] / 2 ? "end" : "start",
                  dx: here[0] > curve.points.at(-1)![0] / 2 ? -8 : 8,
                  fill: colours.text,
                  stroke: colours.panel,
                  strokeWidth: 4,
                }),
              ]
            : []),
        ],
      };
    },
    [curve, slots, theme],
  );
  return <Chart label={`Resident warps by ${curve.what}; here ${curve.here}: ${here?.[1]} warps`} draw={draw} />;
}
