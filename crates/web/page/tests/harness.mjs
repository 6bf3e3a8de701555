// Opens pages in a headless Chromium: Debian's, or the one that CHROMIUM names.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
export const build = join(root, "build");
mkdirSync(build, { recursive: true });

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .filter(Boolean)
  .find((path) => existsSync(path));

/** Why the tests cannot run, if so. */
export const missing = executablePath ? false : "no Chromium was found; install one, or name it in CHROMIUM";

export function launch() {
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** The file of a page that shows a document with the views as they are built. */
export function pageOf(name, document) {
  const part = (file) => readFileSync(join(root, "dist", file), "utf8");
  const data = JSON.stringify(document).replaceAll("<", "\\u003c");
  const file = join(build, `${name}.html`);
  writeFileSync(
    file,
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${name}</title><style>${part("page.css")}</style></head><body><div id="page"></div><script type="application/json" id="document">${data}</script><script>${part("page.js")}</script></body></html>`,
  );
  return pathToFileURL(file).href;
}

/** A page with what it complained of. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => request.url().startsWith("file:") || complaints.push(`asked for ${request.url()}`));
  await page.goto(url);
  // The page of the course has no timeline.
  if (await page.$("#document")) await page.waitForSelector("canvas[data-drawn]", { timeout: 10_000 }).catch(() => {});
  await page.waitForFunction(() => [...document.querySelectorAll(".chart")].every((chart) => chart.childElementCount > 0));
  return { page, context, complaints };
}
