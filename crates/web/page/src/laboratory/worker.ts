// The simulator in a worker: requests in, answers out, one after the other.

import start, { Laboratory } from "warplab-laboratory";
import type { FromWorker, ToWorker } from "./protocol";

const tell = (message: FromWorker) => postMessage(message);

// The simulator calls it while it runs.
Object.assign(globalThis, {
  noteProgress: (cycle: number, given: number, blocks: number) =>
    tell({ kind: "progress", progress: { cycle, given, blocks } }),
});

let laboratory: Laboratory | undefined;
start({ module_or_path: "warplab_laboratory_bg.wasm" }).then(
  () => {
    laboratory = new Laboratory();
    tell({ kind: "ready" });
  },
  (error) => tell({ kind: "broken", message: String(error) }),
);

addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  const begun = performance.now();
  try {
    const answer = laboratory!.answer(data.request);
    tell({ kind: "answer", id: data.id, answer, milliseconds: performance.now() - begun });
  } catch (error) {
    // Out of memory, most likely: nothing of this worker can be trusted any more.
    tell({ kind: "broken", message: String(error) });
  }
});
