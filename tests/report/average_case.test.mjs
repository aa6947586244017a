// average_case.test.mjs MAKER RECORD.json: the page of average-case robustness, in Chromium.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { desktop, draw, expectQuiet, extents, hover, launch, run } from "./browser.mjs";

const [maker, path] = process.argv.slice(2);
const browser = await launch();
const record = JSON.parse(readFileSync(path, "utf8"));
const { address } = draw(maker, path);
const sigmas = [...new Set(record.results.map((one) => one.sigma))];
const probabilities = record.methods.filter((one) => one.probability), scores = record.methods.filter((one) => !one.probability);
const points = (figure) => figure.locator("g.mark-symbol").last().locator("path");
const titled = (page, title) => page.locator(`figure[data-spec=lines]:has(strong:text-is("${title}"))`);
const near = (found, expected, what) => assert.ok(Math.abs(found - expected) < .015, `${what}: ${found}, expected ${expected}`);

const tests = {
  async "loads nothing and complains of nothing, on a desk and on a phone, in light and in dark"() {
    await expectQuiet(browser, address);
  },

  async "a line a method over sigma, probabilities and scores apart, named at their ends"() {
    const { page, complaints, close } = await browser.open(address, desktop);
    for (const [title, methods] of [["Mean probability to survive", probabilities], ["Mean score", scores]]) {
      const figure = titled(page, title);
      assert.equal(await points(figure).count(), methods.length * sigmas.length);
      const text = await figure.textContent();
      for (const { method } of methods) assert.ok(text.includes(method), text);
    }
    const words = await hover(page, points(titled(page, "Mean probability to survive")).nth(sigmas.length - 1));
    const last = record.results.find((one) => one.method === probabilities[0].method && one.sigma === sigmas.at(-1));
    near(Number(/mean ([\d.]+)%/.exec(words)[1]) / 100, last.mean, words);
    assert.ok(words.includes(`n = ${last.n}`), words);
    assert.deepEqual(complaints, []);
    await close();
  },

  async "distances from Monte Carlo stand beside what chance alone would show"() {
    const { page, close } = await browser.open(address, desktop);
    const figure = titled(page, "Distance from Monte Carlo");
    assert.ok((await figure.textContent()).includes("chance alone"));
    assert.equal(await points(figure).count(), probabilities.length * sigmas.length);  // mc's place is chance's
    assert.equal(await page.locator("#error table.data tbody tr").first().locator("xpath=../tr").count(), record.against_monte_carlo.length);
    await close();
  },

  async "quantiles of every class stand where the record has them, worst first, in every panel alike"() {
    const { page, close } = await browser.open(address, desktop);
    const figures = page.locator("#classes figure[data-spec=spread]");
    assert.equal(await figures.count(), sigmas.length);
    const strongest = record.class_bias.at(-1).classes.toSorted((a, b) => a.mean - b.mean);
    const figure = figures.last();
    const [halves] = await extents(figure, "rect");
    for (const [row, one] of strongest.entries()) {
      near(halves[row][0], one.quantiles["0.25"], `25% of class ${one.name}`);
      near(halves[row][1], one.quantiles["0.75"], `75% of class ${one.name}`);
    }
    const differing = strongest.filter((one) => one.p_value < 1 - record.options.level).length;
    assert.ok(differing > 0);
    assert.equal(await figure.locator("g.mark-symbol path[fill='var(--m1)']").count(), differing);
    const words = await hover(page, figure.locator("g.mark-rect").last().locator("path").first());
    assert.ok(words.startsWith(strongest[0].name + "\n") && words.includes(`n = ${strongest[0].n}`), words);
    await close();
  },

  async "the numbers behind the classes are a table"() {
    const { page, close } = await browser.open(address, desktop);
    await page.locator("#classes details.numbers summary").click();
    await page.locator("#classes details.numbers tbody tr").first().waitFor();  // the table is written after the click
    assert.equal(await page.locator("#classes details.numbers tbody tr").count(), sigmas.length * record.k);
    await close();
  },

  async "ranked samples show their pictures, p and predictions"() {
    const { page, close } = await browser.open(address, desktop);
    const { classes } = record.ranking.at(-1);
    const cards = page.locator("#ranking > details").first().locator(".ranked li");
    assert.equal(await cards.count(), classes.reduce((sum, one) => sum + one.least.length + one.most.length, 0));
    const { row, prediction } = classes[0].least[0], text = await cards.first().textContent();
    const { name } = record.class_bias.at(-1).classes[prediction];
    assert.ok(text.includes(`row ${row}`) && text.includes(`${name} (`), text);
    assert.equal(await cards.first().locator("img").evaluate((image) => image.complete && image.naturalWidth), 28);
    await close();
  },

  async "copies stand on one logarithmic axis, without the number that others are held against"() {
    const { page, close } = await browser.open(address, desktop);
    const figures = page.locator("#convergence figure[data-spec=lines]");
    for (const [index, method] of ["mc", "mmse"].entries()) {
      const steps = record.convergence.filter((one) => one.method === method);
      const most = Math.max(...steps.map((one) => one.copies));
      assert.equal(await points(figures.nth(index)).count(), steps.filter((one) => one.copies < most).length);
    }
    assert.ok((await hover(page, points(figures.first()).first())).includes("10 copies\np changes by"));
    await close();
  },
};

process.exit(await run(browser, tests));
