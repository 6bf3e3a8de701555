// The kernel under the roofs of the machine.

import { useCallback, useState } from "preact/hooks";
import type { Roofline } from "../document";
import { bytesText, percentText, realText, shortText } from "../format";
import { Figure, Table } from "../parts/figure";
import { Chart, Plot } from "../parts/plot";
import { COLOURS, type Theme } from "../theme";

const SYMBOLS: Plot.SymbolType[] = ["circle", "square", "triangle"];

export function RooflineView({ rooflines, theme }: { rooflines: Roofline[]; theme: Theme }) {
  const [chosen, choose] = useState(0);
  const roofline = rooflines[chosen] ?? rooflines[0];
  const draw = useCallback((width: number) => plot(roofline, theme, width), [roofline, theme]);
  const roof = Math.max(...roofline.ceilings.map((ceiling) => ceiling.operations_per_second));
  const table = (
    <>
      <Table
        caption={`Roofs, and the kernel: ${shortText(roofline.operations)} ${roofline.unit}, ${shortText(roofline.achieved)} per second`}
        heads={["memory", "bandwidth per second", "bytes moved", `${roofline.unit} per byte`, "of the roof there"]}
        rows={roofline.memories.map((memory) => [
          memory.label,
          bytesText(memory.bytes_per_second),
          bytesText(memory.bytes),
          realText(memory.intensity),
          percentText((100 * roofline.achieved) / Math.min(memory.bytes_per_second * memory.intensity, roof)),
        ])}
      />
      <Table
        caption="Flat roofs"
        heads={["roof", `${roofline.unit} per second`, "reached"]}
        rows={roofline.ceilings.map((ceiling) => [
          ceiling.label,
          shortText(ceiling.operations_per_second),
          percentText((100 * roofline.achieved) / ceiling.operations_per_second),
        ])}
      />
    </>
  );
  return (
    <Figure
      id="roofline"
      title="Roofline"
      says={`Each mark is the kernel by the bytes of one level of memory; it cannot rise above that level's slope, nor above the flat roof. Counted: ${roofline.counted}.`}
      table={table}
    >
      {rooflines.length > 1 && (
        <fieldset class="tools">
          <legend class="hidden">Operations</legend>
          {rooflines.map((option, index) => (
            <label>
              <input type="radio" name="roofline" checked={index === chosen} onChange={() => choose(index)} />{" "}
              {option.unit}s
            </label>
          ))}
        </fieldset>
      )}
      <Chart
        label={`Roofline: ${shortText(roofline.achieved)} ${roofline.unit} per second of at most ${shortText(roof)}`}
        draw={draw}
      />
    </Figure>
  );
}

function plot(roofline: Roofline, theme: Theme, width: number): Plot.PlotOptions {
  const colours = COLOURS[theme];
  const roof = Math.max(...roofline.ceilings.map((ceiling) => ceiling.operations_per_second));
  const ridges = roofline.memories.map((memory) => roof / memory.bytes_per_second);
  const intensities = roofline.memories.map((memory) => memory.intensity).filter((intensity) => intensity > 0);
  const left = Math.min(...ridges, ...intensities, 1) / 8;
  const right = Math.max(...ridges, ...intensities, 1) * 8;
  const lines = roofline.memories.flatMap((memory, index) => {
    const ridge = roof / memory.bytes_per_second;
    const at = (x: number) => ({ x, y: Math.min(x * memory.bytes_per_second, roof), colour: index, label: memory.label });
    return [at(left), at(Math.min(ridge, right)), at(right)];
  });
  const points = roofline.memories
    .map((memory, index) => ({ x: memory.intensity, y: roofline.achieved, index, memory }))
    // Before the first instruction there is nothing to show on a logarithmic scale.
    .filter(({ x, y }) => x > 0 && y > 0);
  // Points may be close together: the names of the outer ones go outwards, of the inner ones above.
  const order = [...points].sort((a, b) => a.x - b.x);
  const low = Math.min(roofline.achieved / 4 || roof, left * Math.min(...roofline.memories.map((m) => m.bytes_per_second), roof));
  const height = Math.max(300, Math.min(440, width * 0.5));
  // The slopes as they are drawn: names stand along them.
  const wide = (width - 62 - 24) / Math.log10(right / left);
  const tall = (height - 20 - 44) / Math.log10((roof * 3) / low);
  const slope = (-Math.atan2(tall, wide) * 180) / Math.PI;
  return {
    width,
    height,
    marginTop: 20,
    marginLeft: 62,
    marginBottom: 44,
    marginRight: 24,
    style: { fontSize: "13px", background: "transparent", color: colours.text },
    x: { type: "log", domain: [left, right], label: `${roofline.unit}s per byte`, grid: true, ticks: 6, tickFormat: "~g" },
    y: { type: "log", domain: [low, roof * 3], label: `${roofline.unit}s per second`, grid: true, tickFormat: "~s", ticks: 6 },
    marks: [
      Plot.line(lines, { x: "x", y: "y", z: "label", stroke: (d) => colours.series[d.colour], strokeWidth: 2 }),
      ...roofline.ceilings.map((ceiling) =>
        Plot.ruleY([ceiling.operations_per_second], { stroke: colours.text, strokeDasharray: "5 4" }),
      ),
      Plot.text(roofline.ceilings, {
        x: () => right,
        y: "operations_per_second",
        text: (ceiling) => `${ceiling.label} ${shortText(ceiling.operations_per_second)}`,
        textAnchor: "end",
        dy: -9,
        fill: colours.text,
      }),
      Plot.text(roofline.memories, {
        x: () => left * 1.6,
        y: (memory) => left * 1.6 * memory.bytes_per_second,
        text: (memory) => `${memory.label} ${bytesText(memory.bytes_per_second)}/s`,
        textAnchor: "start",
        lineAnchor: "bottom",
        dy: -6,
        rotate: slope,
        fill: (memory: { label: string }) =>
          colours.series[roofline.memories.findIndex((other) => other.label === memory.label)],
        stroke: colours.panel,
        strokeWidth: 4,
      }),
      Plot.dot(points, {
        x: "x",
        y: "y",
        r: 7,
        fill: (d) => colours.series[d.index],
        stroke: colours.panel,
        symbol: (d: { index: number }) => SYMBOLS[d.index],
      }),
      ...order.map((point, place) => {
        const outwards = order.length === 1 ? "middle" : ({ 0: "end", [order.length - 1]: "start" } as const)[place];
        return Plot.text([point], {
          x: "x",
          y: "y",
          text: (d: typeof point) => d.memory.label,
          textAnchor: outwards ?? "middle",
          dx: { start: -7, middle: 0, end: 7 }[outwards ?? "middle"],
          dy: outwards ? 20 : -20,
          fill: colours.text,
          stroke: colours.panel,
          strokeWidth: 4,
          fontWeight: 600,
        });
      }),
    ],
  };
}
