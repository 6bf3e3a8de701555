// The schedulers of an SM and their warp slots: what each did in this cycle and in those before.

import type { StateInfo } from "../document";
import { address } from "../format";
import { type Theme, inkOn, stateColour } from "../theme";
import type { SteppedAbout, View } from "./protocol";
import type { Past } from "./steps";

export function Slots(props: {
  view: View;
  code?: SteppedAbout["codes"][0];
  past: Past;
  /** Cycles that are shown, the present one included. */
  length: number;
  chosen: number | null;
  choose: (slot: number) => void;
  states: StateInfo[];
  theme: Theme;
}) {
  const { view, code, past, length, chosen, choose, states, theme } = props;
  const sm = view.sm;
  if (!sm || sm.slots.every(({ warp }) => !warp)) {
    return <p class="faint">No warp is resident on this multiprocessor{view.ended ? ": everything has ended" : " yet"}.</p>;
  }
  const from = Math.max(view.cycle - length + 1, 0);
  const cycles = Array.from({ length: view.cycle - from + 1 }, (_, index) => from + index);
  return (
    <>
      {sm.schedulers.map((scheduler, number) => {
        const slots = sm.slots.filter((slot) => slot.scheduler === number);
        if (slots.every(({ warp }) => !warp)) return null;
        return (
          <div class="scheduler">
            <p>
              <b>Scheduler {number}</b> <span class={scheduler.selected.length > 0 ? "good" : "bad"}>
                {scheduler.selected.length > 0 ? `issues of warp ${scheduler.selected.join(", ")}` : "unused issue slot"}
              </span>
              <span class="faint"> · {scheduler.active} active, {scheduler.eligible} eligible</span>
            </p>
            <div class="pane" tabIndex={0} role="region" aria-label={`Warp slots of scheduler ${number}`}>
              <table class="code slots">
                <caption class="hidden">Warp slots of scheduler {number} in cycle {view.cycle}</caption>
                <thead>
                  <tr>
                    <th scope="col">slot</th>
                    <th scope="col">last cycles</th>
                    <th scope="col">state</th>
                    <th scope="col" class="number">for</th>
                    <th scope="col">instruction</th>
                  </tr>
                </thead>
                <tbody>
                  {slots.map(({ slot, warp }) => {
                    if (!warp) return null;
                    const state = states.find(({ name }) => name === warp.state);
                    const colour = stateColour(warp.colour, theme);
                    return (
                      <tr class={slot === chosen ? "chosen" : ""} onClick={() => choose(slot)} data-slot={slot} data-state={warp.state}>
                        <th scope="row">
                          <button type="button" class="link" aria-pressed={slot === chosen} aria-label={`Warp slot ${slot}`}>
                            {slot}
                          </button>
                        </th>
                        <td class="past" aria-hidden="true">
                          {cycles.map((cycle) => {
                            const then = past.get(cycle)?.get(slot);
                            return (
                              <span style={then && { background: stateColour(then.colour, theme), color: inkOn(stateColour(then.colour, theme)) }}>
                                {then?.letter ?? ""}
                              </span>
                            );
                          })}
                        </td>
                        <td>
                          <span class="swatch" style={{ background: colour, color: inkOn(colour) }}>
                            {warp.letter}
                          </span>{" "}
                          <span title={state?.description}>{state?.label.toLowerCase() ?? warp.state}</span>
                        </td>
                        <td class="number">{warp.waited > 0 && warp.waited}</td>
                        <td class="text">
                          <code>
                            {address(16 * warp.pc)} {code?.instructions[warp.pc]?.text}
                          </code>
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            </div>
          </div>
        );
      })}
    </>
  );
}
