// Long stretches in which no warp changes its state are drawn short: cycles map to a scale without them.

/** A stretch is folded from so many cycles on. */
const LONG = 48;
/** What a folded stretch is drawn as. */
const SHORT = 12;

export class Folds {
  /** Starts of pieces in cycles and on the folded scale; between two starts the scale is linear. */
  private readonly cycles: number[] = [];
  private readonly places: number[] = [];
  readonly folded: { from: number; to: number }[] = [];

  constructor(
    readonly from: number,
    readonly to: number,
    starts: Float64Array[],
  ) {
    const sorted = changes(from, to, starts);
    let place = 0;
    const add = (cycle: number) => {
      this.cycles.push(cycle);
      this.places.push(place);
    };
    for (let i = 0; i + 1 < sorted.length; i += 1) {
      const [first, last] = [sorted[i], sorted[i + 1]];
      const long = last - first >= LONG;
      if (i === 0 || long) add(first);
      place += long ? SHORT : last - first;
      if (long) {
        add(last);
        this.folded.push({ from: first, to: last });
      }
    }
    add(to);
  }

  /** Whether folding makes the picture much shorter. */
  get pays(): boolean {
    return this.length < 0.85 * (this.to - this.from);
  }

  /** The length of the folded scale. */
  get length(): number {
    return this.places.at(-1) ?? 0;
  }

  /** The place of a cycle on the folded scale. */
  place(cycle: number): number {
    return between(this.cycles, this.places, cycle);
  }

  /** The cycle of a place on the folded scale. */
  cycle(place: number): number {
    return between(this.places, this.cycles, place);
  }
}

/** The cycles in which some warp changes its state, and both ends. */
function changes(from: number, to: number, starts: Float64Array[]): number[] {
  const changed = new Uint8Array(to - from + 1);
  changed[0] = 1;
  changed[to - from] = 1;
  for (const row of starts) for (let i = 0; i < row.length; i += 1) changed[row[i] - from] = 1;
  const cycles: number[] = [];
  for (let i = 0; i < changed.length; i += 1) if (changed[i]) cycles.push(from + i);
  return cycles;
}

function between(from: number[], to: number[], value: number): number {
  let low = 0;
  let high = from.length - 1;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if (from[middle] <= value) low = middle;
    else high = middle;
  }
  const length = from[low + 1] - from[low];
  const share = length > 0 ? (value - from[low]) / length : 0;
  return to[low] + share * (to[low + 1] - to[low]);
}
