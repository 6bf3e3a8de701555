// Every warp in every cycle.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Launch, StateInfo } from "../document";
import { address, integerText, percentText } from "../format";
import { Figure, Table } from "../parts/figure";
import { COLOURS, type Theme, inkOn, stateColour } from "../theme";
import { type Cause, causeOf } from "../timeline/cause";
import { AXIS, GUTTER, type Layout, layout } from "../timeline/layout";
import { type Lane, Model, NOBODY, type Place } from "../timeline/model";
import { type Scene, paint, under } from "../timeline/paint";
import { Scale, type View } from "../timeline/scale";

const KEYS =
  "Arrow keys go from state to state and from warp to warp, plus and minus zoom, Page Up and Page Down move the window, " +
  "C goes to the cause of a stall, 0 shows everything.";

export function TimelineView(props: {
  id: string;
  title: string;
  launch: Launch;
  states: StateInfo[];
  theme: Theme;
  hint: string;
}) {
  const { timeline, code } = props.launch;
  useMemo(() => performance.mark("timeline begun"), [timeline]);
  const model = useMemo(
    () => timeline && timeline.rows.length > 0 && new Model(timeline, props.states, code),
    [timeline, props.states, code],
  );
  if (!timeline || !model) {
    return (
      <Figure id={props.id} title={props.title}>
        <p class="says">{timeline ? "No warp was resident in these cycles." : props.hint}</p>
      </Figure>
    );
  }
  const says = (
    <>
      SM {timeline.sm}, cycles {integerText(timeline.from)} to {integerText(timeline.to)}
      {timeline.to < timeline.recorded_to &&
        ` of ${integerText(timeline.recorded_to)}; others with --window A..B`}
      {timeline.cut && "; the record was cut"}. A row is a warp slot; above the rows of each scheduler stand its issue
      slots: <b>filled</b> where an instruction issued, <b>crossed boxes</b> where no warp could.
    </>
  );
  return (
    <Figure
      id={props.id}
      title={props.title}
      says={says}
      table={<StateTable model={model} />}
      tableTitle="Cycles of every warp slot by state, and issue slots, as a table"
    >
      <Canvas id={props.id} model={model} launch={props.launch} theme={props.theme} />
    </Figure>
  );
}

function Canvas({ id, model, launch, theme }: { id: string; model: Model; launch: Launch; theme: Theme }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [folding, setFolding] = useState(model.folds.pays);
  const scale = useMemo(() => new Scale(model.folds, folding), [model, folding]);
  const [view, setView] = useState<View>(() => first(model, scale));
  const [cursor, setCursor] = useState<Place>();
  const [hover, setHover] = useState<{ x: number; y: number; place?: Place; lane?: Lane; cycle: number }>();
  const drawn: Layout = useMemo(() => layout(model), [model]);
  const cause = useMemo(() => cursor && causeOf(model, cursor), [model, cursor]);
  const [moving, setMoving] = useState(false);
  const colours = COLOURS[theme];
  const scene: Scene = { model, layout: drawn, scale, view, theme, colours, cursor, cause, moving, width };
  const latest = useRef(scene);
  latest.current = scene;

  useEffect(() => {
    const element = canvas.current?.parentElement;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = canvas.current;
    if (!element || width < GUTTER + 40) return;
    const frame = requestAnimationFrame(() => draw(element, scene));
    return () => cancelAnimationFrame(frame);
  });
  useEffect(() => (canvas.current ? wheel(canvas.current, latest, setView) : undefined), []);

  const show = (place: Place) => {
    setCursor(place);
    setView(scale.showing(view, ...model.span(place)));
  };
  const fold = () => {
    const other = new Scale(model.folds, !folding);
    const span = [scale.cycle(view.from), scale.cycle(view.to)].map((cycle) => other.place(cycle));
    setFolding(!folding);
    setView(other.clamp({ from: span[0], to: span[1] }));
  };
  const middle = (view.from + view.to) / 2;
  const told = cursor ?? hover?.place;
  return (
    <>
      <div class="tools" role="toolbar" aria-label={`Timeline ${id}`}>
        <button type="button" onClick={() => setView(scale.zoom(view, 0.5, middle))}>
          Zoom in
        </button>
        <button type="button" onClick={() => setView(scale.zoom(view, 2, middle))}>
          Zoom out
        </button>
        <button type="button" onClick={() => setView(scale.whole())}>
          Everything
        </button>
        {model.folds.folded.length > 0 && (
          <label>
            <input type="checkbox" checked={folding} onChange={fold} /> fold long waits
          </label>
        )}
        {cause && (
          <button type="button" class="strong" onClick={() => show(cause.place)}>
            Go to the cause
          </button>
        )}
      </div>
      <Legend model={model} theme={theme} />
      <div class="timeline">
        <canvas
          ref={canvas}
          tabIndex={0}
          role="application"
          aria-label={`Timeline of ${model.rows.length} warp slots. ${KEYS}`}
          aria-describedby={`${id}-told`}
          style={{ height: `${drawn.height}px` }}
          onKeyDown={(event) => {
            const next = onKey(event.key, { model, layout: drawn, scale, view, cursor, cause });
            if (!next) return;
            event.preventDefault();
            if (next.view) setView(next.view);
            if (next.cursor) setCursor(next.cursor);
          }}
          onPointerDown={(event) => drag(event, latest, { setView, setCursor, setMoving })}
          onPointerMove={(event) => {
            if (event.buttons) return;
            const found = under(latest.current, event.offsetX, event.offsetY);
            setHover({ ...found, x: event.offsetX, y: event.offsetY });
          }}
          onPointerLeave={() => setHover(undefined)}
        />
        {hover && (hover.place || hover.lane) && (
          <div
            class="tip"
            style={{
              top: `${hover.y + 14}px`,
              ...(hover.x > width / 2 ? { right: `${width - hover.x + 12}px` } : { left: `${hover.x + 12}px` }),
            }}
          >
            {hover.place ? (
              <Told model={model} launch={launch} place={hover.place} cause={causeOf(model, hover.place)} />
            ) : (
              <ToldLane model={model} lane={hover.lane!} cycle={hover.cycle} />
            )}
          </div>
        )}
      </div>
      <div class="told" id={`${id}-told`} aria-live="polite">
        {told ? (
          <Told model={model} launch={launch} place={told} cause={causeOf(model, told)} />
        ) : (
          <p class="faint">
            Point at a state, or click one to hold it and see what caused it. Drag to move, hold Ctrl and turn the wheel
            to zoom. {KEYS}
          </p>
        )}
      </div>
    </>
  );
}

/** What is seen first: everything, unless states would be too small to tell. */
function first(model: Model, scale: Scale): View {
  if (scale.length <= 100_000) return scale.whole();
  const issue = Math.min(...model.lanes.map((lane) => lane.cycles[0] ?? model.to));
  const from = Math.max(scale.place(Math.min(issue, model.to)) - 20, 0);
  return scale.clamp({ from, to: from + 400 });
}

function draw(element: HTMLCanvasElement, scene: Scene): void {
  const start = performance.now();
  const ratio = devicePixelRatio;
  const [width, height] = [Math.round(scene.width * ratio), Math.round(scene.layout.height * ratio)];
  if (element.width !== width || element.height !== height) {
    element.width = width;
    element.height = height;
  }
  const context = element.getContext("2d", { alpha: false });
  if (!context) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  paint(context, scene);
  if (!element.dataset.drawn) performance.measure("timeline drawn", "timeline begun");
  element.dataset.drawn = String(Number(element.dataset.drawn ?? 0) + 1);
  element.dataset.milliseconds = (performance.now() - start).toFixed(2);
  element.dataset.view = `${scene.scale.cycle(scene.view.from)} ${scene.scale.cycle(scene.view.to)}`;
}

/** The wheel zooms with Ctrl and moves sideways without; otherwise the page scrolls. */
function wheel(
  element: HTMLCanvasElement,
  latest: { current: Scene },
  setView: (view: View) => void,
): () => void {
  const turned = (event: WheelEvent) => {
    const { scale, view, width } = latest.current;
    const cycles = (view.to - view.from) / (width - GUTTER);
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      setView(scale.zoom(view, 1.0025 ** event.deltaY, view.from + (event.offsetX - GUTTER) * cycles));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
      event.preventDefault();
      setView(scale.pan(view, (event.deltaX || event.deltaY) * cycles));
    }
  };
  element.addEventListener("wheel", turned, { passive: false });
  return () => element.removeEventListener("wheel", turned);
}

/** Dragging moves the window; on the overview it goes there; a click holds what is under it. */
function drag(
  event: PointerEvent,
  latest: { current: Scene },
  set: { setView: (view: View) => void; setCursor: (place?: Place) => void; setMoving: (moving: boolean) => void },
): void {
  const { setView, setCursor, setMoving } = set;
  const element = event.currentTarget as HTMLCanvasElement;
  const { layout: drawn, view: start, scale, width } = latest.current;
  const [startX, startY] = [event.offsetX, event.offsetY];
  const inside = width - GUTTER;
  const goTo = (px: number) => {
    const [middle, half] = [((px - GUTTER) / inside) * scale.length, (start.to - start.from) / 2];
    setView(scale.clamp({ from: middle - half, to: middle + half }));
  };
  const small = startY > drawn.bottom + AXIS;
  if (small) goTo(startX);
  let moved = false;
  element.setPointerCapture(event.pointerId);
  const move = (next: PointerEvent) => {
    if (!moved && Math.abs(next.offsetX - startX) > 3) {
      moved = true;
      setMoving(true);
    }
    if (small) goTo(next.offsetX);
    else if (moved) setView(scale.pan(start, ((startX - next.offsetX) / inside) * (start.to - start.from)));
  };
  const up = () => {
    element.removeEventListener("pointermove", move);
    setMoving(false);
    if (!moved && !small) setCursor(under(latest.current, startX, startY).place);
  };
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", up, { once: true });
  element.addEventListener("pointercancel", up, { once: true });
}

interface Keyed {
  model: Model;
  layout: Layout;
  scale: Scale;
  view: View;
  cursor?: Place;
  cause?: Cause;
}

function onKey(key: string, at: Keyed): { view?: View; cursor?: Place } | undefined {
  const { scale, view } = at;
  const length = view.to - view.from;
  const middle = (view.from + view.to) / 2;
  switch (key) {
    case "+":
    case "=":
      return { view: scale.zoom(view, 0.5, middle) };
    case "-":
      return { view: scale.zoom(view, 2, middle) };
    case "0":
      return { view: scale.whole() };
    case "PageUp":
      return { view: scale.pan(view, -length / 2) };
    case "PageDown":
      return { view: scale.pan(view, length / 2) };
    case "Home":
      return { view: scale.clamp({ from: 0, to: length }) };
    case "End":
      return { view: scale.clamp({ from: scale.length - length, to: scale.length }) };
    case "c":
    case "C":
      return at.cause && held(at, at.cause.place);
    case "ArrowLeft":
      return held(at, step(at, -1));
    case "ArrowRight":
      return held(at, step(at, 1));
    case "ArrowUp":
      return held(at, otherRow(at, -1));
    case "ArrowDown":
      return held(at, otherRow(at, 1));
    default:
      return undefined;
  }
}

function held(at: Keyed, place?: Place): { view?: View; cursor?: Place } {
  return place ? { cursor: place, view: at.scale.showing(at.view, ...at.model.span(place)) } : {};
}

/** The first state that is seen, for a cursor that is nowhere yet. */
function start({ model, layout: drawn, scale, view }: Keyed): Place | undefined {
  const rows = drawn.bands.filter((band) => band.kind === "row");
  const cycle = Math.ceil(scale.cycle(view.from));
  for (const band of rows) {
    const place = model.at(band.index, cycle);
    if (place) return model.state(place) === NOBODY ? { ...place, interval: place.interval + 1 } : place;
  }
  return undefined;
}

function step(at: Keyed, by: number): Place | undefined {
  if (!at.cursor) return start(at);
  const { states } = at.model.rows[at.cursor.row];
  for (let next = at.cursor.interval + by; next >= 0 && next < states.length; next += by) {
    if (states[next] !== NOBODY) return { ...at.cursor, interval: next };
  }
  return at.cursor;
}

function otherRow(at: Keyed, by: number): Place | undefined {
  if (!at.cursor) return start(at);
  const rows = at.layout.bands.filter((band) => band.kind === "row").map((band) => band.index);
  const cycle = at.model.span(at.cursor)[0];
  for (let next = rows.indexOf(at.cursor.row) + by; next >= 0 && next < rows.length; next += by) {
    const place = at.model.at(rows[next], cycle);
    if (place && at.model.state(place) !== NOBODY) return place;
  }
  return at.cursor;
}

function Legend({ model, theme }: { model: Model; theme: Theme }) {
  const states = model.states.map((state, index) => ({ state, index })).filter(({ index }) => (model.present >> index) & 1);
  states.sort((a, b) => b.state.row - a.state.row);
  return (
    <ul class="legend" aria-label="States">
      {states.map(({ state }) => {
        const colour = stateColour(state.colour, theme);
        return (
          <li title={state.description}>
            <span class="swatch" style={{ background: colour, color: inkOn(colour) }}>
              {state.letter}
            </span>
            {state.label.toLowerCase()}
          </li>
        );
      })}
      <li>
        <span class="swatch unused" aria-hidden="true" />
        unused issue slot
      </li>
    </ul>
  );
}

function Told(props: { model: Model; launch: Launch; place: Place; cause?: Cause }) {
  const { model, launch, place, cause } = props;
  const row = model.rows[place.row];
  const state = model.states[model.state(place)];
  if (!state) return null;
  const [from, to] = model.span(place);
  const warp = model.warp(row.slot, from);
  const issued = model.state(place) === model.selected;
  return (
    <>
      <p>
        <b>{state.label}</b>
        {to - from > 1
          ? ` for ${integerText(to - from)} cycles, ${integerText(from)} to ${integerText(to - 1)}`
          : ` in cycle ${integerText(from)}`}
        {" · "}warp slot {row.slot}
        {warp && `, block ${integerText(warp.block)}, warp ${warp.warp}`}
      </p>
      <p>
        {issued ? "issued" : "waits to issue"} <Instruction launch={launch} pc={model.pc(place)} />
        {issued && row.lanes[place.interval] > 0 && ` · ${row.lanes[place.interval]} lanes`}
      </p>
      {cause && (
        <p>
          cause: <Instruction launch={launch} pc={model.pc(cause.place)} />, issued by warp{" "}
          {model.rows[cause.place.row].slot} in cycle {integerText(model.span(cause.place)[0])}: {cause.why}
        </p>
      )}
    </>
  );
}

function ToldLane({ model, lane, cycle }: { model: Model; lane: Lane; cycle: number }) {
  const issue = model.issue(lane.scheduler, cycle);
  const resident = lane.resident.some(([from, to]) => cycle >= from && cycle < to);
  const { issued, unused } = model.slots(lane);
  return (
    <>
      <p>
        Scheduler {lane.scheduler}, cycle {integerText(cycle)}:{" "}
        {issue ? `warp ${model.rows[issue.row].slot} issued` : resident ? "unused issue slot: no warp could issue" : "no warp"}
      </p>
      <p>
        {integerText(issued)} slots used, {integerText(unused)} unused in this window
      </p>
    </>
  );
}

export function Instruction({ launch, pc }: { launch: Launch; pc: number }) {
  const instruction = launch.code?.instructions[pc];
  if (!instruction) return <code>{address(pc * 16)}</code>;
  const place = instruction.places.at(-1);
  return (
    <>
      <code>
        {address(instruction.address)} {instruction.text}
      </code>
      {place && ` (${launch.code!.texts[place[0]].name.split("/").at(-1)}:${place[1]})`}
    </>
  );
}

function StateTable({ model }: { model: Model }) {
  const sums = model.rows.map((row) => {
    const cycles = new Float64Array(model.states.length);
    row.states.forEach((state, i) => {
      if (state !== NOBODY) cycles[state] += row.starts[i + 1] - row.starts[i];
    });
    return cycles;
  });
  const present = model.states.map((_, index) => index).filter((index) => sums.some((sum) => sum[index] > 0));
  return (
    <>
      <Table
        caption="Cycles by state"
        heads={["warp slot", "scheduler", ...present.map((index) => model.states[index].label)]}
        rows={model.rows.map((row, place) => [
          row.slot,
          row.scheduler,
          ...present.map((index) => integerText(sums[place][index])),
        ])}
      />
      <Table
        caption="Issue slots while a warp was resident"
        heads={["scheduler", "used", "unused", "used"]}
        rows={model.lanes.map((lane) => {
          const { issued, unused } = model.slots(lane);
          const share = percentText((100 * issued) / Math.max(issued + unused, 1));
          return [lane.scheduler, integerText(issued), integerText(unused), share];
        })}
      />
    </>
  );
}
