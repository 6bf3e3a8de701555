// What the page and the simulator say to each other: crates/laboratory/src/request.rs is the other side.

import type { PageDocument, StateInfo, Timeline } from "../document";

/** A launch, its machine, and what a person has changed. */
export interface SetUp {
  launch: string;
  gpu?: string;
  scheduler?: string;
  /** Another scheduler, which runs beside it. */
  beside?: string;
  /** Other changes of the machine, PATH=VALUE. */
  set: string[];
  /** Changed texts by path. */
  edits: Record<string, string>;
  sm: number;
}

export interface Catalogue {
  machines: { name: string; title: string | null }[];
  schedulers: { name: string; summary: string }[];
  launches: { path: string; about: string }[];
  labs: { name: string; title: string }[];
  states: StateInfo[];
}

export interface Text {
  path: string;
  kind: "launch" | "program" | "machine";
  text: string;
  /** The machine's name, where it is one. */
  machine?: string;
}

/** A fault, in units of UTF-16 from the start of its text. */
export interface Fault {
  from: number;
  to: number;
  line: number;
  severity: "error" | "warning";
  message: string;
  help: string;
}

/** Why something cannot be done. */
export interface Refusal {
  message: string;
  path: string | null;
  places: Fault[];
}

export interface RunAnswer {
  document: PageDocument;
  expectations: { holds: boolean; line: string }[];
  printed: string[];
}

export interface Lab {
  name: string;
  title: string;
  /** In Markdown. */
  text: string;
  predictions: { id: string; question: string; runs: string[] | null }[];
  changes: { id: string; question: string; scheduler: boolean; least: number; most: number | null }[];
  checks: string[];
  programs: Record<string, string>;
}

export interface LabVerdict {
  id: string;
  text: string;
  claim: string;
  state: "yes" | "no" | "blank";
  /** What was simulated; nothing while a person is still to think about it. */
  simulated: string | null;
  difference: string | null;
  hint: string | null;
}

export interface LabAnswer {
  holds: boolean;
  held: number;
  of: number;
  predictions: LabVerdict[];
  checks: LabVerdict[];
  wrong_results: [run: string, what: string][];
  timelines: { run: string; timeline: Timeline }[];
  hidden_timelines: number;
}

/** What does not change of a device that is stepped. */
export interface SteppedAbout {
  machine: string;
  scheduler: string;
  multiprocessors: number;
  partitions: number;
  /** The program's text, if it is one for people. */
  text: string | null;
  path: string;
  /** The files of the high-level source, where they are at hand. */
  files: ({ name: string; text: string } | null)[];
  /** The code of every launch; `source` is a file and a line of it. */
  codes: { kernel: string; instructions: { address: number; text: string; line: number; source: [number, number] | null }[] }[];
}

/** Where to step. */
export type To =
  | { forward: number }
  | { back: number }
  | { cycle: number }
  | { change: number | null }
  | { line: number }
  | { source: { file: number; line: number } }
  | { instruction: number }
  | "end";

/** What is to be seen of a device. */
export interface Look {
  sm: number;
  slot: number | null;
  lane: number;
  partition: number | null;
  first_set: number;
  sets: number;
}

export interface Seen {
  stop: "reached" | "ended" | "failed" | "interrupted";
  cycle: number;
  views: View[];
}

/** What a stepped device has counted up to a cycle. */
export interface SoFar {
  cycle: number;
  document: PageDocument;
}

/** Lanes of a warp: a mask for each row of 32. */
export type LaneRows = [number, number];

/** A device at one cycle: crates/run/src/stepper/view.rs. */
export interface View {
  cycle: number;
  launch: { number: number; kernel: string; cycle: number } | null;
  ended: boolean;
  fault: string | null;
  sm: SmView | null;
  lane: { thread: number[]; registers: number[]; predicates: boolean[]; uniforms: number[] } | null;
  partition: PartitionView | null;
}

export interface SmView {
  sm: number;
  schedulers: { selected: number[]; eligible: number; active: number }[];
  slots: { slot: number; scheduler: number; warp: WarpView | null }[];
  lsu: {
    queue_entries: number;
    queues: { slot: number; issued: number; kind: string; lines: number }[][];
    blocked_since: number | null;
    loads: { slot: number; issued: number; parts: number }[];
    mshr_entries: number;
    mshrs: { line: number; requested: number; waiting: number[] }[];
    l1: CacheView;
  };
}

export interface WarpView {
  block: number;
  coordinates: [number, number, number];
  warp: number;
  state: string;
  letter: string;
  colour: string;
  pc: number;
  lanes: LaneRows;
  waited: number;
  counters: { count: number; long: boolean; waited_for: boolean }[];
  unsent: number;
  unacknowledged: number;
  live: LaneRows;
  paths: { pc: number; lanes: LaneRows; current: boolean; status: string }[];
}

export interface CacheView {
  sets: number;
  ways: number;
  lines: number;
  occupied: {
    set: number;
    lines: { way: number; line: number; valid: number; dirty: number; partial: number; pinned: boolean }[];
  }[];
}

export interface PartitionView {
  slices: {
    queue: { sm: number; line: number; sectors: number }[];
    blocked: boolean;
    mshrs: { line: number; pending: number; waiting: number }[];
    cache: CacheView;
  }[];
  channels: {
    open_rows: (number | null)[];
    writing: boolean;
    reads: DramAccess[];
    writes: DramAccess[];
    next_command: number | null;
  }[];
  sectors_coming: number;
}

export interface DramAccess {
  bank: number;
  row: number;
  line: number;
  sectors: number;
  at: number;
}

/** Requests by name: what is asked, and what is answered. */
export interface Requests {
  files: [{ files: Record<string, string> }, number];
  catalogue: [Record<string, never>, Catalogue];
  texts: [{ setup: SetUp }, Text[]];
  check: [{ path: string; text: string; gpu?: string }, Fault[]];
  run: [{ setup: SetUp }, RunAnswer];
  begin: [{ setup: SetUp }, SteppedAbout[]];
  go: [{ to: To; of: number; look: Look }, Seen];
  look: [{ look: Look }, Seen];
  so_far: [{ of: number }, SoFar];
  lab: [{ name: string }, Lab];
  check_lab: [
    {
      name: string;
      predictions: Record<string, string | number | null>;
      changes: Record<string, string | number | null>;
      copies: Record<string, string>;
      reveal: boolean;
    },
    LabAnswer,
  ];
}

/** How far a run is. */
export interface Progress {
  cycle: number;
  given: number;
  blocks: number;
}

export type ToWorker = { id: number; request: string };
export type FromWorker =
  | { kind: "ready" }
  | { kind: "broken"; message: string }
  | { kind: "progress"; progress: Progress }
  | { kind: "answer"; id: number; answer: string; milliseconds: number };
