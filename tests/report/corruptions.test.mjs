// corruptions.test.mjs MAKER CORRUPTIONS.json: the page of leeway shift corrupt, in Chromium.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { desktop, draw, expectQuiet, hover, launch, run } from "./browser.mjs";

const [maker, path] = process.argv.slice(2);
const browser = await launch();
const drawn = { ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) };

const tests = {
  async "the page loads nothing and complains of nothing, on a desk and on a phone, in light and in dark"() {
    await expectQuiet(browser, drawn.address);
  },

  async "the heat map has a cell for each corruption and severity, the clean images first, and says their numbers"() {
    const { page, complaints, close } = await browser.open(drawn.address, desktop);
    const run = drawn.record.results.filter((set) => set.accuracy !== null);
    const rows = new Set(drawn.record.results.map((set) => set.corruption)).size;
    const figure = page.locator("figure[data-spec=cells]").first();
    const rects = figure.locator("g.mark-rect").last().locator("path");
    assert.equal(await rects.count(), run.length + rows);
    const words = await hover(page, rects.nth(rows));
    assert.ok(words.includes(`${run[0].corruption}, severity ${run[0].severity}`), words);
    const agreements = page.locator("figure[data-spec=cells]").nth(1).locator("g.mark-rect").last().locator("path");
    assert.equal(await agreements.count(), drawn.record.results.filter((set) => set.pa !== null).length);
    assert.ok((await hover(page, agreements.first())).includes("PA "));
    assert.deepEqual(complaints, []);
    await close();
  },

  async "each group has its lines over severity, of accuracy or of agreement"() {
    const { page, complaints, close } = await browser.open(drawn.address, desktop);
    const groups = new Set(drawn.record.results.filter((set) => set.accuracy !== null).map((set) => set.group)).size;
    assert.equal(await page.locator("#severity figure[data-spec=lines]").count(), groups);
    await page.locator("#severity select").selectOption("1");
    assert.deepEqual(complaints, []);
    await close();
  },
};

process.exit(await run(browser, tests));
