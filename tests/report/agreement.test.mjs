// agreement.test.mjs MAKER PA.json SELECT.json: the pages of leeway pa and leeway select in Chromium, and their charts as
// files. Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { desktop, draw, expectQuiet, hover, launch, phone, run, temporaryFolder } from "./browser.mjs";

const [maker, paPath, selectPath] = process.argv.slice(2);
const browser = await launch();
const pages = {};
for (const [name, path] of [["pa", paPath], ["select", selectPath]]) {
  pages[name] = { ...draw(maker, path), record: JSON.parse(readFileSync(path, "utf8")) };
}
const pa = pages.pa.record, select = pages.select.record;
const tools = fileURLToPath(new URL("../../tools/", import.meta.url));

const drawn = (page, spec) => page.$$eval(`figure[data-spec=${spec}] .plot svg`, (all) =>
  all.map((svg) => ({ marks: svg.querySelectorAll("path, line, text").length, width: svg.getBoundingClientRect().width })));
const sets = [...new Set(pa.results.map((result) => result.shift))];

const tests = {
  async "both pages load nothing and complain of nothing, on a desk and on a phone, in light and in dark"() {
    for (const { address } of Object.values(pages)) await expectQuiet(browser, address);
  },

  async "one chart of ratios a shifted set, one of groups a result, every line and band in it"() {
    const { page, close } = await browser.open(pages.pa.address, desktop);
    const ratios = await drawn(page, "lines"), parts = await drawn(page, "parts");
    assert.equal(ratios.length, sets.length);
    assert.equal(parts.length, pa.results.length);
    for (const chart of [...ratios, ...parts]) assert.ok(chart.marks > 10 && chart.width > 250, JSON.stringify(chart));
    const count = (mark) => page.locator(`#ratios .mark-${mark} path`).count();
    assert.equal(await count("line"), pa.results.length);
    assert.equal(await count("area"), pa.results.length);
    await close();
  },

  async "who hears the page hears what a chart shows"() {
    const { page, close } = await browser.open(pages.pa.address, desktop);
    const last = pa.results.find((result) => result.shift === sets[0]).ratios.at(-1);
    const label = await page.locator("#ratios .plot").first().getAttribute("aria-label");
    assert.ok(label.startsWith(sets[0]) && label.includes(`cnn: from 2.3 to ${Number(last.pa.toPrecision(3))} at 100%`), label);
    await close();
  },

  async "a point of a line says its share, its agreement and its interval"() {
    const { page, close } = await browser.open(pages.pa.address, desktop);
    const points = page.locator("#ratios figure.chart").first().locator("g.mark-symbol").last().locator("path");
    const result = pa.results[0], at = result.ratios[5];
    const words = await hover(page, points.nth(5));
    const interval = new RegExp(`PA (\\d\\.\\d+) \\((\\d\\.\\d+) to (\\d\\.\\d+)\\)`).exec(words);
    assert.ok(words.startsWith(`${result.model}\n50% of samples shifted`), words);
    for (const [index, key] of ["pa", "pa_low", "pa_high"].entries()) assert.ok(Math.abs(Number(interval[index + 1]) - at[key]) <= .00501, words);
    await close();
  },

  async "the gap between two models stands between their lines with its size"() {
    const { page, close } = await browser.open(pages.pa.address, desktop);
    for (const [index, gap] of pa.ar_gap.entries()) {
      const furthest = gap.points.reduce((a, b) => (b.ratio_plus > a.ratio_plus ? b : a));
      const text = await page.locator("#ratios figure.chart").nth(index).locator(".plot").textContent();
      assert.ok(text.includes(`${(100 * (furthest.ratio_plus - furthest.ratio_minus)).toFixed(0)} points`), text);
    }
    await close();
  },

  async "one choice changes all charts of ratios, and the gap goes where it means nothing"() {
    const { page, complaints, close } = await browser.open(pages.pa.address, desktop);
    const texts = () => page.$$eval("#ratios figure.chart .plot", (all) => all.map((plot) => plot.textContent));
    assert.ok((await texts()).every((text) => !text.includes("100%100%")));
    await page.locator("#ratios .controls select").selectOption({ label: "right, AFR(T)" });
    await page.waitForFunction(() => [...document.querySelectorAll("#ratios .note")].every((note) => note.textContent === "right"));
    await page.waitForFunction(() => [...document.querySelectorAll("#ratios figure.chart .plot")].every((plot) => plot.textContent.includes("80%")));
    assert.ok((await texts()).every((text) => !text.includes("points")));
    assert.deepEqual(complaints, []);
    await close();
  },

  async "the bar of a group says its size, its share and its approximation"() {
    const { page, close } = await browser.open(pages.pa.address, desktop);
    const result = pa.results[0], adv = result.decomposition.adv;
    const words = await hover(page, page.locator("#groups figure.chart").first().locator("g.mark-rect").last().locator("path").nth(2));
    assert.ok(words.startsWith("ADV: right, then changed\n" + adv.n.toLocaleString("en") + " samples"), words);
    assert.ok(words.includes((-adv.sum / result.n).toFixed(3)) && words.includes("approximation " + (-adv.approximation / result.n).toFixed(3)), words);
    await close();
  },

  async "the charts of a selection stand on one axis and mark what was chosen"() {
    const { page, close } = await browser.open(pages.select.address, desktop);
    const marks = await page.$$eval("figure[data-spec=lines] .plot svg", (all) => all.map((svg) =>
      [...svg.querySelectorAll("g.mark-symbol")].at(-1).querySelector("path").getBoundingClientRect().x));
    assert.equal(marks.length, 2);
    assert.ok(Math.abs(marks[0] - marks[1]) < 1, JSON.stringify(marks));
    const points = page.locator("figure[data-spec=lines]").first().locator("g.mark-symbol").last().locator("path");
    assert.equal(await points.count(), select.results.length);
    const words = await hover(page, points.nth(select.selected.pa.index));
    assert.ok(words.includes(select.selected.pa.checkpoint), words);
    assert.ok((await page.locator("figure[data-spec=lines] .plot").first().textContent()).includes("highest PA"));
    assert.ok((await page.textContent("h1")).includes(select.selected.pa.checkpoint));
    await close();
  },

  async "every chart becomes a file that needs no page"() {
    const folder = temporaryFolder();
    const said = execFileSync(process.execPath, [join(tools, "figures.mjs"), pages.pa.file, folder], { encoding: "utf8" }).trimEnd().split("\n");
    const files = readdirSync(folder);
    assert.equal(files.length, 3 * sets.length + pa.results.length + sets.length);  // ratios by choice, groups, curves
    assert.equal(said.length, files.length);
    for (const line of said) assert.ok(existsSync(join(folder, /\]\((.+)\)$/.exec(line)[1])), line);
    const texts = new Set();
    for (const file of files) {
      const svg = readFileSync(join(folder, file), "utf8");
      assert.ok(svg.startsWith("<svg") && svg.includes("<title>") && svg.includes('fill="#fff"') && /<tspan[^>]*>[^<]+</.test(svg), file);
      assert.ok(!/var\(|system-ui|undefined|NaN/.test(svg), file);
      texts.add(svg.replace(/<title>.*?<\/text>/s, ""));  // without its title
    }
    assert.equal(texts.size, files.length);  // a choice is drawn before it is taken
  },
};

process.exit(await run(browser, tests));
