// pages.test.mjs MAKER FOLDER: the pages of FOLDER's records in Chromium: their charts hold the records' numbers.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { desktop, draw, expectQuiet, extents, hover, launch, run, temporaryFolder, visits } from "./browser.mjs";

const [maker, folder] = process.argv.slice(2);
const browser = await launch();
const page_of = (name) => {
  const path = join(folder, `${name}_record.json`);
  return { ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) };
};
const names = ["pa", "select", "assess", "bound", "bound_evaluate", "average_case", "describe", "corruptions", "time", "sweep_report"];
const pages = Object.fromEntries(names.map((name) => [name, page_of(name)]));

const percent = (share) => `${(100 * share).toFixed(1)}%`;
const near = (found, expected, what) => assert.ok(Math.abs(found - expected) < .015, `${what}: ${found}, expected ${expected}`);
const includes = (text, ...parts) => parts.forEach((part) => assert.ok(text.includes(part), `${part} in ${text}`));
const points = (figure) => figure.locator("g.mark-symbol").last().locator("path");
const cells = (figure) => figure.locator("g.mark-rect").last().locator("path");

const on = (name, tests) => visits(browser, pages[name].address, desktop,
  Object.fromEntries(Object.entries(tests).map(([title, test]) => [`${name}: ${title}`, test])), pages[name].record);

const tests = {
  async "every page loads nothing and complains of nothing, on a desk and on a phone, in light and in dark"() {
    for (const { address } of Object.values(pages)) await expectQuiet(browser, address);
  },

  ...on("pa", {
    async "a chart of ratios for each shifted set, one of groups for each result"(page, record) {
      const sets = new Set(record.results.map((result) => result.shift)).size;
      assert.equal(await page.locator("#ratios figure[data-spec=lines]").count(), sets);
      assert.equal(await page.locator("#groups figure[data-spec=parts]").count(), record.results.length);
      for (const mark of ["line", "area"]) assert.equal(await page.locator(`#ratios .mark-${mark} path`).count(), record.results.length);
    },

    async "a point of a line says its share, its agreement and its interval"(page, record) {
      const result = record.results[0], at = result.ratios[5];
      const words = await hover(page, points(page.locator("#ratios figure.chart").first()).nth(5));
      includes(words, `${result.model}\n50% of samples shifted`);
      const interval = /PA (\d\.\d+) \((\d\.\d+) to (\d\.\d+)\)/.exec(words);
      for (const [index, key] of ["pa", "pa_low", "pa_high"].entries()) assert.ok(Math.abs(Number(interval[index + 1]) - at[key]) <= .00501, words);
    },

    async "one choice changes all charts of ratios, and the gap between two models stands only where it has a meaning"(page, record) {
      const texts = () => page.$$eval("#ratios figure.chart .plot", (all) => all.map((plot) => plot.textContent));
      for (const [index, gap] of record.ar_gap.entries()) {
        const furthest = gap.points.reduce((a, b) => (b.ratio_plus > a.ratio_plus ? b : a));
        includes((await texts())[index], `${(100 * (furthest.ratio_plus - furthest.ratio_minus)).toFixed(0)} points`);
      }
      await page.locator("#ratios .controls select").selectOption({ label: "right, AFR(T)" });
      await page.waitForFunction(() => [...document.querySelectorAll("#ratios figure.chart .plot")].every((plot) => plot.textContent.includes("80%")));
      assert.ok((await texts()).every((text) => !text.includes("points")));
    },

    async "the bar of a group says its size, its share and its approximation"(page, record) {
      const result = record.results[0], { adv } = result.decomposition;
      const words = await hover(page, cells(page.locator("#groups figure.chart").first()).nth(2));
      includes(words, `ADV: correct, then changed\n${adv.n.toLocaleString("en")} samples`, (-adv.sum / result.n).toFixed(3),
        `approximation ${(-adv.approximation / result.n).toFixed(3)}`);
    },
  }),

  async "every chart becomes a file that needs no page"() {
    const { file, record } = pages.pa, into = temporaryFolder(), sets = new Set(record.results.map((result) => result.shift)).size;
    const figures = fileURLToPath(new URL("../../tools/figures.mjs", import.meta.url));
    const said = execFileSync(process.execPath, [figures, file, into], { encoding: "utf8" }).trimEnd().split("\n");
    const files = readdirSync(into);
    assert.equal(files.length, 3 * sets + record.results.length + sets);  // ratios by choice, groups, curves
    assert.equal(said.length, files.length);
    for (const line of said) assert.ok(existsSync(join(into, /\]\((.+)\)$/.exec(line)[1])), line);
    const texts = new Set();
    for (const name of files) {
      const svg = readFileSync(join(into, name), "utf8");
      assert.ok(svg.startsWith("<svg") && svg.includes("<title>") && svg.includes('fill="#fff"') && /<tspan[^>]*>[^<]+</.test(svg), name);
      assert.ok(!/var\(|system-ui|undefined|NaN/.test(svg), name);
      texts.add(svg.replace(/<title>.*?<\/text>/s, ""));  // without its title
    }
    assert.equal(texts.size, files.length);  // a choice is drawn before it is taken
  },

  ...on("select", {
    async "the charts share an axis and mark what was chosen"(page, { selected, results }) {
      const figures = page.locator("figure[data-spec=lines]");
      assert.equal(await figures.count(), 2);
      assert.equal(await points(figures.first()).count(), results.length);
      includes(await hover(page, points(figures.first()).nth(selected.pa.index)), selected.pa.checkpoint);
      includes(await figures.first().textContent(), "highest PA");
      const [one, other] = await Promise.all([0, 1].map(async (index) => (await points(figures.nth(index)).first().boundingBox()).x));
      assert.ok(Math.abs(one - other) < 1);
    },
  }),

  ...on("assess", {
    async "a chart of bounds for each result: the terms end to end, a point an estimate, a stroke at the truth"(page, { results }) {
      const methods = (result) =>
        [...(result.likely_error ? ["estimate"] : []), ...Object.keys(result.estimates).filter((key) => !/_(low|high)$/.test(key))];
      const chart_of = (title) => page.locator(`#bounds figure[data-spec=errors]:has(strong:text-is("${title}"))`);
      const result = results.find((one) => one.target === "pgd 8/255" && one.model === "CNN"), terms = result.error_bound_terms;
      const figure = chart_of("CNN under pgd 8/255");
      const bars = (await extents(figure, "rect")).slice(0, 3).map((group) => group[0]);
      let end = 0;
      for (const [index, term] of [terms.source_error, terms.discrepancy, terms.concentration].entries()) {
        near(bars[index][0], end, `start of term ${index}`);
        near(bars[index][1], end = Math.min(1, end + term), `end of term ${index}`);
      }
      assert.equal(await figure.locator("g.mark-symbol path").count(), methods(result).length);
      const truth = (await extents(figure, "rule")).at(-1)[0];
      near((truth[0] + truth[1]) / 2, 1 - result.accuracy, "the truth");
      const { ac, ac_low, ac_high } = result.estimates;
      includes(await hover(page, cells(figure).nth(0)), `error at most ${percent(result.error_bound)}`, `+ ${percent(terms.discrepancy)} discrepancy`);
      includes(await hover(page, cells(figure).nth(1)), `${percent(ac)} (${percent(ac_low)} to ${percent(ac_high)})`);
      assert.ok(!(await chart_of("CNN under shop photos").textContent()).includes("true "));  // no labels
      await page.locator("#bounds details.numbers summary").click();
      await page.locator("#bounds details.numbers tbody tr").first().waitFor();  // the table is written after the click
      const rows = results.reduce((sum, one) => sum + 1 + methods(one).length, 0);
      assert.equal(await page.locator("#bounds details.numbers tbody tr").count(), rows);
    },
  }),

  ...on("bound", {
    async "every inequality, every estimate and every restart is drawn"(page, { dis2, results, target }) {
      const figure = page.locator("figure[data-spec=errors]");
      const bars = (await extents(figure, "rect")).slice(0, 3);
      for (const [index, one] of dis2.concentrations.entries()) near(bars[2][index][1], one.bound, one.name);
      assert.equal(await figure.locator("g.mark-symbol path").count(), results.filter((one) => !one.is_bound).length);
      includes(await figure.textContent(), `true ${percent(target.error)}`);
      const restarts = points(page.locator("#restarts"));
      assert.equal(await restarts.count(), 2 * dis2.restarts.length);
      includes(await hover(page, restarts.nth(dis2.restarts.length + 2)), "restart 3", `discrepancy ${percent(dis2.restarts[2])}`);
    },
  }),

  ...on("bound_evaluate", {
    async "a shift is a point at its true and its predicted error, on the right side of the line"(page, { results }) {
      const figures = page.locator("figure[data-spec=scatter]"), shifts = results[0].points;
      assert.equal(await figures.count(), results.length);
      const errors = results.flatMap((one) => one.points.flatMap((point) => [1 - point.truth, 1 - point.predicted]));
      const top = Math.min(1, Math.ceil(10 * Math.max(...errors)) / 10), [x] = await extents(figures.first(), "symbol");
      assert.equal(x.length, shifts.length);
      for (const [index, [low, high]] of x.entries()) near((low + high) / 2, (1 - shifts[index].truth) / top, `point ${index}`);
      const understated = shifts.filter((point) => point.predicted > point.truth).length;
      assert.equal(await figures.first().locator("g.mark-symbol path[fill='var(--m1)']").count(), understated);
      includes(await page.locator("#violations figure[data-spec=lines]").first().textContent(), "allowed");
    },
  }),

  ...on("average_case", {
    async "a line for each method over sigma"(page, { methods, results }) {
      const sigmas = new Set(results.map((one) => one.sigma)).size, probabilities = methods.filter((one) => one.probability);
      const figure = page.locator('figure[data-spec=lines]:has(strong:text-is("Mean survival probability"))');
      assert.equal(await points(figure).count(), probabilities.length * sigmas);
      includes(await figure.textContent(), ...probabilities.map((one) => one.method));
      const words = await hover(page, points(figure).nth(sigmas - 1));
      const last = results.filter((one) => one.method === probabilities[0].method).at(-1);
      near(Number(/mean ([\d.]+)%/.exec(words)[1]) / 100, last.mean, words);
    },

    async "quantiles of every class stand where the record has them, worst first"(page, { class_bias, options }) {
      const strongest = class_bias.at(-1).classes.toSorted((a, b) => a.mean - b.mean);
      const figure = page.locator("#classes figure[data-spec=spread]").last(), [halves] = await extents(figure, "rect");
      for (const [row, one] of strongest.entries()) {
        near(halves[row][0], one.quantiles["0.25"], `25% of class ${one.name}`);
        near(halves[row][1], one.quantiles["0.75"], `75% of class ${one.name}`);
      }
      const differing = strongest.filter((one) => one.p_value < 1 - options.level).length;
      assert.equal(await figure.locator("g.mark-symbol path[fill='var(--m1)']").count(), differing);
    },

    async "ranked samples show their pictures, p and predictions"(page, { class_bias, ranking }) {
      const { classes } = ranking.at(-1), cards = page.locator("#ranking > details").first().locator(".ranked li");
      assert.equal(await cards.count(), classes.reduce((sum, one) => sum + one.least.length + one.most.length, 0));
      const { row, prediction } = classes[0].least[0];
      includes(await cards.first().textContent(), `row ${row}`, `${class_bias.at(-1).classes[prediction].name} (`);
      assert.equal(await cards.first().locator("img").evaluate((image) => image.complete && image.naturalWidth), 28);
    },

    async "the number of copies that others are compared with has no point"(page, { convergence }) {
      for (const [index, method] of ["mc", "mmse"].entries()) {
        const steps = convergence.filter((one) => one.method === method), most = Math.max(...steps.map((one) => one.copies));
        const figure = page.locator("#convergence figure[data-spec=lines]").nth(index);
        assert.equal(await points(figure).count(), steps.filter((one) => one.copies < most).length);
      }
    },
  }),

  ...on("describe", {
    async "a map shows the cells of label and attribute, and says their numbers"(page, { results: [result] }) {
      const [label, color] = result.columns, figure = page.locator("#cells figure[data-spec=cells]").first();
      const counts = label.values.flatMap((shape) => color.values.map((value) => [shape, value, result.cells
        .filter(({ values }) => values[0] === shape && values[1] === value).reduce((sum, cell) => sum + cell.n_source, 0)])).filter(([, , n]) => n > 0);
      assert.equal(await cells(figure).count(), counts.length);  // cells without samples stay empty
      includes(await hover(page, cells(figure).first()), `${counts[0][0]}, ${counts[0][1]}`, `${counts[0][2]} samples`);
      await page.locator("#cells select").selectOption("1");
      includes(await figure.textContent(), result.columns[2].name);
    },
  }),

  ...on("corruptions", {
    async "the map has a cell for each corruption and severity, the clean images first"(page, { results }) {
      const known = results.filter((set) => set.accuracy !== null), rows = new Set(results.map((set) => set.corruption)).size;
      const figures = page.locator("figure[data-spec=cells]");
      assert.equal(await cells(figures.first()).count(), known.length + rows);
      includes(await hover(page, cells(figures.first()).nth(rows)), `${known[0].corruption}, severity ${known[0].severity}`);
      assert.equal(await cells(figures.nth(1)).count(), results.filter((set) => set.pa !== null).length);
      assert.equal(await page.locator("#severity figure[data-spec=lines]").count(), new Set(known.map((set) => set.group)).size);
    },
  }),

  ...on("time", {
    async "accuracy over time has a mark for every chunk, another one outside the source's range"(page, { over_time }) {
      const [{ chunks }] = over_time.timelines, low = chunks.filter((chunk) => chunk.bands.accuracy.below);
      const figure = page.locator("#time figure[data-spec=timeline]").first(), symbols = figure.locator("g.mark-symbol path");
      assert.equal(await symbols.count(), chunks.length);
      const fills = await symbols.evaluateAll((marks) => marks.map((mark) => mark.getAttribute("fill")));
      assert.equal(fills.filter((fill) => fill === "var(--m1)").length, low.length);
      includes(await figure.textContent(), `first outside: ${low[0].chunk}`, `${low.length} of ${chunks.length} chunks outside`);
      const chunk = chunks.at(-1), band = chunk.bands.accuracy;
      includes(await hover(page, figure.locator("g.mark-rect path").nth(chunks.length - 1)), chunk.chunk, percent(chunk.accuracy),
        `source: ${percent(band.low)} to ${percent(band.high)}`, `n = ${chunk.n}`);
    },
  }),

  ...on("sweep_report", {
    async "the map has a cell for each algorithm and case; changes are blue where they are better"(page, { results, changes, starts }) {
      const known = results.filter((cell) => cell.start === starts[0] && cell.setting === null && cell.value !== null);
      const figure = page.locator("figure[data-spec=cells]").first();
      assert.equal(await cells(figure).count(), known.length);
      includes(await hover(page, cells(figure).first()), `${known[0].algorithm}, ${known[0].case}`, `${known[0].value_seeds} seeds`);
      const fills = await cells(page.locator("#changes figure[data-spec=cells]")).evaluateAll((all) => all.map((path) => path.getAttribute("fill")));
      const shown = changes.filter((change) => change.start === starts[0] && change.change !== null);
      assert.equal(fills.length, shown.length);
      assert.equal(fills.filter((fill) => fill === "var(--m0)").length, shown.filter((change) => change.change >= 0).length);
    },
  }),
};

process.exit(await run(browser, tests));
