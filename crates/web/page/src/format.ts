// Numbers as the text report prints them.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const real = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** A count with thousands separators. */
export function integerText(count: number): string {
  return whole.format(count);
}

/** Two digits after the point; exactly nothing is `0`. */
export function realText(value: number): string {
  if (value === 0) return "0";
  return Number.isFinite(value) ? real.format(value) : "n/a";
}

export function percentText(value: number): string {
  return `${realText(value)} %`;
}

const PREFIXES = ["", "K", "M", "G", "T", "P"];

/** A large number with a prefix: 1.23 M. */
export function shortText(value: number): string {
  let step = 0;
  while (Math.abs(value) >= 1000 && step + 1 < PREFIXES.length) {
    value /= 1000;
    step += 1;
  }
  if (step === 0) return Number.isInteger(value) ? integerText(value) : realText(value);
  return `${realText(value)} ${PREFIXES[step]}`;
}

/** Bytes in the largest unit in which they are at least one. */
export function bytesText(bytes: number): string {
  const text = shortText(bytes);
  return /[A-Z]$/.test(text) ? `${text.slice(0, -1)}${text.at(-1)}byte` : `${text} byte`;
}

export function address(value: number): string {
  return value.toString(16).padStart(4, "0");
}

export function dimensions(sizes: number[]): string {
  return `(${sizes.join(", ")})`;
}
