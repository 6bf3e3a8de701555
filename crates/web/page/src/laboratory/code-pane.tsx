// The machine code with the warps that stand at each instruction, and the text that it comes from.

import { useEffect, useRef, useState } from "preact/hooks";
import { address } from "../format";
import type { SteppedAbout, To, View } from "./protocol";

export function CodePane(props: { about: SteppedAbout; view: View; slot: number | null; go: (to: To) => void }) {
  const { about, view, slot, go } = props;
  const [shown, show] = useState<"machine" | "text">("machine");
  const place = useRef<HTMLDivElement>(null);
  const code = about.codes[view.launch?.number ?? 0];
  const warps = (view.sm?.slots ?? []).flatMap(({ slot, warp }) => (warp ? [{ slot, warp }] : []));
  const chosen = warps.find((it) => it.slot === slot)?.warp;
  const key = chosen && (shown === "machine" ? chosen.pc : code.instructions[chosen.pc]?.line);
  useEffect(() => {
    const pane = place.current;
    const row = pane?.querySelector<HTMLElement>("tr.chosen");
    if (!pane || !row) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < pane.scrollTop + 40 || bottom > pane.scrollTop + pane.clientHeight) pane.scrollTop = top - pane.clientHeight / 2;
  }, [key, shown]);
  const at = new Map<number, number[]>();
  for (const { slot, warp } of warps) {
    const where = shown === "machine" ? warp.pc : (code.instructions[warp.pc]?.line ?? 0);
    at.set(where, [...(at.get(where) ?? []), slot]);
  }
  const rows =
    shown === "machine"
      ? code.instructions.map(({ address: place, text }, pc) => ({ key: pc, name: address(place), text, to: { instruction: pc } }))
      : (about.text ?? "").split("\n").map((text, index) => ({ key: index + 1, name: String(index + 1), text, to: { line: index + 1 } }));
  const lines = new Set(code.instructions.map(({ line }) => line));
  return (
    <div>
      <div class="tools" role="group" aria-label="Code">
        <button type="button" aria-pressed={shown === "machine"} onClick={() => show("machine")}>
          Machine code
        </button>
        {about.text !== null && (
          <button type="button" aria-pressed={shown === "text"} onClick={() => show("text")}>
            {about.path.split("/").at(-1)}
          </button>
        )}
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
