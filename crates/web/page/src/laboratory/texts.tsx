// The texts of a set-up, to be changed, with their faults.

import { useEffect, useState } from "preact/hooks";
import { Editor } from "./editor";
import type { Fault, SetUp, Text } from "./protocol";
import type { Simulator } from "./simulator";

const NAMES = { launch: "Launch", program: "Program", machine: "Machine" };
/** How long a person has stopped typing before a text is checked. */
const PAUSE = 250;

export function Texts(props: {
  simulator: Simulator;
  setup: SetUp;
  /** What the last run found wrong: it is shown until the text changes. */
  refused: { path: string | null; places: Fault[] } | undefined;
  edit: (path: string, text: string | undefined) => void;
  run: () => void;
}) {
  const { simulator, setup, refused, edit, run } = props;
  const [texts, setTexts] = useState<Text[]>([]);
  const [kind, choose] = useState<Text["kind"]>("program");
  const [faults, setFaults] = useState<Fault[]>([]);
  const shown = texts.find((text) => text.kind === kind) ?? texts[0];
  const path = shown?.path;
  const text = path === undefined ? "" : (setup.edits[path] ?? shown.text);

  // Which texts there are depends on what the launch says.
  useEffect(() => {
    let current = true;
    const asked = simulator.ask("texts", { setup });
    asked.then((found) => current && setTexts(found), () => {});
    return () => {
      current = false;
    };
  }, [simulator, setup.launch, setup.gpu, setup.edits[setup.launch]]);
  useEffect(() => {
    if (path === undefined) return;
    let current = true;
    const machine = texts.find((text) => text.kind === "machine")?.machine;
    const timer = setTimeout(() => {
      const asked = simulator.ask("check", { path, text, gpu: setup.gpu ?? machine });
      asked.then((found) => current && setFaults(found), () => {});
    }, PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [simulator, path, text, setup.gpu]);
  useEffect(() => {
    if (refused?.path && refused.path === path) setFaults(refused.places);
    const other = texts.find((text) => text.path === refused?.path);
    if (other) choose(other.kind);
  }, [refused]);
  if (!shown || path === undefined) return null;
  const errors = faults.filter(({ severity }) => severity === "error").length;
  return (
    <section class="panel" id="texts" aria-labelledby="texts-title">
      <h2 id="texts-title">Texts</h2>
      <div class="tools" role="group" aria-label="Texts">
        {texts.map((text) => (
          <button type="button" aria-pressed={text.kind === shown.kind} onClick={() => choose(text.kind)}>
            {NAMES[text.kind]}
            <span class="unit"> {text.path.split("/").at(-1)}</span>
            {setup.edits[text.path] !== undefined && " · changed"}
          </button>
        ))}
        {setup.edits[path] !== undefined && (
          <button type="button" onClick={() => edit(path, undefined)}>
            Take the changes back
          </button>
        )}
        <span class={errors > 0 ? "warning" : "faint"} role="status">
          {faults.length === 0
            ? "no faults"
            : `${faults.length} ${faults.length === 1 ? "fault" : "faults"}, the first in line ${faults[0].line}: ${faults[0].message}`}
        </span>
      </div>
      <Editor path={path} text={text} faults={faults} onRun={run} onChange={(next) => edit(path, next === shown.text ? undefined : next)} />
      <p class="faint">Ctrl and Enter run. Faults are underlined; F8 goes to the next one. Nothing leaves your browser.</p>
    </section>
  );
}
