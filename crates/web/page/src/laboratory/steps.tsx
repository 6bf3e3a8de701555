// Stepping: forwards and backwards, cycle by cycle, one device or two on one clock.

import { useEffect, useRef, useState } from "preact/hooks";
import type { StateInfo } from "../document";
import { integerText } from "../format";
import type { Theme } from "../theme";
import { Caches } from "./caches";
import { CodePane } from "./code-pane";
import type { Look, Seen, SetUp, SoFar, SteppedAbout, To } from "./protocol";
import { Refused, type Simulator, Stopped } from "./simulator";
import { Slots } from "./slots";
import { SoFarTools, useSoFar } from "./so-far";
import { WarpPane } from "./warp-pane";

/** Cycles behind the present one whose states are shown, where they have been visited. */
const PAST = 32;

/** The letters of a device's slots in the cycles that were visited. */
export type Past = Map<number, Map<number, { letter: string; colour: string }>>;

interface Begun {
  about: SteppedAbout[];
  seen: Seen;
  setup: SetUp;
}

export function Steps(props: {
  simulator: Simulator;
  setup: SetUp;
  states: StateInfo[];
  theme: Theme;
  begin: number;
  /** Whether what has been counted so far is wanted, and who is told of it. */
  counted: { wanted: boolean; want: (wanted: boolean) => void; tell: (soFar?: SoFar) => void };
}) {
  const { simulator, setup, states, theme, counted } = props;
  const [begun, setBegun] = useState<Begun>();
  const [look, setLook] = useState<Look>({ sm: setup.sm, slot: 0, lane: 0, partition: 0, first_set: 0, sets: 16 });
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const [target, setTarget] = useState("");
  const [of, chooseDevice] = useState(0);
  const past = useRef<Past[]>([]);
  const place = useRef<HTMLElement>(null);
  const working = useRef(false);

  /** One after the other: what is asked while something is under way is dropped, so that a held key does not pile up. */
  const ask = async (work: () => Promise<void>) => {
    if (working.current) return;
    working.current = true;
    setBusy(true);
    try {
      await work();
    } catch (error) {
      if (error instanceof Refused) setFault(error.refusal.message);
      else if (!(error instanceof Stopped)) setFault(String(error));
      setBegun(undefined);
    }
    working.current = false;
    setBusy(false);
  };
  const keep = (seen: Seen) => {
    seen.views.forEach((view, device) => {
      const cycles = (past.current[device] ??= new Map());
      const letters = new Map((view.sm?.slots ?? []).flatMap(({ slot, warp }) => (warp ? [[slot, warp]] : [])));
      cycles.set(view.cycle, letters);
      if (cycles.size > 4 * PAST) for (const cycle of cycles.keys()) if (Math.abs(cycle - view.cycle) > PAST) cycles.delete(cycle);
    });
  };
  useEffect(() => {
    setFault("");
    ask(async () => {
      past.current = [];
      chooseDevice(0);
      const about = await simulator.ask("begin", { setup });
      const seen = await simulator.ask("go", { to: { cycle: 0 }, of: 0, look });
      keep(seen);
      setBegun({ about, seen, setup });
    });
  }, [props.begin]);
  useSoFar({ simulator, about: begun?.about, seen: begun?.seen, wanted: counted.wanted, of }, counted.tell);
  const go = (to: To) =>
    ask(async () => {
      const seen = await simulator.ask("go", { to, of: 0, look });
      keep(seen);
      setBegun((before) => before && { ...before, seen });
    });
  const see = (part: Partial<Look>) => {
    const next = { ...look, ...part };
    setLook(next);
    ask(async () => {
      const seen = await simulator.ask("look", { look: next });
      setBegun((before) => before && { ...before, seen });
    });
  };
  if (fault) {
    return (
      <section class="panel" id="steps" role="alert">
        <p class="warning">It cannot be stepped.</p>
        <pre>{fault}</pre>
      </section>
    );
  }
  if (!begun) return <p class="panel">Getting ready to step …</p>;
  const { about, seen } = begun;
  const { views } = seen;
  const keyed = (event: KeyboardEvent) => {
    if ((event.target as Element).closest("input, select, .cm-editor") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = keyGoal(event.key, event.shiftKey, look);
    if (!to) return;
    event.preventDefault();
    go(to);
  };
  const launch = views[0]?.launch;
  return (
    <section class="panel" id="steps" aria-labelledby="steps-title" ref={place} tabIndex={-1} onKeyDown={keyed}>
      <h2 id="steps-title">Step by step</h2>
      <div class="clock">
        <p class="cycle" role="status" data-cycle={seen.cycle}>
          <small>cycle</small> {integerText(seen.cycle)}
        </p>
        <div class="tools" role="toolbar" aria-label="Steps">
          <Go label="|◀" says="To the beginning" onClick={() => go({ cycle: 0 })} />
          <Go label="−100" says="100 cycles back" onClick={() => go({ back: 100 })} />
          <Go label="−10" says="10 cycles back" onClick={() => go({ back: 10 })} />
          <Go label="◀" says="One cycle back" onClick={() => go({ back: 1 })} />
          <Go label="▶" says="One cycle on" onClick={() => go({ forward: 1 })} strong />
          <Go label="+10" says="10 cycles on" onClick={() => go({ forward: 10 })} />
          <Go label="+100" says="100 cycles on" onClick={() => go({ forward: 100 })} />
          <Go label="▶|" says="To the end" onClick={() => go("end")} />
        </div>
        <div class="tools" role="group" aria-label="Goals">
          <button type="button" onClick={() => go({ change: null })}>
            Next change of any warp
          </button>
          <button type="button" disabled={look.slot === null} onClick={() => go({ change: look.slot })}>
            … of warp {look.slot ?? "?"}
          </button>
          <form
            class="goto"
            onSubmit={(event) => {
              event.preventDefault();
              const cycle = Number(target.replaceAll(/[,_ ]/g, ""));
              if (Number.isSafeInteger(cycle) && cycle >= 0 && target.trim()) go({ cycle });
            }}
          >
            <input
              type="text"
              inputMode="numeric"
              aria-label="Cycle"
              placeholder="cycle"
              value={target}
              onInput={(event) => setTarget(event.currentTarget.value)}
            />
            <button type="submit">Go</button>
          </form>
          {about[0].multiprocessors > 1 && (
            <label>
              SM{" "}
              <input
                type="number"
                min={0}
                max={about[0].multiprocessors - 1}
                value={look.sm}
                onChange={(event) => see({ sm: Math.min(Math.max(Number(event.currentTarget.value) || 0, 0), about[0].multiprocessors - 1) })}
              />
            </label>
          )}
        </div>
      </div>
      <p class="faint">
        {stopText(seen)} {launch && `Kernel ${launch.kernel}, cycle ${integerText(launch.cycle)} of its launch. `}
        Arrow keys step (with Shift ten cycles), N goes to the next change, Home and End to the ends. {busy && "…"}
      </p>
      {views.some(({ fault }) => fault) && <pre class="warning">{views.find(({ fault }) => fault)?.fault}</pre>}
      <div class={views.length > 1 ? "beside" : ""}>
        {views.map((view, device) => (
          <div class="device" data-device={device}>
            {views.length > 1 && <h3>{about[device].scheduler}{view.ended && ": done"}</h3>}
            <Slots
              view={view}
              code={about[device].codes[view.launch?.number ?? 0]}
              past={past.current[device] ?? new Map()}
              length={views.length > 1 ? PAST / 2 : PAST}
              chosen={look.slot}
              choose={(slot) => see({ slot })}
              states={states}
              theme={theme}
            />
          </div>
        ))}
      </div>
      <div class="beside">
        <CodePane about={about[0]} view={views[0]} slot={look.slot} go={go} />
        <WarpPane view={views[0]} slot={look.slot} lane={look.lane} choose={(lane) => see({ lane })} code={about[0].codes[views[0].launch?.number ?? 0]} />
      </div>
      <Caches view={views[0]} look={look} partitions={about[0].partitions} see={see} />
      <SoFarTools about={about} wanted={counted.wanted} want={counted.want} of={of} choose={chooseDevice} />
    </section>
  );
}

function Go(props: { label: string; says: string; onClick: () => void; strong?: boolean }) {
  return (
    <button type="button" title={props.says} aria-label={props.says} class={props.strong ? "primary" : ""} onClick={props.onClick}>
      {props.label}
    </button>
  );
}

function keyGoal(key: string, ten: boolean, look: Look): To | undefined {
  switch (key) {
    case "ArrowRight":
      return { forward: ten ? 10 : 1 };
    case "ArrowLeft":
      return { back: ten ? 10 : 1 };
    case "n":
      return { change: null };
    case "N":
      return { change: look.slot };
    case "Home":
      return { cycle: 0 };
    case "End":
      return "end";
    default:
      return undefined;
  }
}

function stopText(seen: Seen): string {
  if (seen.stop === "ended") return "Every launch has ended.";
  return seen.stop === "failed" ? "The launch failed here." : "";
}
