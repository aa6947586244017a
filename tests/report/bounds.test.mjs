// bounds.test.mjs MAKER ASSESS.json BOUND.json EVALUATE.json: what pages say of errors without labels, in Chromium.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { desktop, draw, expectQuiet, extents, hover, launch, phone, run } from "./browser.mjs";

const [maker, ...paths] = process.argv.slice(2);
const browser = await launch();
const [assess, bound, evaluation] = paths.map((path) => ({ ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) }));

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const chartOf = (page, title) => page.locator(`#bounds figure[data-spec=errors]:has(strong:text-is("${title}"))`);
const near = (found, expected, what) => assert.ok(Math.abs(found - expected) < .01, `${what}: ${found}, expected ${expected}`);

const methods = (result) => Object.keys(result.estimates).filter((key) => !/_(low|high)$/.test(key));

const tests = {
  async "pages load nothing and complain of nothing, on a desk and on a phone, in light and in dark"() {
    for (const { address } of [bound, evaluation]) await expectQuiet(browser, address);
  },

  async "an assessment has a chart a result: the terms end to end, a point an estimate, a stroke at the truth"() {
    const { page, complaints, close } = await browser.open(assess.address, desktop);
    const { results } = assess.record;
    const figures = page.locator("#bounds figure[data-spec=errors]");
    assert.equal(await figures.count(), results.length);
    const result = results.find((one) => one.target === "pgd 8/255" && one.model === "CNN"), terms = result.error_bound_terms;
    const figure = chartOf(page, "CNN under pgd 8/255");
    const bars = (await extents(figure, "rect")).slice(0, 3).map((group) => group[0]);
    let end = 0;
    for (const [index, term] of [terms.source_error, terms.discrepancy, terms.concentration].entries()) {
      near(bars[index][0], end, `start of term ${index}`);
      near(bars[index][1], end = Math.min(1, end + term), `end of term ${index}`);
    }
    near(end, result.error_bound, "the sum of the terms");
    assert.equal(await figure.locator("g.mark-symbol path").count(), methods(result).length);
    const truth = (await extents(figure, "rule")).at(-1)[0];
    near((truth[0] + truth[1]) / 2, 1 - result.accuracy, "the truth");
    assert.ok((await figure.textContent()).includes(`true ${percent(1 - result.accuracy)}`));
    assert.deepEqual(complaints, []);
    await close();
  },

  async "a bar says its terms, a point its interval, and a target without labels has no truth"() {
    const { page, close } = await browser.open(assess.address, desktop);
    const figure = chartOf(page, "CNN under blur 2");
    const result = assess.record.results.find((one) => one.target === "blur 2" && one.model === "CNN");
    const rows = figure.locator("g.mark-rect").last().locator("path");
    const words = await hover(page, rows.nth(0));
    assert.ok(words.includes(`error at most ${percent(result.error_bound)}`) && words.includes(`+ ${percent(result.error_bound_terms.discrepancy)} discrepancy`), words);
    const estimate = await hover(page, rows.nth(1)), { ac, ac_low, ac_high } = result.estimates;
    assert.ok(estimate.includes(`${percent(ac)} (${percent(ac_low)} to ${percent(ac_high)})`), estimate);
    const unlabelled = chartOf(page, "CNN under shop photos");
    assert.ok(!(await unlabelled.textContent()).includes("true "));
    await close();
  },

  async "the numbers behind the charts are a table"() {
    const { page, close } = await browser.open(assess.address, desktop);
    await page.locator("#bounds details.numbers summary").click();
    await page.locator("#bounds details.numbers tbody tr").first().waitFor();  // the table is written after the click
    const { results } = assess.record;
    const rows = results.reduce((sum, result) => sum + 1 + methods(result).length, 0);
    assert.equal(await page.locator("#bounds details.numbers tbody tr").count(), rows);
    await close();
  },

  async "the page of a bound draws every inequality, every estimate and every restart"() {
    const { page, close } = await browser.open(bound.address, desktop);
    const { dis2, results, target } = bound.record;
    const figure = page.locator("figure[data-spec=errors]");
    const bars = (await extents(figure, "rect")).slice(0, 3);
    for (const [index, one] of dis2.concentrations.entries()) near(bars[2][index][1], one.bound, one.name);
    assert.equal(await figure.locator("g.mark-symbol path").count(), results.filter((one) => !one.is_bound).length);
    assert.ok((await figure.textContent()).includes(`true ${percent(target.error)}`));
    const restarts = page.locator("#restarts g.mark-symbol").last().locator("path");
    assert.equal(await restarts.count(), 2 * dis2.restarts.length);
    const words = await hover(page, restarts.nth(dis2.restarts.length + 2));
    assert.ok(words.includes("restart 3") && words.includes(`discrepancy ${percent(dis2.restarts[2])}`), words);
    await close();
  },

  async "a shift is a point at its true and its predicted error, on the right side of the line"() {
    const { page, close } = await browser.open(evaluation.address, desktop);
    const { results } = evaluation.record;
    const figures = page.locator("figure[data-spec=scatter]");
    assert.equal(await figures.count(), results.length);
    const { points } = results[0], marks = figures.first().locator("g.mark-symbol path");
    assert.equal(await marks.count(), points.length);
    const [x] = (await extents(figures.first(), "symbol"));
    const errors = points.map((point) => 1 - point.truth), top = Math.min(1, Math.ceil(10 * Math.max(...results.flatMap((one) => one.points.flatMap((point) => [1 - point.truth, 1 - point.predicted])))) / 10);
    for (const [index, [low, high]] of x.entries()) near((low + high) / 2, errors[index] / top, `point ${index}`);
    const understated = points.filter((point) => point.predicted > point.truth).length;
    assert.equal(await figures.first().locator("g.mark-symbol path[fill='var(--m1)']").count(), understated);
    const words = await hover(page, marks.nth(3));
    assert.ok(/predicted \d+\.\d%\ntrue \d+\.\d%/.test(words), words);
    await close();
  },

  async "violation rates stand against their delta, and how far errors are understated"() {
    const { page, close } = await browser.open(evaluation.address, desktop);
    const charts = page.locator("#violations figure[data-spec=lines]");
    assert.ok((await charts.first().textContent()).includes("allowed"));
    assert.equal(await charts.first().locator("g.mark-symbol").last().locator("path").count(), 3 + 2);
    assert.ok((await charts.nth(1).textContent()).includes("understated by more than, points"));
    const names = await charts.nth(1).textContent();
    for (const { method } of evaluation.record.results.slice(0, 4)) assert.ok(names.includes(method), names);
    await close();
  },
};

process.exit(await run(browser, tests));
