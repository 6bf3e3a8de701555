// The files that the laboratory has inside, by their paths from `configs`: machines, kernels, launches, labs, and the
// machine code of the suite's kernels with a launch for each of its smaller cases.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const project = join(dirname(fileURLToPath(import.meta.url)), "../../..");
const configs = join(project, "configs");
const FOLDERS = { gpus: [".ron"], kernels: [".ptx", ".cu"], launches: [".ron"], labs: [".ron", ".md", ".ptx"] };
const SUITE = join(project, "traces/h200/suite");
/** Warp instructions of a case that is not too long to wait for. */
const MOST_INSTRUCTIONS = 1_000_000;

export function files() {
  const found = {};
  for (const [folder, ends] of Object.entries(FOLDERS)) {
    for (const entry of readdirSync(join(configs, folder), { recursive: true, withFileTypes: true })) {
      const path = relative(configs, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
      const wanted = entry.isFile() && ends.some((end) => path.endsWith(end));
      // A solution would be no lab.
      if (wanted && !path.includes("/solution/")) found[path] = readFileSync(join(configs, path), "utf8");
    }
  }
  return { ...found, ...machineCode() };
}

/** One file a kernel, one launch a case. */
function machineCode() {
  if (!existsSync(`${SUITE}.sass`)) return {};
  const found = {};
  const [head, ...kernels] = readFileSync(`${SUITE}.sass`, "utf8").split(/^(?=\.kernel )/m);
  const byName = new Map(kernels.map((text) => [/^\.kernel (\S+)/.exec(text)[1], text]));
  const executed = instructions(readFileSync(`${SUITE}.metrics.csv`, "utf8"));
  for (const line of readFileSync(`${SUITE}.cases.jsonl`, "utf8").split("\n").filter(Boolean)) {
    const one = JSON.parse(line);
    const text = byName.get(one.kernel);
    if (!text || !(executed.get(one.case) <= MOST_INSTRUCTIONS)) continue;
    found[`machine-code/${one.kernel}.sass`] = head + text;
    found[`machine-code/${one.case}.ron`] = launch(one);
  }
  return found;
}

function instructions(csv) {
  const [heads, ...rows] = csv.split("\n").filter(Boolean).map((line) => line.split(","));
  const at = heads.indexOf("smsp__inst_executed.sum");
  return new Map(rows.map((row) => [row[0], Number(row[at])]));
}

/** A case as a launch file. */
function launch(one) {
  const rules = { hash_f32: (it) => `(${it.seed})`, hash_i32: (it) => `(${it.seed})`, chain: (it) => `(${it.stride})` };
  const argument = (it) => {
    if (it.buffer === undefined) return it.i32 === undefined ? `u64(${it.u64})` : `i32(${it.i32})`;
    const rule = it.init + (rules[it.init]?.(it) ?? "");
    return `buffer(name: "${it.buffer}", size: "${it.bytes}", init: ${rule})`;
  };
  const shared = one.dynamic_shared_bytes > 0 ? `    dynamic_shared_bytes: "${one.dynamic_shared_bytes}",\n` : "";
  const sums = Object.entries(one.checksums).map(
    ([buffer, [sum, xor]]) => `        checksum(buffer: "${buffer}", sum: 0x${sum}, xor: 0x${xor}),\n`,
  );
  return (
    `// Case ${one.case} of the H200 suite: what the real GPU ran, and the checksums of what it computed.\n(\n` +
    `    program: "${one.kernel}.sass",\n    kernel: "${one.kernel}",\n` +
    `    grid: (${one.grid.join(", ")}),\n    block: (${one.block.join(", ")}),\n${shared}` +
    `    arguments: [\n${one.args.map((it) => `        ${argument(it)},\n`).join("")}    ],\n` +
    (sums.length > 0 ? `    expectations: [\n${sums.join("")}    ],\n` : "") +
    `    gpu: "h200",\n)\n`
  );
}
