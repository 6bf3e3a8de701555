// One warp: its wait counters, how its lanes have diverged, and the registers of a lane.

import { useRef, useState } from "preact/hooks";
import { address } from "../format";
import type { LaneRows, SteppedAbout, View } from "./protocol";

type Form = "hexadecimal" | "integer" | "float";

export function WarpPane(props: {
  view: View;
  slot: number | null;
  lane: number;
  choose: (lane: number) => void;
  code?: SteppedAbout["codes"][0];
}) {
  const { view, slot, lane, choose, code } = props;
  const [form, setForm] = useState<Form>("hexadecimal");
  const before = useRef<{ cycle: number; registers: number[]; changed: Set<number> } | undefined>(undefined);
  const warp = view.sm?.slots.find((it) => it.slot === slot)?.warp;
  if (!warp) return <p class="faint">Choose a warp slot to see its warp.</p>;
  const registers = view.lane?.registers ?? [];
  if (before.current?.cycle !== view.cycle) {
    const last = before.current?.registers;
    const changed = new Set(last ? registers.flatMap((value, index) => (last[index] !== value ? [index] : [])) : []);
    before.current = { cycle: view.cycle, registers, changed };
  }
  const lanes = warp.live[1] === 0 && warp.lanes[1] === 0 ? 32 : 64;
  return (
    <div class="warp-pane">
      <p>
        <b>Warp {slot}</b>: warp {warp.warp} of block ({warp.coordinates.join(", ")})
        {warp.unsent + warp.unacknowledged > 0 && ` · stores: ${warp.unsent} not sent, ${warp.unacknowledged} not acknowledged`}
      </p>
      <h3>Wait counters</h3>
      <ul class="counters">
        {warp.counters.map(({ count, long, waited_for }, number) => (
          <li class={waited_for ? "wanted" : ""}>
            <small>{number}</small> {count}
            <span class="faint">{waited_for ? " waited for" : count > 0 ? (long ? " memory" : " short") : ""}</span>
          </li>
        ))}
      </ul>
      <h3>Paths</h3>
      <ul class="paths">
        {warp.paths.map((path) => (
          <li>
            <Lanes of={path.lanes} count={lanes} chosen={lane} choose={choose} />
            <code>{address(16 * path.pc)} {code?.instructions[path.pc]?.text.slice(0, 40)}</code>{" "}
            <span class="faint">{path.current ? "issues next" : path.status}</span>
          </li>
        ))}
      </ul>
      <h3>
        Registers of lane {lane}
        {view.lane && <span class="unit"> thread ({view.lane.thread.join(", ")})</span>}
      </h3>
      <div class="tools">
        <label>
          lane{" "}
          <input
            type="number"
            min={0}
            max={lanes - 1}
            value={lane}
            onChange={(event) => choose(Math.min(Math.max(Number(event.currentTarget.value) || 0, 0), lanes - 1))}
          />
        </label>
        <label>
          as{" "}
          <select value={form} onChange={(event) => setForm(event.currentTarget.value as Form)}>
            <option value="hexadecimal">hexadecimal</option>
            <option value="integer">integer</option>
            <option value="float">float</option>
          </select>
        </label>
      </div>
      <dl class="registers">
        {registers.map((value, number) => (
          <div class={before.current?.changed.has(number) ? "changed" : ""}>
            <dt>R{number}</dt>
            <dd>{shown(value, form)}</dd>
          </div>
        ))}
        {view.lane?.predicates.map((value, number) => (
          <div>
            <dt>P{number}</dt>
            <dd>{value ? "true" : "false"}</dd>
          </div>
        ))}
        {view.lane?.uniforms.map(
          (value, number) =>
            value !== 0 && (
              <div>
                <dt>UR{number}</dt>
                <dd>{shown(value, form)}</dd>
              </div>
            ),
        )}
      </dl>
    </div>
  );
}

/** The lanes of a path as boxes; a click chooses one. */
function Lanes(props: { of: LaneRows; count: number; chosen: number; choose: (lane: number) => void }) {
  const { of, count, chosen, choose } = props;
  const numbers = Array.from({ length: count }, (_, lane) => lane);
  const active = numbers.filter((lane) => (of[lane >> 5] >>> (lane & 31)) & 1);
  return (
    <span class="lanes" role="img" aria-label={`${active.length} lanes`}>
      {numbers.map((lane) => (
        <span
          class={`${active.includes(lane) ? "on" : ""} ${lane === chosen ? "chosen" : ""}`}
          title={`lane ${lane}`}
          onClick={() => choose(lane)}
        />
      ))}
    </span>
  );
}

const bits = new DataView(new ArrayBuffer(4));

function shown(value: number, form: Form): string {
  bits.setUint32(0, value);
  switch (form) {
    case "hexadecimal":
      return value.toString(16).padStart(8, "0");
    case "integer":
      return String(bits.getInt32(0));
    case "float": {
      const real = bits.getFloat32(0);
      return Number.isInteger(real) && Math.abs(real) < 1e7 ? String(real) : real.toPrecision(6);
    }
  }
}
