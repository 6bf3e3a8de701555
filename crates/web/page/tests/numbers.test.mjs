// Everything on the page equals the text report's numbers.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { build, launch, missing, open } from "./harness.mjs";
import { report, unbuilt, written } from "./program.mjs";

const skip = missing || unbuilt;
let browser;
before(async () => {
  if (!skip) browser = await launch();
});
after(() => browser?.close());

/** The rows of the report's sections: title, label, value. The rules under the heads say where columns begin. */
function sectionRows(text) {
  const rows = [];
  let title;
  let columns = [];
  let rules = 0;
  for (const line of text.split("\n")) {
    const section = /^ {4}Section: (.*)$/.exec(line);
    if (section) [title, rules] = [section[1], 0];
    else if (/^ {4}-[- ]+$/.test(line)) {
      rules += 1;
      columns = [...line.matchAll(/-+/g)].map((rule) => rule.index);
    } else if (title && rules === 2) rows.push([title, line.slice(4, columns[1]).trim(), line.slice(columns[2]).trim()]);
  }
  return rows;
}

for (const name of ["warp_states", "saxpy"]) {
  test(`the sections of ${name} are those of the text report`, { skip }, async () => {
    const { page, context } = await open(browser, written(name).url);
    const shown = await page.$$eval("[data-section]", (sections) =>
      sections.flatMap((section) =>
        [...section.querySelectorAll("tbody tr")].map((row) => [
          section.querySelector("h3").textContent,
          row.querySelector("th").firstChild.textContent,
          row.querySelector("td.number").textContent,
        ]),
      ),
    );
    const told = sectionRows(report(name, "all"));
    assert.ok(told.length > 80, `${told.length} rows`);
    assert.deepEqual(shown, told);
    await context.close();
  });

  test(`the instructions of ${name} cost what the text report says`, { skip }, async () => {
    const { page, context } = await open(browser, written(name).url);
    const shown = await page.$$eval('[data-table="instructions"] tbody tr', (rows) =>
      rows.map((row) => {
        const cells = [...row.cells].map((cell) => cell.textContent.trim());
        return [cells[0], cells[1], cells[2], cells[3], cells[5], cells[6], cells[7]];
      }),
    );
    const text = report(name, "source-counters");
    const lines = text.slice(text.indexOf("Instructions on sm0")).split("\n");
    const told = lines
      .map((line) => /^ +([0-9a-f]{4})  (.*?) {2,}([\d,]+) +([\d,]+) +([\d,]+) +([\d.]+)(?:  (.*))?$/.exec(line))
      .filter(Boolean)
      .map(([, address, instruction, executed, threads, waited, share, rest]) => [
        address,
        instruction,
        executed,
        threads,
        waited,
        share,
        (rest ?? "").trim().split(/ {2,}/)[0].replace(/^\S*:\d+$|^line \d+$/, ""),
      ]);
    assert.ok(told.length > 10, `${told.length} instructions`);
    assert.deepEqual(shown, told);
    await context.close();
  });
}

test("a line of CUDA has the executions, the lanes and the waits of its instructions", { skip }, async () => {
  const { url, document } = written("saxpy");
  const { page, context } = await open(browser, url);
  const { texts, instructions } = document.launches[0].code;
  const cuda = texts.findIndex(({ name }) => name.endsWith("saxpy.cu"));
  const shown = await page.$$eval("[data-table=lines] tbody tr", (rows) =>
    rows.filter((row) => row.dataset.pcs).map((row) => [...row.querySelectorAll(".number")].map((cell) => cell.textContent)),
  );
  const sums = new Map();
  for (const { places, executed, threads, waited } of instructions) {
    const line = places.find(([text]) => text === cuda)?.[1];
    if (line === undefined) continue;
    const sum = sums.get(line) ?? [0, 0, 0];
    sums.set(line, [sum[0] + executed, sum[1] + threads, sum[2] + waited]);
  }
  const counted = [...sums].sort(([a], [b]) => a - b);
  const count = (value) => (value === 0 ? "" : value.toLocaleString("en-US"));
  assert.deepEqual(
    shown,
    counted.map(([line, [executed, threads, waited]]) => [
      String(line),
      count(executed),
      (threads / executed).toFixed(2),
      count(waited),
    ]),
  );
  assert.ok(counted.length >= 2, `${counted.length} lines`);
  await context.close();
});

test("the chart of memory and the table of queues show the numbers of their metrics", { skip }, async () => {
  const { url, document } = written("saxpy");
  const { page, context } = await open(browser, url);
  const metrics = new Map(document.launches[0].sections.flatMap((section) => section.metrics.map((it) => [it.id, it])));
  await page.click("#memory summary");
  await page.click("#queues summary");
  const loads = await page.$$eval("#memory tbody tr", (rows) => [...rows[0].cells].map((cell) => cell.textContent));
  assert.equal(loads[3], metrics.get("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum").shown);
  assert.equal(loads[4], metrics.get("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").shown);
  const queue = await page.$$eval("#queues tbody tr", (rows) => [...rows[0].cells].map((cell) => cell.textContent));
  assert.equal(queue[3], metrics.get("warplab__queue_loads_latency.avg").shown);
  const counted = document.launches[0].queues[0].classes.reduce((sum, { count }) => sum + count, 0);
  assert.equal(counted, metrics.get("warplab__queue_loads_arrivals.sum").value);
  await context.close();
});

test("the halves of L2 stand inside it with what they sent each other", { skip }, async () => {
  const { url, document } = written("saxpy");
  const { page, context } = await open(browser, url);
  const metrics = new Map(document.launches[0].sections.flatMap((section) => section.metrics.map((it) => [it.id, it])));
  assert.deepEqual(await page.$$eval("#memory h4", (heads) => heads.map((head) => head.textContent)), [
    "L2 Near Half",
    "L2 Far Half",
  ]);
  await page.click("#memory summary");
  const rows = await page.$$eval("#memory tbody tr", (rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const between = rows.filter(([from, to]) => [from, to].every((name) => /^L2 (Near|Far) Half$/.test(name)));
  const sectors = between.reduce((sum, row) => sum + Number(row[4].replaceAll(",", "")), 0);
  assert.equal(between.length, 2);
  assert.equal(sectors, metrics.get("lts__t_sectors_srcunit_ltcfabric.sum").value);
  assert.ok(sectors > 0);
  await page.locator("#memory").screenshot({ path: join(build, "memory.png") });
  await context.close();
});

test("L2 in one piece is shown without halves", { skip }, async () => {
  const { page, context } = await open(browser, written("warp_states").url);
  assert.equal(await page.locator("#memory .unit").count(), 4);
  assert.equal(await page.locator("#memory .halves").count(), 0);
  await context.close();
});

test("issue slots of the window are used as often as instructions issued", { skip }, async () => {
  const { url, document } = written("warp_states");
  const { page, context } = await open(browser, url);
  await page.click("#warps summary");
  const slots = await page.$$eval("#warps table:last-of-type tbody tr", (rows) =>
    [...rows[0].cells].map((cell) => cell.textContent),
  );
  const issued = document.launches[0].sections.flatMap((section) => section.metrics).find((it) => it.id === "smsp__inst_issued.sum");
  assert.deepEqual(slots.slice(1, 3), [issued.shown, "39"]);
  await context.close();
});
