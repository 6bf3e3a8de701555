// Labs: read, predict, check, and think about the hints.

import { marked } from "marked";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { Launch, StateInfo } from "../document";
import type { Theme } from "../theme";
import { TimelineView } from "../views/timeline";
import { Editor } from "./editor";
import type { Catalogue, Fault, Lab, LabAnswer, LabVerdict } from "./protocol";
import type { Simulator } from "./simulator";

/** Different wrong answers after which the right one is told. */
const TRIES = 3;

type Given = Record<string, string>;

export function Labs(props: {
  simulator: Simulator;
  catalogue: Catalogue;
  states: StateInfo[];
  name: string;
  choose: (name: string) => void;
  theme: Theme;
}) {
  const { simulator, catalogue, name, choose } = props;
  const [lab, setLab] = useState<Lab>();
  useEffect(() => {
    let current = true;
    const asked = simulator.ask("lab", { name });
    asked.then((found) => current && setLab(found), () => {});
    return () => {
      current = false;
    };
  }, [simulator, name]);
  return (
    <main class="labs">
      <section class="panel" aria-label="Labs">
        <div class="field">
          <label for="lab">Lab</label>
          <select id="lab" value={name} onChange={(event) => choose(event.currentTarget.value)}>
            {catalogue.labs.map(({ name, title }) => (
              <option value={name}>{title}</option>
            ))}
          </select>
        </div>
      </section>
      {lab?.name === name && <Work key={name} lab={lab} {...props} />}
    </main>
  );
}

function Work(props: { lab: Lab; simulator: Simulator; catalogue: Catalogue; states: StateInfo[]; theme: Theme }) {
  const { lab, simulator, catalogue } = props;
  const [predictions, setPredictions] = useState<Given>({});
  const [changes, setChanges] = useState<Given>({});
  const [copies, setCopies] = useState<Record<string, string>>(lab.programs);
  const [answer, setAnswer] = useState<LabAnswer>();
  const [fault, setFault] = useState("");
  const [checking, setChecking] = useState(false);
  const [tries, setTries] = useState<Record<string, string[]>>({});
  // It is the authors' own Markdown: it comes with the laboratory.
  const text = useMemo(() => shownText(lab.text), [lab]);
  const numbers = (given: Given, isText: (id: string) => boolean) =>
    Object.fromEntries(
      Object.entries(given).map(([id, value]) => {
        const trimmed = value.trim();
        if (trimmed === "") return [id, null];
        return [id, isText(id) || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed)];
      }),
    );
  const check = async (reveal: boolean) => {
    setChecking(true);
    setFault("");
    try {
      const found = await simulator.ask("check_lab", {
        name: lab.name,
        predictions: numbers(predictions, (id) => lab.predictions.some((it) => it.id === id && it.runs !== null)),
        changes: numbers(changes, (id) => lab.changes.some((it) => it.id === id && it.scheduler)),
        copies,
        reveal,
      });
      setAnswer(found);
      setTries(tried(tries, found.predictions));
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
    setChecking(false);
  };
  const over = answer?.predictions.some(({ id, state }) => state === "no" && (tries[id]?.length ?? 0) >= TRIES) ?? false;
  const verdict = (id: string) => answer?.predictions.find((it) => it.id === id);
  return (
    <>
      <section class="panel prose" aria-labelledby="lab-title">
        <h1 id="lab-title">{lab.title}</h1>
        <div dangerouslySetInnerHTML={{ __html: text }} />
      </section>
      <form
        class="panel questions"
        onSubmit={(event) => {
          event.preventDefault();
          check(false);
        }}
      >
        <h2>What do you expect?</h2>
        <p class="says">
          Answer before anything runs. What you leave blank is not run. <b>Check</b> does here what the text says of
          warplab lab check.
        </p>
        <ol>
          {lab.predictions.map(({ id, question, runs }) => (
            <li>
              <label>
                <span>{question}</span>
                {runs ? (
                  <select name={id} value={predictions[id] ?? ""} onChange={(event) => setPredictions({ ...predictions, [id]: event.currentTarget.value })}>
                    <option value="">?</option>
                    {runs.map((run) => (
                      <option value={run}>{run}</option>
                    ))}
                  </select>
                ) : (
                  <input
                    type="text"
                    inputMode="decimal"
                    name={id}
                    value={predictions[id] ?? ""}
                    onInput={(event) => setPredictions({ ...predictions, [id]: event.currentTarget.value })}
                  />
                )}
              </label>
              <Verdict verdict={verdict(id)} />
            </li>
          ))}
        </ol>
        {lab.changes.length > 0 && <h2>What do you choose?</h2>}
        <ol>
          {lab.changes.map(({ id, question, scheduler, least, most }) => (
            <li>
              <label>
                <span>{question}</span>
                <input
                  type="text"
                  class={scheduler ? "long" : ""}
                  name={id}
                  list={scheduler ? "schedulers" : undefined}
                  placeholder={scheduler ? "lrr, or rank(...)" : `${least}${most === null ? " or more" : ` to ${most}`}`}
                  spellcheck={false}
                  value={changes[id] ?? ""}
                  onInput={(event) => setChanges({ ...changes, [id]: event.currentTarget.value })}
                />
              </label>
            </li>
          ))}
        </ol>
        <datalist id="schedulers">
          {catalogue.schedulers.map(({ name }) => (
            <option value={name} />
          ))}
        </datalist>
        {Object.keys(lab.programs).map((program) => (
          <Program
            name={program}
            simulator={simulator}
            text={copies[program]}
            onChange={(text) => setCopies({ ...copies, [program]: text })}
          />
        ))}
        {lab.checks.length > 0 && (
          <>
            <h2>What must hold then</h2>
            <ol>
              {lab.checks.map((text, index) => (
                <li>
                  {text}
                  <Verdict verdict={answer?.checks[index]} wanted />
                </li>
              ))}
            </ol>
          </>
        )}
        <div class="tools">
          <button type="submit" class="primary" disabled={checking}>
            Check
          </button>
          <button type="button" disabled={checking} onClick={() => check(true)} class={over ? "strong" : ""}>
            Check and tell the answers
          </button>
          <span role="status" class={answer?.holds ? "good" : "faint"}>
            {checking ? "Running …" : fault || (answer && `${answer.held} of ${answer.of} hold`)}
          </span>
        </div>
        {answer?.wrong_results.map(([run, what]) => (
          <p class="warning">
            Run {run}: {what}
          </p>
        ))}
      </form>
      {answer && answer.hidden_timelines > 0 && (
        <p class="panel">
          {answer.hidden_timelines} {answer.hidden_timelines === 1 ? "timeline comes" : "timelines come"} when what was
          predicted of {answer.hidden_timelines === 1 ? "it" : "them"} holds.
        </p>
      )}
      {answer?.timelines.map(({ run, timeline }) => (
        <TimelineView
          id={`timeline-${run}`}
          title={`Run ${run}`}
          launch={{ timeline } as Launch}
          states={props.states}
          theme={props.theme}
          hint=""
        />
      ))}
    </>
  );
}

/** The text without its title; what may be wider than the screen can be reached with the keyboard. */
function shownText(markdown: string): string {
  const html = marked.parse(markdown.replace(/^# .*\n/, ""), { async: false });
  return html.replaceAll("<pre>", '<pre tabindex="0">');
}

/** A program that the student changes. */
function Program(props: { name: string; text: string; simulator: Simulator; onChange: (text: string) => void }) {
  const { name, text, simulator } = props;
  const [faults, setFaults] = useState<Fault[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => simulator.ask("check", { path: name, text }).then(setFaults, () => {}), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <>
      <h2>{name}</h2>
      <p class="says">This program is yours to change.</p>
      <Editor path={name} text={text} faults={faults} onChange={props.onChange} />
    </>
  );
}

function Verdict({ verdict, wanted }: { verdict?: LabVerdict; wanted?: boolean }) {
  if (!verdict || verdict.state === "blank") return null;
  const good = verdict.state === "yes";
  return (
    <div class={`judged ${good ? "good" : "wrong"}`}>
      <p>
        <b>{good ? "✓ holds" : "✗ does not hold"}</b>
        {wanted && verdict.claim && ` · wanted ${verdict.claim}`}
        {verdict.simulated && ` · simulated ${verdict.simulated}`}
      </p>
      {verdict.hint && <p>{verdict.hint}</p>}
    </div>
  );
}

/** The different wrong answers so far. */
function tried(before: Record<string, string[]>, verdicts: LabVerdict[]): Record<string, string[]> {
  const after = { ...before };
  for (const { id, state, claim } of verdicts) {
    if (state === "no") after[id] = [...new Set([...(after[id] ?? []), claim])];
  }
  return after;
}
