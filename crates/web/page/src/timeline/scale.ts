// The part of the window that is seen, on the folded scale or on that of cycles.

import type { Folds } from "./folds";

export interface View {
  /** Places on the scale. */
  from: number;
  to: number;
}

export class Scale {
  constructor(
    private readonly folds: Folds,
    readonly folding: boolean,
  ) {}

  get length(): number {
    return this.folding ? this.folds.length : this.folds.to - this.folds.from;
  }

  place(cycle: number): number {
    return this.folding ? this.folds.place(cycle) : cycle - this.folds.from;
  }

  cycle(place: number): number {
    return this.folding ? this.folds.cycle(place) : place + this.folds.from;
  }

  whole(): View {
    return { from: 0, to: Math.max(this.length, 1) };
  }

  /** The view kept inside the window. */
  clamp(view: View): View {
    const length = Math.min(Math.max(view.to - view.from, Math.min(8, this.length)), Math.max(this.length, 1));
    const from = Math.min(Math.max(view.from, 0), Math.max(this.length, 1) - length);
    return { from, to: from + length };
  }

  /** Zoomed by a factor around a place. */
  zoom(view: View, factor: number, around: number): View {
    const length = (view.to - view.from) * factor;
    const share = (around - view.from) / (view.to - view.from);
    const limited = Math.min(Math.max(length, Math.min(8, this.length)), this.length);
    return this.clamp({ from: around - share * limited, to: around + (1 - share) * limited });
  }

  pan(view: View, by: number): View {
    return this.clamp({ from: view.from + by, to: view.to + by });
  }

  /** The view moved, no more than needed, so that some cycles are seen. */
  showing(view: View, from: number, to: number): View {
    const [first, last] = [this.place(from), this.place(to)];
    const length = view.to - view.from;
    if (first >= view.from && last <= view.to) return view;
    if (last - first >= length) return this.clamp({ from: first, to: first + length });
    const middle = (first + last) / 2;
    return this.clamp({ from: middle - length / 2, to: middle + length / 2 });
  }
}

/** Round cycles for the marks of an axis. */
export function ticks(from: number, to: number, most: number): number[] {
  const raw = Math.max((to - from) / most, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= raw) ?? raw;
  const marks: number[] = [];
  for (let mark = Math.ceil(from / step) * step; mark <= to; mark += step) marks.push(mark);
  return marks;
}
