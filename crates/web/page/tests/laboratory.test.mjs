// The laboratory in use, as `warplab serve` gives it to a browser. Pictures of it go to build/.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { build, launch, missing } from "./harness.mjs";
import { program, project, unbuilt } from "./program.mjs";

const folder = process.env.WARPLAB_LABORATORY ?? join(project, "target/laboratory");
const unmade = !existsSync(join(folder, "index.html")) && "the laboratory is not built; crates/laboratory/build.sh makes it";
const skip = missing || unbuilt || unmade;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let browser;
let server;
let address;
before(async () => {
  if (skip) return;
  server = spawn(program, ["serve", "--port", "0", "--folder", folder], { stdio: ["ignore", "pipe", "ignore"] });
  address = await new Promise((resolve) => createInterface(server.stdout).once("line", resolve));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.kill();
});

/** The laboratory with what it complained of, and what it asked of whom. */
async function open(fragment = "", options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${address}/${fragment}`);
  return { page, context, complaints, asked };
}

const ran = (page) => page.waitForSelector("#warps canvas[data-drawn]", { timeout: 60_000 });
const choose = (page, label, value) => page.getByLabel(label, { exact: true }).selectOption(value);
const run = async (page) => {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/warp instructions in [\d.]+ s/).waitFor({ timeout: 120_000 });
};
const metric = (page, label) =>
  page.$$eval(
    "[data-section] tbody tr",
    (rows, label) => rows.find((row) => row.querySelector("th").firstChild.textContent === label)?.querySelector("td.number").textContent,
    label,
  );

/** What axe-core finds serious. */
async function serious(page) {
  await page.addScriptTag({ content: axe }).catch(() => page.evaluate(axe));
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const found = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`);
}

for (const [part, fragment, width, colorScheme] of [
  ["bench", "", 1200, "light"],
  ["bench", "", 400, "dark"],
  ["labs", "#lab=2-schedulers", 1200, "dark"],
  ["labs", "#lab=2-schedulers", 400, "light"],
]) {
  test(`the ${part} at ${width} pixels in ${colorScheme} colours: no complaint, nothing wider than the screen`, { skip }, async () => {
    const { page, context, complaints, asked } = await open(fragment, { viewport: { width, height: 900 }, colorScheme });
    if (part === "bench") await ran(page);
    else await page.getByRole("heading", { name: /^Lab 2/ }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.screenshot({ path: join(build, `laboratory-${part}-${width}-${colorScheme}.png`), fullPage: true });
    assert.deepEqual(await serious(page), []);
    assert.deepEqual(complaints.filter((text) => !text.includes("Content Security Policy")), []);
    assert.deepEqual(asked.filter((url) => !url.startsWith(address) && !url.startsWith("data:")), []);
    await context.close();
  });
}

test("a run in the browser gives the numbers of the program's text report", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  assert.equal(await metric(page, "Elapsed Cycles"), "201");
  assert.match(await page.textContent("#outcome"), /✓ c: ok \(256 elements/);
  await context.close();
});

test("a fault is underlined while a person types, and named when it is run", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("addd.f32 ");
  await page.waitForSelector(".cm-lintRange-error");
  assert.match(await page.textContent("#texts [role=status]"), /fault.* line 1: /);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  assert.match(await page.locator(".refusal").textContent(), /kernels\/vector_add\.ptx, line 1: /);
  await page.getByRole("button", { name: "Take the changes back" }).click();
  await page.getByText("no faults").waitFor();
  await run(page);
  await context.close();
});

test("a link leads to the same set-up with its changes, which stay in the fragment", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Warp scheduler", "gto");
  await page.getByLabel("Other changes of the machine, with spaces between").fill("multiprocessor.l1.flat_latency=30");
  await page.getByRole("button", { name: /^Launch/ }).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// mine\n");
  await run(page);
  const cycles = await metric(page, "Elapsed Cycles");
  await page.getByRole("button", { name: "Share as a link" }).click();
  await page.waitForFunction(() => location.hash.startsWith("#setup="));
  const fragment = new URL(page.url()).hash;
  const other = await open(fragment);
  await ran(other.page);
  assert.equal(await metric(other.page, "Elapsed Cycles"), cycles);
  assert.equal(await other.page.getByLabel("Warp scheduler", { exact: true }).inputValue(), "gto");
  await other.page.getByRole("button", { name: /^Launch.*changed/ }).click();
  await other.page.waitForFunction(() => document.querySelector(".cm-content")?.textContent.startsWith("// mine"));
  assert.ok(other.asked.every((url) => !url.includes("setup")));
  await context.close();
  await other.context.close();
});

test("two schedulers run beside each other, with what differs and why", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Beside it", "gto");
  await run(page);
  await page.waitForSelector("#warps-b canvas[data-drawn]");
  assert.match(await page.textContent("#warps-title"), /^A: /);
  assert.match(await page.textContent("#warps-b-title"), /^B: /);
  await context.close();
});

test("machine code of a real GPU runs and computes what the GPU computed", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Launch", "machine-code/vector_add_10000.ron");
  await run(page);
  const lines = await page.$$eval("#outcome li", (lines) => lines.map((line) => line.className));
  assert.ok(lines.length > 0 && lines.every((line) => line === "good"), lines.join());
  await context.close();
});

// How fast the machine is that runs the tests every day is not known: only WARPLAB_LONG=1 holds the page to its word, with
// the simulator as it is built for people.
const slack = process.env.WARPLAB_LONG === "1" ? 1 : 20;
test("a million warp instructions take less than five seconds", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Launch", "launches/saxpy.ron");
  await run(page);
  const [, executed, seconds] = /([\d,]+) warp instructions in ([\d.]+) s/.exec(await page.textContent("#setup [role=status]"));
  const rate = Number(executed.replaceAll(",", "")) / Number(seconds);
  assert.ok(rate > 200_000 / slack, `${Math.round(rate)} warp instructions per second`);
  await context.close();
});

test("a run can be stopped, and another one started", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Launch", "launches/matmul_tiled.ron");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByText(/^Cycle [\d,]+/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await choose(page, "Launch", "launches/warp_states.ron");
  await run(page);
  assert.equal(await metric(page, "Elapsed Cycles"), "201");
  await context.close();
});

test("a hundred cycles on and a hundred back show the first state again", { skip }, async () => {
  const { page, context, complaints } = await open();
  await ran(page);
  await choose(page, "Beside it", "gto");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  const at = (cycle) => page.waitForSelector(`[data-cycle="${cycle}"]`, { timeout: 60_000 });
  const state = () =>
    page.$$eval("#steps tbody tr, .registers div, .counters li, .caches", (rows) =>
      rows.map((row) => [...row.childNodes].filter((it) => it.className !== "past").map((it) => it.textContent).join(" ")),
    );
  await at(0);
  await page.getByLabel("Cycle", { exact: true }).fill("60");
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await at(60);
  const first = await state();
  await page.getByLabel("100 cycles on", { exact: true }).click();
  await at(160);
  assert.notDeepEqual(await state(), first);
  await page.getByLabel("100 cycles back", { exact: true }).click();
  await at(60);
  assert.deepEqual(await state(), first);
  // With the keyboard: on and back.
  await page.locator("#steps").focus();
  await page.keyboard.press("ArrowRight");
  await at(61);
  await page.keyboard.press("Shift+ArrowLeft");
  await at(51);
  await page.locator("#steps").screenshot({ path: join(build, "laboratory-steps.png") });
  assert.deepEqual(complaints, []);
  await context.close();
});

test("a step goes to the next change of a warp, and to the issue of a line", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.waitForSelector('[data-cycle="0"]');
  await page.getByRole("button", { name: "Run until 0110 issues" }).click();
  await page.waitForSelector('[data-cycle]:not([data-cycle="0"])');
  const selected = await page.$$eval('[data-state="selected"] td.text', (cells) => cells.map((cell) => cell.textContent));
  assert.equal(selected.length, 1);
  assert.match(selected[0], /^0110 /);
  const before = await page.$$eval("[data-slot]", (rows) => rows.map((row) => row.dataset.state));
  const cycle = await page.getAttribute("[data-cycle]", "data-cycle");
  await page.getByRole("button", { name: "Next change of any warp" }).click();
  await page.waitForSelector(`[data-cycle]:not([data-cycle="${cycle}"])`);
  assert.notDeepEqual(await page.$$eval("[data-slot]", (rows) => rows.map((row) => row.dataset.state)), before);
  await context.close();
});

test("the source of a run and of its steps has the lines of CUDA", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  const line = page.locator("[data-table=lines] tr", { hasText: "c[i] = a[i] + b[i]" });
  assert.equal(await page.textContent("#source [aria-pressed=true]"), "vector_add.cu");
  assert.notEqual(await line.locator(".number").nth(1).textContent(), "");
  await page.getByRole("button", { name: "Step", exact: true }).click();
  const steps = page.locator("#steps");
  await steps.getByRole("button", { name: "vector_add.cu" }).click();
  const row = steps.locator("tr", { hasText: "c[i] = a[i] + b[i]" });
  await row.getByRole("button", { name: /^Run until \d+ issues$/ }).click();
  await page.waitForSelector('[data-cycle]:not([data-cycle="0"])');
  assert.ok((await row.locator(".warps").textContent()).length > 0);
  await context.close();
});

/** Steps to a cycle with the views of what is counted so far. */
async function counting(page, launch, cycle, machine = "textbook") {
  await ran(page);
  await choose(page, "Launch", launch);
  await choose(page, "Machine", machine);
  await page.getByRole("button", { name: "Step", exact: true }).click();
  await page.waitForSelector('[data-cycle="0"]', { timeout: 60_000 });
  await page.getByRole("button", { name: "Counted so far" }).click();
  await page.waitForSelector('[data-so-far="0"]', { timeout: 60_000 });
  if (cycle === 0) return;
  await page.getByLabel("Cycle", { exact: true }).fill(String(cycle));
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await counted(page, cycle);
}
const counted = (page, cycle) => page.waitForSelector(`[data-so-far="${cycle}"]`, { timeout: 60_000 });
/** All numbers of the sections, and what was counted of the instructions. */
const numbers = (page) =>
  page.$$eval("[data-section] tbody tr, [data-table=instructions] tbody tr", (rows) => rows.map((row) => row.textContent));

test("the views of a stepped launch have the numbers so far, and those from before after steps back", { skip }, async () => {
  const { page, context, complaints } = await open();
  await counting(page, "launches/warp_states.ron", 60);
  assert.equal(await metric(page, "Elapsed Cycles"), "61");
  assert.match(await page.textContent(".so-far"), /^So far, at cycle 60:/);
  assert.match(await page.textContent("#warps .says"), /^SM 0, cycles 1 to 61\./);
  const before = await numbers(page);
  await page.getByLabel("100 cycles on", { exact: true }).click();
  await counted(page, 160);
  assert.equal(await metric(page, "Elapsed Cycles"), "161");
  assert.notDeepEqual(await numbers(page), before);
  await page.getByLabel("100 cycles back", { exact: true }).click();
  await counted(page, 60);
  assert.deepEqual(await numbers(page), before);
  assert.deepEqual(complaints, []);
  await context.close();
});

test("at its end a stepped launch has the numbers of the run", { skip }, async () => {
  const { page, context } = await open();
  await counting(page, "launches/warp_states.ron", 0);
  await page.getByLabel("To the end", { exact: true }).click();
  await page.getByText("This launch has ended").waitFor();
  const stepped = await numbers(page);
  await page.getByRole("button", { name: "Counted so far" }).click();
  await page.waitForSelector(".so-far", { state: "detached" });
  assert.deepEqual(await numbers(page), stepped);
  await context.close();
});

test("of two schedulers that are stepped the numbers so far of each are shown", { skip }, async () => {
  const { page, context } = await open();
  await ran(page);
  await choose(page, "Beside it", "gto");
  await counting(page, "launches/warp_states.ron", 100);
  const first = await numbers(page);
  const text = await page.textContent("[data-table=instructions] tbody");
  await page.getByRole("group", { name: "Counted so far" }).getByRole("combobox").selectOption("gto");
  await page.waitForFunction((text) => document.querySelector("[data-table=instructions] tbody").textContent !== text, text);
  assert.notDeepEqual(await numbers(page), first);
  await context.close();
});

for (const [cycle, width, colorScheme] of [
  [0, 1200, "light"],
  [391, 1200, "dark"],
  [391, 400, "light"],
]) {
  test(`the views so far at cycle ${cycle} and ${width} pixels in ${colorScheme} colours: no complaint, nothing wider than the screen`, { skip }, async () => {
    const { page, context, complaints } = await open("", { viewport: { width, height: 900 }, colorScheme });
    await counting(page, "launches/histogram_shared.ron", cycle, "toy");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    await page.screenshot({ path: join(build, `laboratory-so-far-${cycle}-${width}-${colorScheme}.png`), fullPage: true });
    assert.deepEqual(await serious(page), []);
    assert.deepEqual(complaints.filter((text) => !text.includes("Content Security Policy")), []);
    await context.close();
  });
}

/** The answers of the solution's worksheet. */
function solution(lab) {
  const text = readFileSync(join(project, "configs/labs", lab, "solution/worksheet.ron"), "utf8");
  const entries = text.replace(/^\s*\/\/.*$/gm, "").matchAll(/"(\w+)":\s*("(?:[^"\\]|\\.)*"|-?[\d.]+)/g);
  return [...entries].map(([, id, value]) => [id, value.startsWith('"') ? JSON.parse(value) : value]).filter(([id]) => id !== "lab");
}

const labs = ["1-latency", "2-schedulers", "3-dependences", "4-littles-law", "5-divergence", "6-coalescing", "7-banks",
  "8-occupancy", "9-atomics", "10-dram", "11-matmul", "12-scheduler"];
for (const lab of labs) {
  test(`lab ${lab} is solved in the page`, { skip }, async () => {
    const { page, context } = await open(`#lab=${lab}`);
    await page.getByRole("heading", { level: 1, name: /^Lab / }).waitFor({ timeout: 60_000 });
    for (const [id, value] of solution(lab)) {
      const field = page.locator(`[name="${id}"]`);
      if ((await field.evaluate((it) => it.tagName)) === "SELECT") await field.selectOption(value);
      else await field.fill(value);
    }
    const programs = join(project, "configs/labs", lab, "solution");
    for (const editor of await page.locator(".questions .editor .cm-content").all()) {
      const name = (await editor.getAttribute("aria-label")).replace("Text of ", "");
      await editor.click();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText(readFileSync(join(programs, name), "utf8"));
    }
    await page.getByRole("button", { name: "Check", exact: true }).click();
    const told = page.locator(".questions [role=status]").getByText(/\d+ of \d+ hold/);
    await told.waitFor({ timeout: 240_000 });
    const [, held, of] = /(\d+) of (\d+)/.exec(await told.textContent());
    assert.equal(held, of, await page.textContent(".questions"));
    await context.close();
  });
}

test("a wrong prediction gets its hint before the number", { skip }, async () => {
  const { page, context } = await open("#lab=1-latency");
  await page.locator('[name="cycles_between"]').fill("1");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  const judged = page.locator(".judged.wrong");
  await judged.waitFor({ timeout: 60_000 });
  const text = await judged.textContent();
  assert.match(text, /One instruction per cycle is what the issue slot can do\./);
  assert.doesNotMatch(text, /simulated/);
  await context.close();
});
