// notebooks.test.mjs FOLDER: what leeway's results show inside the notebooks of FOLDER, in Chromium. Exit 0: all well; 1: something is
// not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { desktop, launch, overflow, phone, run, temporaryFolder } from "./browser.mjs";

const [folder] = process.argv.slice(2);
const browser = await launch();
const outputs = readdirSync(folder).filter((name) => name.endsWith(".ipynb")).flatMap((name) =>
  JSON.parse(readFileSync(join(folder, name), "utf8")).cells.flatMap((cell) => cell.outputs ?? [])
    .map((output) => [output.data?.["text/html"] ?? []].flat().join("")).filter((html) => html.startsWith("<iframe"))
    .map((html) => ({ name, html })));

// A page around one output, as a notebook's. `sandbox`: what the frame may do otherwise.
const around = ({ html }, sandbox) => {
  const file = join(temporaryFolder(), "notebook.html");
  const frame = sandbox === undefined ? html : html.replace('sandbox="allow-scripts"', `sandbox="${sandbox}"`);
  writeFileSync(file, `<!doctype html><meta name="viewport" content="width=device-width"><body data-ready="1" style="margin: 0">${frame}`);
  return pathToFileURL(file).href;
};

const opened = async (output, options, sandbox) => {
  const there = await browser.open(around(output, sandbox), options);
  return { ...there, frame: there.page.frames()[1] };
};

const tests = {
  async "there is an output of leeway's in every notebook"() {
    assert.ok(new Set(outputs.map(({ name }) => name)).size === 3, outputs.map(({ name }) => name).join());
  },

  async "charts are drawn, on a desk and on a phone, in light and in dark, and nothing is loaded, complained of or too wide"() {
    for (const output of outputs) for (const options of [desktop, phone]) for (const colorScheme of ["light", "dark"]) {
      const { page, frame, complaints, requests, close } = await opened(output, { ...options, colorScheme });
      await frame.waitForFunction(() => {  // a frame that is resized draws its charts again
        const plots = [...document.querySelectorAll("figure.chart .plot")].filter((plot) => plot.clientWidth > 0);
        return plots.length > 0 && plots.every((plot) => plot.querySelectorAll("svg :is(path, line, text)").length > 10);
      });
      assert.equal(await frame.evaluate(() => getComputedStyle(document.body).backgroundColor), colorScheme === "dark" ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
      for (const inside of [page, frame]) assert.ok(await overflow(inside) <= 0, output.name);
      assert.deepEqual(complaints, []);
      assert.deepEqual(requests.filter((url) => !/^(data|file|about|blob):/.test(url)), []);
      await close();
    }
  },

  async "a click sorts a table and follows a link of the contents"() {
    const { frame, close } = await opened(outputs[0], desktop);
    await frame.waitForSelector("body[data-ready='1']");
    const head = frame.locator("th:has(.sort)").first(), before = await head.getAttribute("aria-sort");
    await head.locator(".sort").click();
    assert.notEqual(await head.getAttribute("aria-sort"), before);
    await frame.locator("nav.contents a").last().click();
    await frame.waitForFunction(() => scrollY > 100);
    await close();
  },

  async "scripts cannot reach the notebook"() {
    const { frame, close } = await opened(outputs[0], desktop);
    assert.equal(await frame.evaluate(() => { try { return parent.document.title; } catch { return "refused"; } }), "refused");
    await close();
  },

  async "without scripts there are tables, and no empty charts"() {
    const { page, close } = await browser.open(around(outputs[0], ""), desktop);
    const frame = page.frameLocator("iframe");
    assert.ok(await frame.locator("table.data").first().isVisible());
    assert.equal(await frame.locator(".charts:visible").count(), 0);
    assert.ok(await frame.locator(".noscript").isVisible());
    await close();
  },
};

process.exit(await run(browser, tests));
