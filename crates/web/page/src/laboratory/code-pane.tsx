// The machine code with the warps that stand at each instruction, and the texts that it comes from.

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../format";
import type { SteppedAbout, To, View } from "./protocol";

/** Which of the texts is shown: machine code, the program's own text, or a file of the high-level source. */
type Shown = "machine" | "own" | number;

type Instruction = SteppedAbout["codes"][0]["instructions"][0];

interface Row {
  /** What stands there. */
  key: number;
  name: string;
  text: string;
  to: To;
}

export function CodePane(props: { about: SteppedAbout; view: View; slot: number | null; go: (to: To) => void }) {
  const { about, view, slot, go } = props;
  const [shown, show] = useState<Shown>("machine");
  const place = useRef<HTMLDivElement>(null);
  const code = about.codes[view.launch?.number ?? 0];
  const warps = (view.sm?.slots ?? []).flatMap(({ slot, warp }) => (warp ? [{ slot, warp }] : []));
  const chosen = warps.find((it) => it.slot === slot)?.warp;
  const rowOf = (pc: number) => (shown === "machine" ? pc : lineOf(code.instructions[pc], shown));
  const key = chosen && rowOf(chosen.pc);
  useEffect(() => {
    const pane = place.current;
    const row = pane?.querySelector<HTMLElement>("tr.chosen");
    if (!pane || !row) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < pane.scrollTop + 40 || bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - pane.clientHeight / 2;
  }, [key, shown]);
  const at = new Map<number, number[]>();
  for (const { slot, warp } of warps) {
    const where = rowOf(warp.pc);
    if (where !== undefined) at.set(where, [...(at.get(where) ?? []), slot]);
  }
  const rows = rowsOf(about, code.instructions, shown);
  const lines = new Set(shown === "machine" ? [] : code.instructions.map((instruction) => lineOf(instruction, shown)));
  return (
    <div>
      <div class="tools" role="group" aria-label="Code">
        <Choice of="machine" name="Machine code" shown={shown} show={show} />
        {about.text !== null && <Choice of="own" name={about.path} shown={shown} show={show} />}
        {about.files.map((file, number) => file && <Choice of={number} name={file.name} shown={shown} show={show} />)}
        <span class="faint">Choose a line to run until it issues.</span>
      </div>
      <div class="pane" ref={place} tabIndex={0} role="region" aria-label="Code with the warps that are there">
        <table class="code">
          <caption class="hidden">Code with the warps that are there</caption>
          <thead>
            <tr>
              <th scope="col">{shown === "machine" ? "address" : "line"}</th>
              <th scope="col">text</th>
              <th scope="col">warps</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key: row, name, text, to }) => {
              const can = shown === "machine" || lines.has(row);
              return (
                <tr class={row === key ? "chosen" : ""} onClick={can ? () => go(to) : undefined}>
                  <td class="number">
                    {can ? (
                      <button type="button" class="link" aria-label={`Run until ${name} issues`}>
                        {name}
                      </button>
                    ) : (
                      <span class="faint">{name}</span>
                    )}
                  </td>
                  <td class="text">
                    <code>{text}</code>
                  </td>
                  <td class="warps">{at.get(row)?.join(" ")}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function Choice(props: { of: Shown; name: string; shown: Shown; show: (shown: Shown) => void }) {
  return (
    <button type="button" aria-pressed={props.shown === props.of} onClick={() => props.show(props.of)}>
      {props.name.split("/").at(-1)}
    </button>
  );
}

/** The line of a text that an instruction comes from. */
function lineOf(instruction: Instruction | undefined, shown: "own" | number): number | undefined {
  if (shown === "own") return instruction?.line;
  return instruction?.source?.[0] === shown ? instruction.source[1] : undefined;
}

function rowsOf(about: SteppedAbout, instructions: Instruction[], shown: Shown): Row[] {
  if (shown === "machine") {
    return instructions.map((it, pc) => ({ key: pc, name: address(it.address), text: it.text, to: { instruction: pc } }));
  }
  const text = (shown === "own" ? about.text : about.files[shown]?.text) ?? "";
  const to = (line: number): To => (shown === "own" ? { line } : { source: { file: shown, line } });
  return text.split("\n").map((text, index) => ({ key: index + 1, name: String(index + 1), text, to: to(index + 1) }));
}
