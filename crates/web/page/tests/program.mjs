// Runs the warplab program, where it is built.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, pageOf } from "./harness.mjs";

export const project = join(dirname(fileURLToPath(import.meta.url)), "../../../..");
const built = [process.env.WARPLAB, ...["debug", "release"].map((kind) => join(project, "target", kind, "warplab"))]
  .filter((path) => path && existsSync(path))
  .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);

/** The program that was built last. */
export const program = built[0];

/** Why the program cannot run, if so. */
export const unbuilt = built.length > 0 ? false : "warplab is not built; cargo build makes it";

function warplab(...options) {
  return execFileSync(program, options, { cwd: project, encoding: "utf8", maxBuffer: 1 << 28 });
}

/** The simulator's own compiler makes the code, whatever tools there are. */
const run = (...options) => warplab("run", "-q", "--isa", "ptx", ...options);

const launchFile = (name) => join(project, "configs/launches", `${name}.ron`);

/** The text report of a launch. */
export function report(name, sections) {
  return run(launchFile(name), "--section", sections);
}

const pages = new Map();

/** The page of a launch as the program writes it: its file, its bytes, its document, and the views of dist/ with it. */
export function written(name) {
  if (!pages.has(name)) {
    const file = join(build, `${name}-written.html`);
    run(launchFile(name), "--html", file);
    const text = readFileSync(file, "utf8");
    const data = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(text)[1];
    const document = JSON.parse(data);
    pages.set(name, { file: pathToFileURL(file).href, bytes: text.length, document, url: pageOf(name, document) });
  }
  return pages.get(name);
}

/** The page of a launch under two schedulers. */
export function compared(name, scheduler) {
  const file = (which) => join(build, `${name}-${which}.html`);
  run(launchFile(name), "--html", file("a"));
  run(launchFile(name), "--scheduler", scheduler, "--html", file("b"));
  const text = warplab("compare", file("a"), file("b"), "--html", file("compared"));
  const data = /<script type="application\/json" id="document">(.*?)<\/script>/s.exec(readFileSync(file("compared"), "utf8"))[1];
  return { text, url: pageOf(`${name}-compared-views`, JSON.parse(data)) };
}

/** The page of some rows of the course. */
export function course(...rows) {
  const [file, results] = ["course.html", "course.jsonl"].map((name) => join(build, name));
  warplab("reproduce", ...rows, "--quiet", "--html", file, "--results", results);
  return pathToFileURL(file).href;
}
