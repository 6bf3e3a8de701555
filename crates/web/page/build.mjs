// Builds the views into dist/, which the program embeds: node build.mjs [FOLDER]. The same source gives the same bytes.
// With --laboratory BOUND FOLDER the laboratory into a folder; BOUND is what wasm-bindgen made of the simulator.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { files } from "./files.mjs";

const common = {
  bundle: true,
  minify: true,
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
};

async function page(outdir) {
  await build({ ...common, format: "iife", entryPoints: { page: "src/main.tsx" }, outdir });
}

async function laboratory(bound, outdir) {
  mkdirSync(outdir, { recursive: true });
  await build({
    ...common,
    format: "esm",
    entryPoints: { laboratory: "src/laboratory/main.tsx", worker: "src/laboratory/worker.ts" },
    alias: { "warplab-laboratory": resolve(bound, "warplab_laboratory.js") },
    outdir,
  });
  copyFileSync(join(bound, "warplab_laboratory_bg.wasm"), join(outdir, "warplab_laboratory_bg.wasm"));
  copyFileSync("src/laboratory/index.html", join(outdir, "index.html"));
  writeFileSync(join(outdir, "files.json"), JSON.stringify(files()));
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--laboratory") await laboratory(...rest);
else await page(first ?? "dist");
