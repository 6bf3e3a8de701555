// Choose, change, run, look.

import { useEffect, useRef, useState } from "preact/hooks";
import { integerText } from "../format";
import { Results } from "../page";
import type { Theme } from "../theme";
import { Choose } from "./choose";
import { fragmentOf } from "./link";
import type { Catalogue, Progress, Refusal, RunAnswer, SetUp, SoFar } from "./protocol";
import { Refused, type Simulator, Stopped } from "./simulator";
import { Steps } from "./steps";
import { Texts } from "./texts";

interface Ran {
  answer: RunAnswer;
  milliseconds: number;
  /** Whether the set-up has been changed since. */
  setup: SetUp;
}

export function Bench(props: {
  simulator: Simulator;
  catalogue: Catalogue;
  setup: SetUp;
  setSetup: (setup: SetUp) => void;
  theme: Theme;
  /** Run at once: the set-up came by a link or from a lab. */
  eager: boolean;
}) {
  const { simulator, catalogue, setup, setSetup, theme } = props;
  const [ran, setRan] = useState<Ran>();
  const [running, setRunning] = useState(false);
  const [progress, setProgress] = useState<Progress>();
  const [refusal, setRefusal] = useState<Refusal>();
  const [link, setLink] = useState("");
  const [stepping, setStepping] = useState<{ setup: SetUp; begin: number }>();
  const [counting, count] = useState(false);
  const [soFar, setSoFar] = useState<SoFar>();
  const latest = useRef(setup);
  latest.current = setup;

  const run = async () => {
    if (running) return;
    const asked = latest.current;
    setRunning(true);
    count(false);
    setProgress(undefined);
    setRefusal(undefined);
    simulator.onProgress = setProgress;
    try {
      const answer = await simulator.ask("run", { setup: asked });
      setRan({ answer, milliseconds: simulator.milliseconds, setup: asked });
    } catch (error) {
      if (error instanceof Refused) setRefusal(error.refusal);
      else if (!(error instanceof Stopped)) setRefusal({ message: String(error), path: null, places: [] });
    }
    setRunning(false);
  };
  const change = (part: Partial<SetUp>) => {
    setLink("");
    setSetup({ ...latest.current, ...part });
  };
  const edit = (path: string, text: string | undefined) => {
    const { [path]: _, ...others } = latest.current.edits;
    change({ edits: text === undefined ? others : { ...others, [path]: text } });
  };
  const share = async () => {
    const url = new URL(location.href);
    url.hash = await fragmentOf(latest.current);
    history.replaceState(null, "", url);
    const copied = await navigator.clipboard?.writeText(url.href).then(
      () => true,
      () => false,
    );
    setLink(copied ? "The link is copied, and in the address bar." : "The link is in the address bar.");
  };
  useEffect(() => {
    if (props.eager) run();
  }, []);
  const stale = ran && ran.setup !== setup;
  return (
    <>
      <main class="bench">
        <section class="panel" id="setup" aria-labelledby="setup-title">
          <h2 id="setup-title">Set-up</h2>
          <Choose catalogue={catalogue} setup={setup} change={change} />
          <div class="tools">
            <button type="button" class="primary" disabled={running} onClick={run}>
              Run
            </button>
            {running && (
              <button
                type="button"
                onClick={() => {
                  simulator.stop();
                  setRunning(false);
                }}
              >
                Stop
              </button>
            )}
            <button
              type="button"
              disabled={running}
              onClick={() => setStepping({ setup: latest.current, begin: (stepping?.begin ?? 0) + 1 })}
            >
              Step
            </button>
            <button type="button" onClick={share}>
              Share as a link
            </button>
            <span class="faint" role="status">
              {running ? runningText(progress) : link || (ran && !stale && ranText(ran)) || (stale && "The results below are of the set-up before.")}
            </span>
          </div>
          {refusal && <Refusing refusal={refusal} />}
        </section>
        <Texts simulator={simulator} setup={setup} refused={refusal} edit={edit} run={run} />
        {stepping && (
          <Steps
            simulator={simulator}
            states={catalogue.states}
            theme={theme}
            counted={{ wanted: counting, want: count, tell: setSoFar }}
            {...stepping}
          />
        )}
        {ran && !soFar && <Outcome answer={ran.answer} />}
      </main>
      {soFar ? (
        <Results key="so-far" document={soFar.document} soFar={soFar.cycle} theme={theme} />
      ) : (
        ran && <Results key="run" document={ran.answer.document} theme={theme} />
      )}
    </>
  );
}

function runningText(progress?: Progress): string {
  if (!progress) return "Running …";
  const { cycle, given, blocks } = progress;
  return `Cycle ${integerText(cycle)}, ${integerText(given)} of ${integerText(blocks)} blocks given out`;
}

function ranText({ answer, milliseconds }: Ran): string {
  const executed = answer.document.launches.reduce((sum, { sections }) => {
    const metric = sections.flatMap(({ metrics }) => metrics).find(({ id }) => id === "smsp__inst_executed.sum");
    return sum + Number(metric?.value ?? 0);
  }, 0);
  return `${integerText(executed)} warp instructions in ${(milliseconds / 1000).toFixed(1)} s`;
}

function Refusing({ refusal }: { refusal: Refusal }) {
  return (
    <div class="refusal" role="alert">
      <p class="warning">It did not run.</p>
      {refusal.places.length > 0 ? (
        <ul>
          {refusal.places.slice(0, 8).map((place) => (
            <li>
              {refusal.path}, line {place.line}: {place.message}
              {place.help && `; ${place.help}`}
            </li>
          ))}
        </ul>
      ) : (
        <pre>{refusal.message}</pre>
      )}
    </div>
  );
}

/** What the kernel computed and printed. */
function Outcome({ answer }: { answer: RunAnswer }) {
  const { expectations, printed } = answer;
  if (expectations.length + printed.length === 0) return null;
  return (
    <section class="panel" id="outcome" aria-labelledby="outcome-title">
      <h2 id="outcome-title">What it computed</h2>
      <ul class="outcome">
        {expectations.map(({ holds, line }) => (
          <li class={holds ? "good" : "warning"}>
            {holds ? "✓" : "✗"} {line.replace(/^expectation /, "")}
          </li>
        ))}
      </ul>
      {printed.length > 0 && <pre>{printed.join("")}</pre>}
    </section>
  );
}
