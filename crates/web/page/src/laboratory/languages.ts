// Colours for PTX, machine code and RON: enough to see words, numbers and comments apart.

import { StreamLanguage } from "@codemirror/language";

const token = (patterns: [RegExp, string | null][]) => ({
  token(stream: { match: (pattern: RegExp) => unknown; next: () => unknown }) {
    for (const [pattern, kind] of patterns) if (stream.match(pattern)) return kind;
    stream.next();
    return null;
  },
});

const COMMON: [RegExp, string | null][] = [
  [/^\/\/.*/, "comment"],
  [/^\/\*.*?(\*\/|$)/, "comment"],
  [/^"(?:[^"\\]|\\.)*"?/, "string"],
];

const PROGRAM = StreamLanguage.define({
  name: "ptx",
  ...token([
    ...COMMON,
    [/^@!?%?\w+/, "meta"],
    [/^%[\w.]+/, "variableName"],
    [/^\.[A-Za-z_]\w*/, "keyword"],
    [/^[A-Z][A-Z0-9]*(?:\.[A-Z0-9]+)*\b/, "typeName"],
    [/^[a-z][a-z0-9]*(?:\.[a-z0-9]+)+/, "typeName"],
    [/^0[xXfFdD][0-9a-fA-F]+|^\d+(?:\.\d+)?/, "number"],
    [/^[A-Za-z_$][\w$]*/, null],
  ]),
});

const RON = StreamLanguage.define({
  name: "ron",
  ...token([
    ...COMMON,
    [/^[a-z_]\w*(?=\s*:)/, "propertyName"],
    [/^-?\d[\w.]*/, "number"],
    [/^(?:true|false|None|Some)\b/, "keyword"],
    [/^[A-Za-z_]\w*/, "typeName"],
  ]),
});

export function languageOf(path: string): typeof RON {
  return path.endsWith(".ron") ? RON : PROGRAM;
}
