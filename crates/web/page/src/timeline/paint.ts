// Draws the timeline on a canvas.

import { integerText } from "../format";
import { type Colours, type Theme, inkOn, rgb, stateColour } from "../theme";
import { type Cause } from "./cause";
import { AXIS, GUTTER, type Layout, OVERVIEW, bandAt } from "./layout";
import { type Lane, type Model, NOBODY, type Place, type Row, lastAtMost } from "./model";
import { type Scale, type View, ticks } from "./scale";

/** What is drawn. */
export interface Scene {
  model: Model;
  layout: Layout;
  scale: Scale;
  view: View;
  theme: Theme;
  colours: Colours;
  cursor?: Place;
  cause?: Cause;
  /** Whether the picture is being moved. */
  moving: boolean;
  width: number;
}

/** Pixels of a cycle from which on each issue slot is drawn on its own. */
const SLOTS = 1.5;
/** Pixels of a cycle from which on neighbouring states are set apart. */
const APART = 4;
/** A state that is shorter than this is too short for a letter, unless the picture is large. */
const LONGEST = 400;
/** Pixels of a box that has room for the letter of its state. */
const LETTERS = 9;

export function paint(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, layout, colours, width } = scene;
  context.fillStyle = colours.panel;
  context.fillRect(0, 0, width, layout.height);
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, width - GUTTER, layout.bottom + 3);
  context.clip();
  colour(context, scene);
  // Thousands of letters take longer than everything else: while the picture moves they are left out.
  if (pixels(scene) * LONGEST >= LETTERS && !(scene.moving && model.rows.length > 16)) letters(context, scene);
  for (const band of layout.bands) {
    if (band.kind === "lane") lane(context, scene, scene.model.lanes[band.index], band.top, band.height);
  }
  folds(context, scene);
  marks(context, scene);
  context.restore();
  labels(context, scene);
  axis(context, scene);
  overview(context, scene);
}

/** Pixels of a cycle. */
function pixels({ view, width }: Scene): number {
  return (width - GUTTER) / (view.to - view.from);
}

/** The x of a cycle. */
export function x(scene: Scene, cycle: number): number {
  return GUTTER + (scene.scale.place(cycle) - scene.view.from) * pixels(scene);
}

/** The first and the last cycle that are seen. */
function seen({ scale, view }: Scene): [number, number] {
  return [Math.floor(scale.cycle(view.from)), Math.ceil(scale.cycle(view.to))];
}

/** The letters of the states, where there is room. */
function letters(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, layout, theme } = scene;
  const [from, to] = seen(scene);
  const inks = model.states.map((state) => inkOn(stateColour(state.colour, theme)));
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const band of layout.bands) {
    if (band.kind !== "row") continue;
    const row = model.rows[band.index];
    context.font = `${Math.min(12, band.height - 2)}px ui-monospace, monospace`;
    for (let i = Math.max(lastAtMost(row.starts, from), 0); i < row.states.length && row.starts[i] < to; i += 1) {
      const state = row.states[i];
      const left = x(scene, row.starts[i]);
      const right = x(scene, row.starts[i + 1]);
      if (state === NOBODY || right - left < LETTERS) continue;
      context.fillStyle = inks[state];
      const start = Math.max(left, GUTTER) + Math.min(4, (right - left - 7) / 2);
      context.fillText(model.states[state].letter, start, band.top + band.height / 2 + 0.5);
    }
  }
}

let scratch: HTMLCanvasElement | undefined;

/** The colours of the states. Where many share a pixel, it has the mean of their colours. */
function colour(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, layout, width, colours } = scene;
  const columns = Math.max(Math.round((width - GUTTER) * devicePixelRatio), 1);
  const bands = layout.bands.filter((band) => band.kind === "row");
  scratch ??= document.createElement("canvas");
  scratch.width = columns;
  scratch.height = Math.max(bands.length, 1);
  const inner = scratch.getContext("2d");
  if (!inner) return;
  const image = inner.createImageData(columns, scratch.height);
  const ground = rgb(colours.panel);
  const palette = model.states.map((state) => rgb(stateColour(state.colour, scene.theme)));
  const sums = new Float64Array(columns * 4);
  bands.forEach((band, line) => {
    sums.fill(0);
    sumRow(model.rows[band.index], scene, palette, sums, columns);
    for (let column = 0; column < columns; column += 1) {
      const weight = Math.min(sums[4 * column + 3], 1);
      const target = 4 * (line * columns + column);
      for (let part = 0; part < 3; part += 1) {
        image.data[target + part] = sums[4 * column + part] + (1 - weight) * ground[part];
      }
      image.data[target + 3] = 255;
    }
  });
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  bands.forEach((band, line) => {
    context.drawImage(scratch!, 0, line, columns, 1, GUTTER, band.top + 1, width - GUTTER, band.height - 2);
  });
}

function sumRow(row: Row, scene: Scene, palette: number[][], sums: Float64Array, columns: number): void {
  const [from, to] = seen(scene);
  const { scale, view } = scene;
  const k = columns / (view.to - view.from);
  const gap = pixels(scene) >= APART ? devicePixelRatio : 0;
  let left = (scale.place(row.starts[Math.max(lastAtMost(row.starts, from), 0)]) - view.from) * k;
  for (let i = Math.max(lastAtMost(row.starts, from), 0); i < row.states.length && row.starts[i] < to; i += 1) {
    const right = (scale.place(row.starts[i + 1]) - view.from) * k;
    const colour = palette[row.states[i]];
    if (colour) {
      const last = Math.min(right - gap, columns);
      for (let at = Math.max(left, 0); at < last; ) {
        const column = Math.floor(at);
        const next = Math.min(column + 1, last);
        const weight = next - at;
        sums[4 * column] += colour[0] * weight;
        sums[4 * column + 1] += colour[1] * weight;
        sums[4 * column + 2] += colour[2] * weight;
        sums[4 * column + 3] += weight;
        at = next;
      }
    }
    left = right;
  }
}

/** The issue slots of a scheduler: full ones are filled, unused ones are empty boxes. */
function lane(context: CanvasRenderingContext2D, scene: Scene, lane: Lane, top: number, height: number): void {
  const { colours, model, theme } = scene;
  const issued = stateColour(model.states[model.selected].colour, theme);
  const [from, to] = seen(scene);
  if (pixels(scene) < SLOTS) {
    share(context, scene, lane, top, height, issued);
    return;
  }
  for (const [first, last] of lane.resident) {
    if (last <= from || first >= to) continue;
    const [left, right] = [Math.max(x(scene, first), GUTTER - 2), x(scene, Math.min(last, to + 1))];
    context.fillStyle = colours.sunken;
    context.fillRect(left, top + 1, right - left, height - 2);
    unused(context, scene, lane, [Math.max(first, from), Math.min(last, to)], top, height);
  }
  const gap = pixels(scene) >= APART ? 1 : 0;
  context.fillStyle = issued;
  for (let i = Math.max(lastAtMost(lane.cycles, from), 0); i < lane.cycles.length && lane.cycles[i] < to; i += 1) {
    const left = x(scene, lane.cycles[i]);
    context.fillRect(left, top + 1, Math.max(x(scene, lane.cycles[i] + 1) - left - gap, 0.5), height - 2);
  }
}

/** Unused slots: a crossed box each where there is room, a line where there is not. */
function unused(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: Lane,
  [from, to]: [number, number],
  top: number,
  height: number,
): void {
  context.strokeStyle = scene.colours.empty;
  context.lineWidth = 1;
  context.beginPath();
  let issue = Math.max(lastAtMost(lane.cycles, from), 0);
  for (let cycle = from; cycle < to; cycle += 1) {
    while (issue < lane.cycles.length && lane.cycles[issue] < cycle) issue += 1;
    if (lane.cycles[issue] === cycle) continue;
    const left = x(scene, cycle);
    const right = x(scene, cycle + 1);
    if (right - left >= 5) {
      context.rect(left + 1, top + 2.5, right - left - 3, height - 5);
      context.moveTo(left + 1, top + height - 2.5);
      context.lineTo(right - 2, top + 2.5);
    } else {
      context.moveTo(left, top + height / 2);
      context.lineTo(right, top + height / 2);
    }
  }
  context.stroke();
}

/** From far away: how many of the slots of a pixel were used, as the height of a bar. */
function share(
  context: CanvasRenderingContext2D,
  scene: Scene,
  lane: Lane,
  top: number,
  height: number,
  colour: string,
): void {
  for (const [first, last] of lane.resident) {
    const [left, right] = [x(scene, first), x(scene, last)];
    context.fillStyle = scene.colours.sunken;
    context.fillRect(left, top + 1, right - left, height - 2);
  }
  const columns = Math.ceil(scene.width - GUTTER);
  context.fillStyle = colour;
  for (let column = 0; column < columns; column += 1) {
    const from = scene.scale.cycle(scene.view.from + column / pixels(scene));
    const to = scene.scale.cycle(scene.view.from + (column + 1) / pixels(scene));
    const tall = usedShare(lane, from, to) * (height - 2);
    context.fillRect(GUTTER + column, top + height - 1 - tall, 1, tall);
  }
}

/** How many of the issue slots of some cycles were used, 0 to 1. */
function usedShare(lane: Lane, from: number, to: number): number {
  const first = Math.floor(from);
  const last = Math.max(Math.ceil(to), first + 1);
  const used = lastAtMost(lane.cycles, last - 0.5) - lastAtMost(lane.cycles, first - 0.5);
  return used / (last - first);
}

/** Where the scale leaves cycles out. */
function folds(context: CanvasRenderingContext2D, scene: Scene): void {
  if (!scene.scale.folding) return;
  const { model, layout, colours } = scene;
  const [from, to] = seen(scene);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.font = "11px system-ui, sans-serif";
  for (const fold of model.folds.folded) {
    if (fold.to <= from || fold.from >= to) continue;
    const [left, right] = [x(scene, fold.from), x(scene, fold.to)];
    if (right - left < 4) {
      context.fillStyle = colours.text;
      context.fillRect(left, layout.bottom - 1, Math.max(right - left, 1), 4);
      continue;
    }
    const inset = Math.min(1.5, (right - left) / 4);
    const middle = (left + right) / 2;
    context.fillStyle = colours.panel;
    context.globalAlpha = 0.78;
    context.fillRect(left + inset, 0, right - left - 2 * inset, layout.bottom);
    context.globalAlpha = 1;
    context.strokeStyle = colours.faint;
    context.setLineDash([2, 3]);
    context.strokeRect(left + inset, 0.5, right - left - 2 * inset, layout.bottom - 1);
    context.setLineDash([]);
    if (right - left > 16) {
      context.save();
      context.translate(middle, layout.bottom / 2);
      context.rotate(-Math.PI / 2);
      context.fillStyle = colours.text;
      context.fillText(`${integerText(fold.to - fold.from)} cycles`, 0, 0);
      context.restore();
    }
  }
}

/** The cursor, and the way to what caused the stall under it. */
function marks(context: CanvasRenderingContext2D, scene: Scene): void {
  const { cursor, cause, model, colours } = scene;
  if (!cursor) return;
  const box = outline(context, scene, cursor, colours.text);
  if (!cause || !box) return;
  const other = outline(context, scene, cause.place, colours.accent);
  if (!other) return;
  const start = { x: x(scene, model.span(cause.place)[0] + 0.5), y: other.y };
  const end = { x: Math.max(box.left, GUTTER) + 2, y: box.y };
  const bow = start.y === end.y ? -22 : 0;
  context.strokeStyle = colours.accent;
  context.fillStyle = colours.accent;
  context.lineWidth = 2;
  context.beginPath();
  context.moveTo(start.x, start.y);
  context.quadraticCurveTo((start.x + end.x) / 2, (start.y + end.y) / 2 + 2 * bow, end.x, end.y);
  context.stroke();
  context.beginPath();
  context.arc(start.x, start.y, 4, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 1;
}

function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  place: Place,
  colour: string,
): { left: number; y: number } | undefined {
  const band = scene.layout.bands.find((band) => band.kind === "row" && band.index === place.row);
  if (!band) return undefined;
  const [from, to] = scene.model.span(place);
  const [left, right] = [x(scene, from), x(scene, to)];
  context.strokeStyle = scene.colours.panel;
  context.lineWidth = 4;
  context.strokeRect(left - 1, band.top, Math.max(right - left, 2) + 1, band.height);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(left - 1, band.top, Math.max(right - left, 2) + 1, band.height);
  context.lineWidth = 1;
  return { left, y: band.top + band.height / 2 };
}

function labels(context: CanvasRenderingContext2D, scene: Scene): void {
  const { model, layout, colours } = scene;
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const band of layout.bands) {
    const middle = band.top + band.height / 2 + 0.5;
    if (band.kind === "lane") {
      context.fillStyle = colours.text;
      context.font = "600 12px system-ui, sans-serif";
      const lane = model.lanes[band.index];
      context.fillText(model.lanes.length > 1 ? `issue ${lane.scheduler}` : "issue", GUTTER - 8, middle);
    } else {
      context.fillStyle = colours.faint;
      context.font = `${Math.min(12, band.height - 1)}px system-ui, sans-serif`;
      context.fillText(`warp ${model.rows[band.index].slot}`, GUTTER - 8, middle);
    }
  }
}

function axis(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, colours, width } = scene;
  const [from, to] = seen(scene);
  context.strokeStyle = colours.faint;
  context.fillStyle = colours.text;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "top";
  let free = GUTTER;
  for (const tick of ticks(from, to, Math.max((width - GUTTER) / 90, 2))) {
    const at = x(scene, tick);
    if (at < GUTTER || at > width) continue;
    context.beginPath();
    context.moveTo(Math.round(at) + 0.5, layout.bottom + 2);
    context.lineTo(Math.round(at) + 0.5, layout.bottom + 7);
    context.stroke();
    const text = integerText(tick);
    const half = context.measureText(text).width / 2;
    if (at - half < free || at + half > width) continue;
    context.fillText(text, at, layout.bottom + 9);
    free = at + half + 8;
  }
  context.textAlign = "right";
  context.fillStyle = colours.faint;
  context.fillText("cycle", GUTTER - 8, layout.bottom + 9);
}

/** The whole window in small, with the part that is seen. */
function overview(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, colours, width, scale, view, model, theme } = scene;
  const top = layout.bottom + AXIS + 4;
  const height = OVERVIEW - 8;
  const columns = Math.ceil(width - GUTTER);
  context.fillStyle = colours.sunken;
  context.fillRect(GUTTER, top, columns, height);
  context.fillStyle = stateColour(model.states[model.selected].colour, theme);
  usedByColumn(scene, columns).forEach((share, column) => {
    context.fillRect(GUTTER + column, top + height * (1 - share), 1, height * share);
  });
  const [left, right] = [view.from / scale.length, view.to / scale.length].map((part) => GUTTER + part * columns);
  context.fillStyle = colours.panel;
  context.globalAlpha = 0.6;
  context.fillRect(GUTTER, top, left - GUTTER, height);
  context.fillRect(right, top, width - right, height);
  context.globalAlpha = 1;
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.strokeRect(left + 1, top, Math.max(right - left - 2, 2), height);
  context.lineWidth = 1;
  context.fillStyle = colours.faint;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillText("all", GUTTER - 8, top + height / 2);
}

const kept = new WeakMap<Scale, Float64Array>();

/** The share of used issue slots of all schedulers for every column of the overview; it changes only with the width. */
function usedByColumn({ model, scale }: Scene, columns: number): Float64Array {
  const before = kept.get(scale);
  if (before?.length === columns) return before;
  const k = scale.length / Math.max(columns, 1);
  const shares = Float64Array.from({ length: columns }, (_, column) => {
    const [from, to] = [scale.cycle(column * k), scale.cycle((column + 1) * k)];
    return model.lanes.reduce((sum, lane) => sum + usedShare(lane, from, to), 0) / model.lanes.length;
  });
  kept.set(scale, shares);
  return shares;
}

/** What lies under a point. */
export function under(scene: Scene, px: number, py: number): { place?: Place; lane?: Lane; cycle: number } {
  const cycle = Math.floor(scene.scale.cycle(scene.view.from + (px - GUTTER) / pixels(scene)));
  const band = px >= GUTTER ? bandAt(scene.layout, py) : undefined;
  if (band?.kind === "row") {
    const place = scene.model.at(band.index, cycle);
    return { cycle, place: place && scene.model.state(place) !== NOBODY ? place : undefined };
  }
  return { cycle, lane: band && scene.model.lanes[band.index] };
}
