// Everything that the page shows, as plain data: `warplab run --html` writes it, the views draw it. The Rust side is
// crates/web/src/document.rs; keys change their meaning only together with VERSION.

export const VERSION = 1;

export interface PageDocument {
  format: "warplab-page";
  version: number;
  simulator: string;
  /** The states of a warp; other parts name them by their place here. */
  states: StateInfo[];
  launches: Launch[];
  /** The first two launches beside each other: what `warplab compare --html` adds. */
  comparison?: { names: [string, string]; found: Comparison };
}

export interface Comparison {
  /** The time after / the time before. */
  time: number | null;
  times: [string, string];
  /** Why: their product is `time`. */
  factors: { what: string; metric: string | null; before: string; after: string; times: number }[];
  /** Cycles for an issued instruction. */
  states: { state: string; label: string; before: number; after: number }[];
  differences: { metric: string; label: string; before: string; after: string; ratio: number | null }[];
}

export interface StateInfo {
  name: string;
  label: string;
  letter: string;
  colour: string;
  /** The id of the metric that counts it. */
  metric: string;
  description: string;
  /** Its place among the states of a report. */
  row: number;
}

export interface Launch {
  device: Device;
  launch: LaunchInfo;
  sections: Section[];
  /** The proposals, the most promising first, as places of verdicts. */
  changes: { section: number; verdict: number }[];
  /** Warp-cycles in each state. */
  states: number[];
  memory: MemoryChart;
  rooflines: Roofline[];
  occupancy: Occupancy;
  queues: Queue[];
  code?: Code;
  timeline?: Timeline;
}

export interface Device {
  name: string;
  architecture: string;
  multiprocessors: number;
  schedulers: number;
  warp_slots: number;
  warp_lanes: number;
  sm_mhz: number;
}

export interface LaunchInfo {
  kernel: string;
  code?: string;
  grid: [number, number, number];
  block: [number, number, number];
  registers: number;
  static_shared_bytes: number;
  dynamic_shared_bytes: number;
  local_bytes: number;
  partial: boolean;
  sample?: { simulated_blocks: number; blocks: number; simulated_cycles: number; cycles: number; error: number };
}

export interface Section {
  name: string;
  title: string;
  description: string;
  metrics: Metric[];
  verdicts: Verdict[];
}

export interface Metric {
  id: string;
  label: string;
  /** The unit of `value`. */
  unit: string;
  value: number | string | null;
  /** As the text report prints it. */
  shown_unit: string;
  shown: string;
  formula: string;
  description: string;
  in_report: boolean;
}

export interface Verdict {
  kind: "INF" | "OPT";
  rule: string;
  text: string;
  metrics: string[];
}

export interface MemoryChart {
  units: MemoryUnit[];
  flows: Flow[];
}

export interface MemoryUnit {
  name: string;
  label: string;
  busy: number | null;
  busy_metric: string | null;
  hit_rate_metric: string | null;
  parts: number;
}

export interface Flow {
  from: string;
  to: string;
  what: string;
  requests: number | null;
  /** Sectors; passes for shared memory. */
  sectors: number | null;
  bytes: number | null;
  /** The share of the bandwidth of the way, in per cent. */
  bandwidth: number | null;
}

export interface Roofline {
  unit: string;
  counted: string;
  operations: number;
  achieved: number;
  ceilings: { label: string; operations_per_second: number }[];
  memories: { label: string; bytes_per_second: number; bytes: number; intensity: number }[];
}

export interface Occupancy {
  warps: number;
  blocks: number;
  warp_slots: number;
  limiters: string[];
  steps: [what: string, how: string, result: number][];
  curves: { what: string; here: number; points: [value: number, warps: number][] }[];
}

/** Its numbers are the metrics `warplab__queue_ID_...`. */
export interface Queue {
  id: string;
  label: string;
  /** How many latencies were at least `from` and less than `to` cycles. */
  classes: { from: number; to: number; count: number }[];
}

export interface Code {
  /** The multiprocessor on which was counted. */
  sm: number | null;
  texts: { name: string; kind: "own" | "source"; first_line: number; lines: string[] }[];
  instructions: Instruction[];
}

export interface Instruction {
  address: number;
  text: string;
  pipe: string;
  /** Texts and lines that it comes from. */
  places: [text: number, line: number][];
  note: string;
  stall: number;
  write_barrier: number | null;
  read_barrier: number | null;
  wait_mask: number;
  executed: number;
  threads: number;
  waited: number;
  /** Warp-cycles in the states before it. */
  states: [state: number, cycles: number][];
  memory: { sectors: number; excessive_sectors: number; passes: number; excessive_passes: number } | null;
}

export interface Timeline {
  sm: number;
  schedulers: number;
  from: number;
  to: number;
  recorded_from: number;
  recorded_to: number;
  cut: boolean;
  warps: { slot: number; block: number; warp: number; from: number }[];
  rows: TimelineRow[];
}

/** One warp slot; it belongs to the scheduler of its number modulo the schedulers. */
export interface TimelineRow {
  slot: number;
  /** From the start of the window: length in cycles, state (-1: no warp), program counter less the one before. */
  intervals: number[];
  /** Lanes of the instructions that issued: how many in a row, and their lanes. */
  lanes: number[];
}

/** The document, or why it cannot be shown. */
export function readDocument(text: string): PageDocument | string {
  let data: PageDocument;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return `The data of this page cannot be read: ${error}`;
  }
  if (data.format !== "warplab-page") return "The data is not that of a page of warplab.";
  if (data.version !== VERSION) return `The data has version ${data.version}; these views show version ${VERSION}.`;
  return data;
}

/** The metrics of a launch by id. */
export function metricsOf(launch: Launch): Map<string, Metric> {
  return new Map(launch.sections.flatMap((section) => section.metrics.map((metric) => [metric.id, metric])));
}
