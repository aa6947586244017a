// describe.test.mjs MAKER DESCRIBE.json: the page of leeway conds describe, in Chromium.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { desktop, draw, expectQuiet, hover, launch, run } from "./browser.mjs";

const [maker, path] = process.argv.slice(2);
const browser = await launch();
const described = { ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) };

const tests = {
  async "the page loads nothing and complains of nothing, on a desk and on a phone, in light and in dark"() {
    await expectQuiet(browser, described.address);
  },

  async "a map shows the cells of label and attribute, and says their numbers"() {
    const { page, complaints, close } = await browser.open(described.address, desktop);
    const [result] = described.record.results, [label, color] = result.columns;
    const figure = page.locator("#cells figure[data-spec=cells]").first();
    const rects = figure.locator("g.mark-rect").last().locator("path");
    const counts = label.values.flatMap((shape) => color.values.map((value) => [shape, value, result.cells
      .filter(({ values }) => values[0] === shape && values[1] === value).reduce((sum, cell) => sum + cell.n_source, 0)])).filter(([, , n]) => n > 0);
    assert.equal(await rects.count(), counts.length);  // cells without samples stay empty
    const words = await hover(page, rects.first()), [shape, value, n] = counts[0];
    assert.ok(words.includes(`${shape}, ${value}`) && words.includes(`${n} samples`), words);
    await page.locator("#cells select").selectOption("1");
    assert.ok((await figure.textContent()).includes(result.columns[2].name));
    assert.deepEqual(complaints, []);
    await close();
  },
};

process.exit(await run(browser, tests));
