// Chromium for the tests of pages and for tools/figures.mjs. Without playwright-core or chromium the process ends with
// status 77, which ctest counts as skipped, and says how to get them.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const skip = (reason) => {
  console.log("skipped: " + reason);
  process.exit(77);
};

export const desktop = { viewport: { width: 1280, height: 800 } };
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
export const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

// A browser whose open() gives a page that notes all it complains of and asks for.
export const launch = async () => {
  let chromium;
  try {
    ({ chromium } = createRequire(import.meta.url)("playwright-core"));
  } catch {
    skip("playwright-core is absent; npm --prefix tests/report ci installs it");
  }
  const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
  if (!executablePath) skip("chromium is absent; Debian's package chromium has it");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-quic"] });
  const open = async (address, options) => {
    const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"], ...options });
    const page = await context.newPage();
    const complaints = [], requests = [];
    page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(address);
    await page.waitForSelector("body[data-ready='1']", { timeout: 60000 });
    return { page, context, complaints, requests, close: () => context.close() };
  };
  return { open, close: () => browser.close() };
};

// {what the test says: test(page, ...more)} on the page of an address, which must not complain.
export const visits = (browser, address, options, tests, ...more) => Object.fromEntries(Object.entries(tests).map(([title, test]) => [title, async () => {
  const { page, complaints, close } = await browser.open(address, options);
  await test(page, ...more);
  assert.deepEqual(complaints, []);
  await close();
}]));

// Rests the pointer on a mark and reads the tooltip.
export const hover = async (page, mark) => {
  await mark.scrollIntoViewIfNeeded();
  const box = await mark.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const tip = page.locator("#tip");
  await tip.waitFor({ state: "visible" });
  return tip.textContent();
};

// Nothing is loaded, complained of or wider than the page, on a desk and on a phone, in light and in dark, all opened.
export const expectQuiet = async (browser, address) => {
  for (const options of [desktop, { ...phone, colorScheme: "dark" }]) {
    const { page, complaints, requests, close } = await browser.open(address, options);
    for (const summary of await page.locator("summary:visible").all()) await summary.click();
    assert.deepEqual(requests.filter((url) => !url.startsWith("data:")), [address]);
    assert.deepEqual(complaints, []);
    assert.ok(await overflow(page) <= 0);
    await close();
  }
};

// Where drawn marks begin and end along x, as shares of the axis, read off the grid's first and last line.
export const extents = (figure, mark) => figure.evaluate((element, name) => {
  const grid = [...element.querySelectorAll(".role-axis-grid line")].map((line) => line.getBoundingClientRect().x);
  const [low, high] = [Math.min(...grid), Math.max(...grid)];
  return [...element.querySelectorAll(`g.mark-${name}`)].map((group) => [...group.querySelectorAll("path, line")].map((drawn) => {
    const box = drawn.getBoundingClientRect();
    return [box.x, box.x + box.width].map((x) => (x - low) / (high - low));
  }));
}, mark);

const folders = [];
export const temporaryFolder = () => {
  folders.push(mkdtempSync(join(tmpdir(), "leeway-page-")));
  return folders.at(-1);
};

// The page of a record, drawn by MAKER in a folder that goes when the tests end.
export const draw = (maker, recordPath) => {
  const file = join(temporaryFolder(), "report.html");
  execFileSync(maker, [recordPath, file]);
  return { file, address: pathToFileURL(file).href };
};

// Runs {name: test} one by one; the exit status.
export const run = async (browser, tests) => {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log("ok      " + name);
    } catch (error) {
      failed += 1;
      console.log("FAILED  " + name + "\n" + (error.stack ?? error));
    }
  }
  await browser.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  return failed > 0 ? 1 : 0;
};
