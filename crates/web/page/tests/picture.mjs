// Makes the picture of the README: node tests/picture.mjs
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, open } from "./harness.mjs";
import { written } from "./program.mjs";

const pictures = join(dirname(fileURLToPath(import.meta.url)), "../../../../docs/pictures");
const browser = await launch();
const { page } = await open(browser, written("warp_states").url, { viewport: { width: 1200, height: 900 }, colorScheme: "light" });
const canvas = page.locator("#warps canvas");
await canvas.evaluate((it) => it.scrollIntoView({ block: "center", behavior: "instant" }));
const box = await canvas.boundingBox();
await page.mouse.click(box.x + 76 + 0.75 * (box.width - 76), box.y + 45);
await page.mouse.move(5, 5);
await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
const bottom = await page.$eval("#warps-told", (it) => it.getBoundingClientRect().bottom + 24);
await page.setViewportSize({ width: 1200, height: Math.ceil(bottom) });
await page.waitForTimeout(300);
await page.screenshot({ path: join(pictures, "page.png") });
await browser.close();
