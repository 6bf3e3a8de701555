// The laboratory: its parts, and what they share.

import { useEffect, useMemo, useState } from "preact/hooks";
import { useTheme } from "../theme";
import { Bench } from "./bench";
import { Labs } from "./labs";
import { PLAIN, setupOf } from "./link";
import type { Catalogue, SetUp } from "./protocol";
import { Simulator } from "./simulator";

type Part = "bench" | "labs";
const PARTS: [Part, string][] = [
  ["bench", "Workbench"],
  ["labs", "Labs"],
];

/** What can be chosen, and where to begin. */
interface Begun {
  catalogue: Catalogue;
  setup: SetUp;
  eager: boolean;
}

export function App() {
  const [theme, toggle] = useTheme();
  const simulator = useMemo(() => new Simulator("worker.js", files()), []);
  const [begun, setBegun] = useState<Begun>();
  const [setup, setSetup] = useState<SetUp>(PLAIN);
  const [fault, setFault] = useState("");
  const [part, show] = useState<Part>(location.hash.startsWith("#lab=") ? "labs" : "bench");
  const [lab, chooseLab] = useState(decodeURIComponent(/^#lab=(.+)/.exec(location.hash)?.[1] ?? ""));
  useEffect(() => {
    begin(simulator).then(
      (found) => {
        setSetup(found.setup);
        setBegun(found);
      },
      (error) => setFault(String(error)),
    );
  }, []);
  // The fragment of the address is the set-up: what leads to a part of the page only scrolls.
  useEffect(() => {
    const clicked = (event: MouseEvent) => {
      const href = (event.target as Element).closest?.("a[href^='#']")?.getAttribute("href");
      const place = href && document.getElementById(href.slice(1));
      if (!place) return;
      event.preventDefault();
      place.scrollIntoView();
    };
    addEventListener("click", clicked);
    return () => removeEventListener("click", clicked);
  }, []);
  const openLab = (name: string) => {
    chooseLab(name);
    history.replaceState(null, "", `#lab=${name}`);
  };
  return (
    <>
      <header class="title">
        <p class="over">warplab</p>
        <h1>The laboratory</h1>
        <p class="says">A GPU, cycle by cycle, inside your browser.</p>
      </header>
      <nav aria-label="Parts of the laboratory">
        <ul>
          {PARTS.map(([id, name]) => (
            <li>
              <button type="button" class="tab" aria-current={part === id ? "page" : undefined} onClick={() => show(id)}>
                {name}
              </button>
            </li>
          ))}
        </ul>
        <button type="button" onClick={toggle} aria-label={theme === "dark" ? "Light colours" : "Dark colours"}>
          {theme === "dark" ? "Light" : "Dark"}
        </button>
      </nav>
      {fault && (
        <main>
          <p class="panel warning" role="alert">
            {fault}
          </p>
        </main>
      )}
      {!begun && !fault && (
        <main>
          <p class="panel" role="status">
            Loading the simulator …
          </p>
        </main>
      )}
      {begun && part === "bench" && (
        <Bench
          simulator={simulator}
          catalogue={begun.catalogue}
          setup={setup}
          setSetup={setSetup}
          theme={theme}
          eager={begun.eager}
        />
      )}
      {begun && part === "labs" && (
        <Labs
          simulator={simulator}
          catalogue={begun.catalogue}
          states={begun.catalogue.states}
          name={begun.catalogue.labs.some(({ name }) => name === lab) ? lab : begun.catalogue.labs[0].name}
          choose={openLab}
          theme={theme}
        />
      )}
    </>
  );
}

async function files(): Promise<Record<string, string>> {
  const answer = await fetch("files.json");
  if (!answer.ok) throw new Error(`files.json cannot be loaded: ${answer.status}`);
  return answer.json();
}

/** What there is, and the set-up of the link that led here. */
async function begin(simulator: Simulator): Promise<Begun> {
  const linked = await setupOf(location.hash);
  const catalogue = await simulator.ask("catalogue", {});
  return { catalogue, setup: linked ?? PLAIN, eager: !location.hash.startsWith("#lab=") };
}
