// From a stall to the instruction that caused it.

import type { Model, Place } from "./model";
import { NOBODY, lastAtMost } from "./model";

export interface Cause {
  place: Place;
  /** Why this one, in words. */
  why: string;
}

/** What a warp waited for, if it is in the window. */
export function causeOf(model: Model, place: Place): Cause | undefined {
  const state = model.states[model.state(place)];
  switch (state?.name) {
    case "long_scoreboard":
    case "short_scoreboard":
    case "imc_miss":
      return awaited(model, place);
    case "not_selected":
      return taken(model, place);
    case "math_pipe_throttle":
      return onSchedulerBefore(model, place, (pc) => samePipe(model, pc, model.pc(place)), "it has the pipe");
    case "lg_throttle":
    case "mio_throttle":
      return onSchedulerBefore(model, place, (pc) => pipe(model, pc) === "lsu", "it was the last to enter the queue");
    case "barrier":
      return lastOfBlock(model, place);
    case "selected":
    case undefined:
      return undefined;
    default:
      return before(model, place, () => true, "it was the warp's last instruction");
  }
}

/** The instruction of the same warp whose wait counter the next one waits for. */
function awaited(model: Model, place: Place): Cause | undefined {
  const instructions = model.code?.instructions;
  const mask = instructions?.[model.pc(place)]?.wait_mask ?? 0;
  const counted = (pc: number) => {
    const { write_barrier: write, read_barrier: read } = instructions?.[pc] ?? { write_barrier: null, read_barrier: null };
    return (write !== null && (mask >> write) & 1) || (read !== null && (mask >> read) & 1);
  };
  return before(model, place, (pc) => Boolean(counted(pc)), "its result is awaited");
}

/** The last issue of the same warp that is as wanted. */
function before(model: Model, place: Place, wanted: (pc: number) => boolean, why: string): Cause | undefined {
  const row = model.rows[place.row];
  for (let interval = place.interval - 1; interval >= 0; interval -= 1) {
    if (row.states[interval] === NOBODY) return undefined;
    if (row.states[interval] === model.selected && wanted(row.pcs[interval])) {
      return { place: { row: place.row, interval }, why };
    }
  }
  return undefined;
}

/** The warp that the scheduler took instead. */
function taken(model: Model, place: Place): Cause | undefined {
  const [from, to] = model.span(place);
  for (let cycle = from; cycle < to; cycle += 1) {
    const other = model.issue(model.rows[place.row].scheduler, cycle);
    if (other) return { place: other, why: "the scheduler took this warp" };
  }
  return undefined;
}

/** The last issue of the scheduler before the stall that is as wanted. */
function onSchedulerBefore(
  model: Model,
  place: Place,
  wanted: (pc: number) => boolean,
  why: string,
): Cause | undefined {
  const lane = model.lanes.find((lane) => lane.scheduler === model.rows[place.row].scheduler);
  if (!lane) return undefined;
  const [from] = model.span(place);
  for (let issue = lastAtMost(lane.cycles, from); issue >= 0; issue -= 1) {
    const other = model.at(lane.rows[issue], lane.cycles[issue]);
    if (other && wanted(model.pc(other))) return { place: other, why };
  }
  return undefined;
}

/** The last warp of the block to come to the barrier. */
function lastOfBlock(model: Model, place: Place): Cause | undefined {
  const [from, to] = model.span(place);
  const block = model.warp(model.rows[place.row].slot, from)?.block;
  let found: Cause | undefined;
  let latest = -1;
  model.rows.forEach((row, number) => {
    if (model.warp(row.slot, from)?.block !== block) return;
    for (let interval = lastAtMost(row.starts, to); interval >= 0 && row.starts[interval] > latest; interval -= 1) {
      if (row.states[interval] !== model.selected || !isBarrier(model, row.pcs[interval])) continue;
      latest = row.starts[interval];
      found = { place: { row: number, interval }, why: "this warp came to the barrier last" };
    }
  });
  return found;
}

function isBarrier(model: Model, pc: number): boolean {
  return /\bBAR\b/.test(model.code?.instructions[pc]?.text ?? "");
}

function pipe(model: Model, pc: number): string | undefined {
  return model.code?.instructions[pc]?.pipe.toLowerCase();
}

function samePipe(model: Model, a: number, b: number): boolean {
  return pipe(model, a) !== undefined && pipe(model, a) === pipe(model, b);
}
