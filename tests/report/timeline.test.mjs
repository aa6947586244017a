// timeline.test.mjs MAKER TIME.json: the section of a target over time, in Chromium.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { desktop, draw, expectQuiet, hover, launch, phone, run } from "./browser.mjs";

const [maker, path] = process.argv.slice(2);
const browser = await launch();
const time = { ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) };
const [timeline] = time.record.over_time.timelines, chunks = timeline.chunks;
const isLow = (chunk) => chunk.bands.accuracy.below;

const tests = {
  async "the page loads nothing and complains of nothing, on a desk and on a phone, in light and in dark"() {
    await expectQuiet(browser, time.address);
  },

  async "accuracy over time has a mark for every chunk, another one outside the source's range, and the range as a band"() {
    const { page, complaints, close } = await browser.open(time.address, desktop);
    const figure = page.locator("#time figure[data-spec=timeline]").first();
    const low = chunks.filter(isLow);
    assert.ok(low.length > 0 && low.length < chunks.length);
    const symbols = figure.locator("g.mark-symbol path");
    assert.equal(await symbols.count(), chunks.length);
    const fills = await symbols.evaluateAll((marks) => marks.map((mark) => mark.getAttribute("fill")));
    assert.equal(fills.filter((fill) => fill === "var(--m1)").length, low.length);
    assert.ok(await figure.locator("g.mark-area path").count() > 0);
    assert.ok((await figure.textContent()).includes(`first outside: ${low[0].chunk}`));
    assert.ok((await figure.textContent()).includes(`${low.length} of ${chunks.length} chunks outside`));
    assert.deepEqual(complaints, []);
    await close();
  },

  async "the pointer on a chunk says its value, its interval, the source's range and n"() {
    const { page, close } = await browser.open(time.address, desktop);
    const rects = page.locator("#time figure[data-spec=timeline]").first().locator("g.mark-rect path");
    const percent = (share) => `${(100 * share).toFixed(1)}%`;
    for (const i of [0, chunks.length - 1]) {
      const chunk = chunks[i], words = await hover(page, rects.nth(i)), band = chunk.bands.accuracy;
      for (const part of [chunk.chunk, percent(chunk.accuracy), `(${percent(chunk.accuracy_low)} to ${percent(chunk.accuracy_high)})`,
        `source: ${percent(band.low)} to ${percent(band.high)}`, `n = ${chunk.n}`])
        assert.ok(words.includes(part), `${part} in ${words}`);
    }
    await close();
  },

  async "on a phone the charts keep their width, and the numbers are one click away"() {
    const { page, close } = await browser.open(time.address, phone);
    await page.waitForFunction(() => {  // charts are drawn as the page is scrolled to
      const box = document.querySelector("#time figure[data-spec=timeline] svg").getBoundingClientRect();
      return box.width > 300 && box.left >= 0 && box.right <= 390;
    });
    await page.locator("#time details.numbers summary").first().click();
    await page.locator("#time details.numbers table").first().locator("tbody tr").first().waitFor();  // the table is written after the click
    assert.ok(await page.locator("#time details.numbers table").first().locator("tbody tr").count() >= chunks.length);
    await close();
  },
};

process.exit(await run(browser, tests));
