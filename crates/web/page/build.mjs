// Builds the views into dist/, which the program embeds. The same source gives the same bytes.
import { build } from "esbuild";

const outdir = process.argv[2] ?? "dist";
await build({
  entryPoints: { page: "src/main.tsx" },
  outdir,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
});
