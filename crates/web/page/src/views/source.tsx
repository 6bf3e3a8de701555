// Machine code, PTX and CUDA lines, linked, with what each cost.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Code, Instruction, StateInfo } from "../document";
import { address, integerText, realText } from "../format";
import { Figure } from "../parts/figure";
import { type Theme, stateColour } from "../theme";

/** Instructions that are shown at first, when a kernel has more. */
const MANY = 1_500;

interface Sum {
  executed: number;
  threads: number;
  waited: number;
  excessiveSectors: number;
  sectors: number;
  excessivePasses: number;
  passes: number;
  states: Map<number, number>;
}

export function SourceView({ code, states, theme }: { code?: Code; states: StateInfo[]; theme: Theme }) {
  if (!code) {
    return (
      <Figure id="source" title="Source">
        <p class="says">The code of this kernel is not at hand.</p>
      </Figure>
    );
  }
  return <Linked code={code} states={states} theme={theme} />;
}

function Linked({ code, states, theme }: { code: Code; states: StateInfo[]; theme: Theme }) {
  // The text nearest to what a person wrote comes first.
  const order = code.texts.map((_, index) => index).sort((a, b) => Number(code.texts[a].kind === "own") - Number(code.texts[b].kind === "own"));
  const [text, chooseText] = useState(order[0] ?? -1);
  const [chosen, choose] = useState<Set<number>>(new Set());
  const [all, showAll] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => byLine(code, text), [code, text]);
  const waited = code.instructions.reduce((sum, instruction) => sum + instruction.waited, 0);
  const most = Math.max(...code.instructions.map((instruction) => instruction.waited), 1);
  const counted = code.sm !== null;
  const memory = code.instructions.some((instruction) => instruction.memory);
  const instructions = code.instructions.map((instruction, pc) => ({ instruction, pc }));
  const hot = code.instructions.length > MANY && !all;
  const rows = hot ? instructions.filter(({ instruction }) => instruction.executed > 0).slice(0, MANY) : instructions;
  const pick = (pcs: number[], kind: "line" | "pc") => {
    choose(new Set(pcs));
    const other = kind === "line" ? `[data-pc="${pcs[0]}"]` : `[data-pcs~="${pcs[0]}"]`;
    bringIntoSight(place.current?.querySelector(other));
  };
  // While a launch is stepped the counts change, and the panes stay where a person has scrolled them.
  useEffect(() => hottestInSight(place.current), [code.instructions.length, text]);
  const reasons = (sum: { states: Iterable<[number, number]>; waited: number }) =>
    topReasons(sum.states, sum.waited, states);
  const bar = (of: Iterable<[number, number]>, own: number) => (
    <Reasons of={of} waited={own} most={most} states={states} theme={theme} />
  );
  return (
    <Figure
      id="source"
      title="Where the time went, line by line"
      says={
        counted
          ? `Counted on SM ${code.sm} while it was recorded. Choose a line or an instruction to see what belongs to it. Sectors and passes “beyond ideal” are what scattered addresses and bank conflicts cost.`
          : "Nothing was counted for single instructions in this run."
      }
    >
      <div class="source" ref={place}>
        {code.texts.length > 0 && (
          <div>
            <div class="tools" role="group" aria-label="Texts">
              {order.map((index) => (
                <button type="button" aria-pressed={index === text} onClick={() => chooseText(index)}>
                  {code.texts[index].name.split("/").at(-1)}
                </button>
              ))}
            </div>
            <div class="pane" tabIndex={0} role="region" aria-label={`Text: ${code.texts[text].name}`}>
              <table class="code lines" data-table="lines">
                <caption class="hidden">{code.texts[text].name}</caption>
                <thead>
                  <tr>
                    <th scope="col" class="number">line</th>
                    <th scope="col">text</th>
                    <th scope="col" class="number">executed</th>
                    <th scope="col" class="number">lanes</th>
                    <th scope="col" class="number">waited</th>
                    <th scope="col">for</th>
                  </tr>
                </thead>
                <tbody>
                  {code.texts[text].lines.map((line, index) => {
                    const number = code.texts[text].first_line + index;
                    const pcs = lines.get(number) ?? [];
                    const sum = add(pcs.map((pc) => code.instructions[pc]));
                    return (
                      <tr
                        class={pcs.some((pc) => chosen.has(pc)) ? "chosen" : ""}
                        data-pcs={pcs.join(" ")}
                        data-waited={sum.waited}
                        onClick={() => pcs.length > 0 && pick(pcs, "line")}
                      >
                        <td class="number">
                          {pcs.length > 0 ? (
                            <button type="button" class="link" aria-label={`Line ${number}: show its instructions`}>
                              {number}
                            </button>
                          ) : (
                            <span class="faint">{number}</span>
                          )}
                        </td>
                        <td class="text">
                          <code>{line}</code>
                          {sum.excessiveSectors + sum.excessivePasses > 0 && <Beyond sum={sum} />}
                        </td>
                        <td class="number">{sum.executed > 0 && integerText(sum.executed)}</td>
                        <td class="number">{sum.executed > 0 && realText(sum.threads / sum.executed)}</td>
                        <td class="number">{sum.waited > 0 && integerText(sum.waited)}</td>
                        <td class="for">{sum.waited > 0 && bar(sum.states, sum.waited)}</td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          </div>
        )}
        <div>
          <div class="tools">
            <span class="faint">{integerText(code.instructions.length)} machine instructions</span>
            {code.instructions.length > MANY && (
              <label>
                <input type="checkbox" checked={all} onChange={() => showAll(!all)} /> all of them
              </label>
            )}
          </div>
          <div class="pane" tabIndex={0} role="region" aria-label="Machine code">
            <table class="code" data-table="instructions">
              <caption class="hidden">Machine code</caption>
              <thead>
                <tr>
                  <th scope="col">address</th>
                  <th scope="col">instruction</th>
                  {counted && (
                    <>
                      <th scope="col" class="number">executed</th>
                      <th scope="col" class="number">threads</th>
                      <th scope="col" class="number">lanes</th>
                      <th scope="col" class="number">waited</th>
                      <th scope="col" class="number">%</th>
                      <th scope="col">for</th>
                    </>
                  )}
                  {memory && (
                    <>
                      <th scope="col" class="number">sectors</th>
                      <th scope="col" class="number">beyond ideal</th>
                      <th scope="col" class="number">passes</th>
                      <th scope="col" class="number">beyond ideal</th>
                    </>
                  )}
                </tr>
              </thead>
              <tbody>
                {rows.map(({ instruction, pc }) => (
                  <tr class={chosen.has(pc) ? "chosen" : ""} data-pc={pc} data-waited={instruction.waited} onClick={() => pick([pc], "pc")}>
                    <td>
                      <button type="button" class="link" aria-label={`${address(instruction.address)}: show its line`}>
                        {address(instruction.address)}
                      </button>
                    </td>
                    <td class="text" title={instruction.note}>
                      <code>{instruction.text}</code>
                    </td>
                    {counted && (
                      <>
                        <td class="number">{integerText(instruction.executed)}</td>
                        <td class="number">{integerText(instruction.threads)}</td>
                        <td class="number">
                          {instruction.executed > 0 && realText(instruction.threads / instruction.executed)}
                        </td>
                        <td class="number">{integerText(instruction.waited)}</td>
                        <td class="number">{realText((100 * instruction.waited) / Math.max(waited, 1))}</td>
                        <td class="for">
                          {instruction.waited > 0 && bar(instruction.states, instruction.waited)}
                          {reasons(instruction)}
                        </td>
                      </>
                    )}
                    {memory && <MemoryCells instruction={instruction} />}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </div>
      </div>
    </Figure>
  );
}

/** Scrolls the pane of a row, and nothing else. */
function bringIntoSight(row?: Element | null): void {
  const pane = row?.closest(".pane");
  if (!row || !pane) return;
  const top = row.getBoundingClientRect().top - pane.getBoundingClientRect().top;
  pane.scrollTo({ top: pane.scrollTop + top - pane.clientHeight / 3 });
}

/** Each pane shows its costliest row first. */
function hottestInSight(place: Element | null): void {
  for (const pane of place?.querySelectorAll(".pane") ?? []) {
    const rows = [...pane.querySelectorAll<HTMLElement>("[data-waited]")];
    const waited = (row: HTMLElement) => Number(row.dataset.waited);
    const hottest = rows.reduce<HTMLElement | undefined>(
      (best, row) => (waited(row) > (best ? waited(best) : 0) ? row : best),
      undefined,
    );
    bringIntoSight(hottest);
  }
}

function MemoryCells({ instruction: { memory } }: { instruction: Instruction }) {
  const cell = (count?: number, bad = false) => (
    <td class={`number ${bad && count ? "bad" : ""}`}>{count ? integerText(count) : ""}</td>
  );
  return (
    <>
      {cell(memory?.sectors)}
      {cell(memory?.excessive_sectors, true)}
      {cell(memory?.passes)}
      {cell(memory?.excessive_passes, true)}
    </>
  );
}

function Beyond({ sum }: { sum: Sum }) {
  const parts = [
    sum.excessiveSectors > 0 && `${integerText(sum.excessiveSectors)} of ${integerText(sum.sectors)} sectors`,
    sum.excessivePasses > 0 && `${integerText(sum.excessivePasses)} of ${integerText(sum.passes)} passes`,
  ].filter(Boolean);
  return <span class="beyond">{parts.join(", ")} beyond ideal</span>;
}

/** What warps waited for, as a bar: its length is the share of the worst. */
function Reasons(props: {
  of: Iterable<[number, number]>;
  waited: number;
  most: number;
  states: StateInfo[];
  theme: Theme;
}) {
  const parts = [...props.of].filter(([state]) => props.states[state].name !== "selected").sort((a, b) => b[1] - a[1]);
  return (
    <span class="reasons" aria-hidden="true" style={{ "--share": (Math.min(props.waited / props.most, 1)).toFixed(4) }}>
      {parts.map(([state, cycles]) => (
        <span
          style={{ flexGrow: cycles, background: stateColour(props.states[state].colour, props.theme) }}
          title={`${props.states[state].label}: ${integerText(cycles)} cycles`}
        />
      ))}
    </span>
  );
}

/** The two states that took most, as the text report says them. */
function topReasons(of: Iterable<[number, number]>, waited: number, states: StateInfo[]): string {
  const parts = [...of].filter(([state]) => states[state].name !== "selected").sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return parts
    .slice(0, 2)
    .map(([state, cycles]) => `${states[state].name} ${roundEven((100 * cycles) / waited)} %`)
    .join(", ");
}

/** Ties go to the even number, as the text report rounds them. */
function roundEven(value: number): number {
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/** The instructions of every line of a text. */
function byLine(code: Code, text: number): Map<number, number[]> {
  const lines = new Map<number, number[]>();
  code.instructions.forEach((instruction, pc) => {
    for (const [of, line] of instruction.places) {
      if (of === text) lines.set(line, [...(lines.get(line) ?? []), pc]);
    }
  });
  return lines;
}

function add(instructions: Instruction[]): Sum {
  const sum: Sum = {
    executed: 0,
    threads: 0,
    waited: 0,
    sectors: 0,
    excessiveSectors: 0,
    passes: 0,
    excessivePasses: 0,
    states: new Map(),
  };
  for (const { executed, threads, waited, states, memory } of instructions) {
    sum.executed += executed;
    sum.threads += threads;
    sum.waited += waited;
    sum.sectors += memory?.sectors ?? 0;
    sum.excessiveSectors += memory?.excessive_sectors ?? 0;
    sum.passes += memory?.passes ?? 0;
    sum.excessivePasses += memory?.excessive_passes ?? 0;
    for (const [state, cycles] of states) sum.states.set(state, (sum.states.get(state) ?? 0) + cycles);
  }
  return sum;
}
