// What a stepped launch has counted so far: the views of a finished run, asked for anew after every step.

import { useEffect } from "preact/hooks";
import type { Seen, SoFar, SteppedAbout } from "./protocol";
import type { Simulator } from "./simulator";

/** What is asked: of which devices, at which cycle, and whether at all. */
interface Asked {
  simulator: Simulator;
  about?: SteppedAbout[];
  seen?: Seen;
  wanted: boolean;
  of: number;
}

/** Asks for the counts at every cycle that is seen, while they are wanted; what comes too late is dropped. */
export function useSoFar(asked: Asked, tell: (soFar?: SoFar) => void): void {
  const { simulator, about, seen, wanted, of } = asked;
  const cycle = wanted ? seen?.cycle : undefined;
  useEffect(() => {
    if (cycle === undefined) return tell();
    let late = false;
    simulator.ask("so_far", { of }).then(
      (soFar) => late || tell(soFar),
      () => late || tell(),
    );
    return () => {
      late = true;
    };
  }, [about, cycle, of]);
}

/** Shows or hides the views, and chooses the device that they are of. */
export function SoFarTools(props: {
  about: SteppedAbout[];
  wanted: boolean;
  want: (wanted: boolean) => void;
  of: number;
  choose: (of: number) => void;
}) {
  const { about, wanted, want, of, choose } = props;
  return (
    <div class="tools" role="group" aria-label="Counted so far">
      <button type="button" aria-pressed={wanted} onClick={() => want(!wanted)}>
        Counted so far
      </button>
      {wanted && about.length > 1 && (
        <label>
          of{" "}
          <select onChange={(event) => choose(Number(event.currentTarget.value))}>
            {about.map(({ scheduler }, device) => (
              <option value={device} selected={device === of}>
                {scheduler}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="faint">The verdict, the last cycles of every warp, stalls, memory, source lines and all sections, below.</span>
    </div>
  );
}
