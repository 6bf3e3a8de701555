// The timeline as typed arrays, with what can be asked of it. Knows nothing of drawing.

import type { Code, StateInfo, Timeline } from "../document";
import { Folds } from "./folds";

/** No warp is resident. */
export const NOBODY = 255;

/** One warp slot: intervals in order, without gaps. */
export interface Row {
  slot: number;
  scheduler: number;
  /** The first cycle of every interval, and the end of the last. */
  starts: Float64Array;
  states: Uint8Array;
  pcs: Uint32Array;
  /** Lanes of the instruction, where one issued. */
  lanes: Uint8Array;
}

/** One scheduler: when it issued, and for which row. */
export interface Lane {
  scheduler: number;
  cycles: Float64Array;
  rows: Uint16Array;
  /** The cycles in which some warp was resident, as starts and ends. */
  resident: [number, number][];
}

/** A place in the picture: a row and the number of an interval. */
export interface Place {
  row: number;
  interval: number;
}

export class Model {
  readonly from: number;
  readonly to: number;
  readonly rows: Row[];
  readonly lanes: Lane[];
  readonly folds: Folds;
  readonly selected: number;
  /** The states that some warp is in, as a mask. */
  readonly present: number;

  constructor(
    readonly timeline: Timeline,
    readonly states: StateInfo[],
    readonly code?: Code,
  ) {
    this.from = timeline.from;
    this.to = timeline.to;
    this.selected = states.findIndex((state) => state.name === "selected");
    const rows = timeline.rows.map((row) => decode(row, timeline, this.selected));
    this.rows = rows.sort((a, b) => a.scheduler - b.scheduler || a.slot - b.slot);
    this.present = this.rows.reduce((mask, row) => row.states.reduce((all, state) => all | (state === NOBODY ? 0 : 1 << state), mask), 0);
    const schedulers = [...new Set(this.rows.map((row) => row.scheduler))];
    this.lanes = schedulers.map((scheduler) => this.lane(scheduler));
    this.folds = new Folds(this.from, this.to, this.rows.map((row) => row.starts));
  }

  private lane(scheduler: number): Lane {
    // By cycle the row that issued, from 1.
    const issued = new Uint16Array(this.to - this.from);
    let count = 0;
    const spans: [number, number][] = [];
    this.rows.forEach((row, place) => {
      if (row.scheduler !== scheduler) return;
      let since = -1;
      for (let i = 0; i < row.states.length; i += 1) {
        if (row.states[i] === this.selected) {
          issued[row.starts[i] - this.from] = place + 1;
          count += 1;
        }
        if (row.states[i] !== NOBODY && since < 0) since = row.starts[i];
        if (row.states[i] === NOBODY && since >= 0) {
          spans.push([since, row.starts[i]]);
          since = -1;
        }
      }
      if (since >= 0) spans.push([since, row.starts[row.states.length]]);
    });
    const lane = { scheduler, cycles: new Float64Array(count), rows: new Uint16Array(count), resident: union(spans) };
    let at = 0;
    for (let cycle = 0; cycle < issued.length; cycle += 1) {
      if (issued[cycle] === 0) continue;
      lane.cycles[at] = this.from + cycle;
      lane.rows[at] = issued[cycle] - 1;
      at += 1;
    }
    return lane;
  }

  /** The interval of a row in a cycle. */
  at(row: number, cycle: number): Place | undefined {
    const { starts, states } = this.rows[row];
    const interval = lastAtMost(starts, cycle);
    return interval >= 0 && interval < states.length ? { row, interval } : undefined;
  }

  span(place: Place): [number, number] {
    const { starts } = this.rows[place.row];
    return [starts[place.interval], starts[place.interval + 1]];
  }

  /** The index of the document's list, or NOBODY. */
  state(place: Place): number {
    return this.rows[place.row].states[place.interval];
  }

  pc(place: Place): number {
    return this.rows[place.row].pcs[place.interval];
  }

  /** The block and the warp that a slot held in a cycle. */
  warp(slot: number, cycle: number): { block: number; warp: number } | undefined {
    const came = this.timeline.warps.filter((warp) => warp.slot === slot && warp.from <= cycle);
    return came.at(-1);
  }

  /** The issue of a scheduler in a cycle: the place of the warp that it took. */
  issue(scheduler: number, cycle: number): Place | undefined {
    const lane = this.lanes.find((lane) => lane.scheduler === scheduler);
    if (!lane) return undefined;
    const issue = lastAtMost(lane.cycles, cycle);
    return issue >= 0 && lane.cycles[issue] === cycle ? this.at(lane.rows[issue], cycle) : undefined;
  }

  /** Issued and unused cycles of a scheduler while warps were resident. */
  slots(lane: Lane): { issued: number; unused: number } {
    const resident = lane.resident.reduce((sum, [from, to]) => sum + to - from, 0);
    return { issued: lane.cycles.length, unused: resident - lane.cycles.length };
  }
}

function decode(row: Timeline["rows"][0], timeline: Timeline, selected: number): Row {
  const count = row.intervals.length / 3;
  const decoded: Row = {
    slot: row.slot,
    scheduler: row.slot % timeline.schedulers,
    starts: new Float64Array(count + 1),
    states: new Uint8Array(count),
    pcs: new Uint32Array(count),
    lanes: new Uint8Array(count),
  };
  let cycle = timeline.from;
  let pc = 0;
  let run = 0;
  let left = row.lanes[0] ?? 0;
  for (let i = 0; i < count; i += 1) {
    const state = row.intervals[3 * i + 1];
    pc += row.intervals[3 * i + 2];
    decoded.starts[i] = cycle;
    decoded.states[i] = state < 0 ? NOBODY : state;
    decoded.pcs[i] = pc;
    if (state === selected) {
      while (left === 0 && run + 2 < row.lanes.length) {
        run += 2;
        left = row.lanes[run];
      }
      decoded.lanes[i] = row.lanes[run + 1] ?? 0;
      left -= 1;
    }
    cycle += row.intervals[3 * i];
  }
  decoded.starts[count] = cycle;
  return decoded;
}

/** The place of the last number that is at most `value`, or -1. */
export function lastAtMost(sorted: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function union(spans: [number, number][]): [number, number][] {
  spans.sort((a, b) => a[0] - b[0]);
  const joined: [number, number][] = [];
  for (const [from, to] of spans) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}
