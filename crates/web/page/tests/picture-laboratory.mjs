// Makes the picture of the laboratory: node tests/picture-laboratory.mjs ADDRESS, where `warplab serve` says the address.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch } from "./harness.mjs";

const pictures = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/pictures");
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: "light" });
await page.goto(process.argv[2]);
await page.waitForSelector("#warps canvas[data-drawn]");
await page.getByLabel("Launch", { exact: true }).selectOption("launches/histogram_shared.ron");
await page.getByLabel("Machine", { exact: true }).selectOption("toy");
await page.getByRole("button", { name: "Step", exact: true }).click();
await page.getByLabel("Cycle", { exact: true }).fill("360");
await page.getByRole("button", { name: "Go", exact: true }).click();
for (let cycle = 360; cycle < 391; cycle += 1) {
  await page.waitForSelector(`[data-cycle="${cycle}"]`);
  await page.getByLabel("One cycle on").click();
}
await page.waitForSelector('[data-cycle="391"]');
await page.locator('[data-slot="4"]').click();
await page.waitForSelector('tr.chosen[data-slot="4"]');
await page.getByLabel("Cycle", { exact: true }).fill("");
await page.locator("#steps").screenshot({ path: join(pictures, "laboratory.png") });
await browser.close();
