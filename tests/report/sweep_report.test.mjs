// sweep_report.test.mjs MAKER SWEEP_REPORT.json: the page of leeway sweep report, in Chromium.
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

  async "the heat map has a cell for each algorithm and case, and says its number, its interval and its seeds"() {
    const { page, complaints, close } = await browser.open(drawn.address, desktop);
    const { results, starts } = drawn.record;
    const known = results.filter((cell) => cell.start === starts[0] && cell.setting === null && cell.value !== null);
    const rects = page.locator("figure[data-spec=cells]").first().locator("g.mark-rect").last().locator("path");
    assert.equal(await rects.count(), known.length);
    const words = await hover(page, rects.first());
    assert.ok(words.includes(`${known[0].algorithm}, ${known[0].case}`) && words.includes(`${known[0].value_seeds} seeds`), words);
    assert.ok(words.includes((100 * known[0].value).toFixed(0).slice(0, 1)), words);
    assert.deepEqual(complaints, []);
    await close();
  },

  async "changes are blue where they are better and orange where they are worse"() {
    const { page, complaints, close } = await browser.open(drawn.address, desktop);
    const fills = await page.locator("#changes figure[data-spec=cells] g.mark-rect").last().locator("path")
      .evaluateAll((all) => all.map((path) => path.getAttribute("fill")));
    const shown = drawn.record.changes.filter((change) => change.start === drawn.record.starts[0] && change.change !== null);
    assert.equal(fills.length, shown.length);
    assert.equal(fills.filter((fill) => fill === "var(--m0)").length, shown.filter((change) => change.change >= 0).length);
    assert.deepEqual(complaints, []);
    await close();
  },
};

process.exit(await run(browser, tests));
