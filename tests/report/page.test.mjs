// page.test.mjs MAKER RECORD.json: draws the record's page with MAKER and uses it in Chromium as a reader would.
// Exit 0: all well; 1: something is not; 77: playwright-core or chromium is absent.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { desktop, draw, launch, overflow, phone, run, visits } from "./browser.mjs";

const [maker, recordPath] = process.argv.slice(2);
const record = JSON.parse(readFileSync(recordPath, "utf8"));
const browser = await launch();
const { file, address } = draw(maker, recordPath);
const open = (options) => browser.open(address, options);

const tests = {
  async "is small"() {
    assert.ok(statSync(file).size < 3e6);
  },

  async "no table is wider than its page, on a desk and on a phone"() {
    for (const size of [desktop, phone]) {
      const { page, complaints, close } = await open(size);
      await page.$$eval("details", (all) => all.forEach((details) => { details.open = true; }));
      await page.waitForFunction(() => [...document.querySelectorAll(".scroll")].every((box) => box.scrollWidth <= box.clientWidth));
      assert.deepEqual(complaints, []);
      await close();
    }
    const { page, close } = await open(phone);
    const table = page.locator("#overview table.stacked").first();
    assert.equal(await table.locator("tbody tr").count(), record.results.length);
    const titles = await table.locator("tbody tr").first().locator("td").evaluateAll((cells) => cells.map((cell) => cell.dataset.title));
    assert.ok(titles.includes("Accuracy"));
    await table.locator("thead button", { hasText: "Accuracy" }).click();
    assert.equal(await table.locator("thead th", { hasText: "Accuracy" }).getAttribute("aria-sort"), "descending");
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.waitForFunction(() => !document.querySelector("#overview table").classList.contains("stacked"));
    await close();
  },

  ...visits(browser, address, desktop, {
    async "says the headline first and shows every result in the first table"(page) {
      assert.ok(record.headline.startsWith((await page.textContent("h1")).trim().replace(/\.$/, "")));  // its first clause
      const rows = await page.locator("#overview table").first().locator("tbody tr").count();
      assert.equal(rows, record.results.length);
    },

    async "draws every chart"(page) {
      const figures = await page.$$eval("figure.chart", (all) => all.filter((f) => f.querySelector(".plot").clientWidth > 0).map((f) => {
        const visible = [...f.querySelectorAll(".plot svg path, .plot svg line, .plot svg text")];
        return { spec: f.dataset.spec, marks: visible.length, width: f.querySelector(".plot svg")?.getBoundingClientRect().width ?? 0 };
      }));
      const paired = new Set(record.results.filter((r) => r.curve.length).map((r) => r.target)).size;
      const of = (spec) => figures.filter((f) => f.spec === spec);
      assert.equal(of("overview").length, 3);
      assert.equal(of("curve").length, paired);
      assert.equal(of("confidence").length, record.results.length);
      assert.equal(of("confusion").length, 1);
      for (const figure of figures) assert.ok(figure.marks > 10 && figure.width > 100, JSON.stringify(figure));
      const lines = await page.$$eval("figure[data-spec=curve] .mark-line path", (all) => all.map((path) => path.getAttribute("d").length));
      assert.equal(lines.length, record.results.filter((r) => r.curve.length).length);
      assert.ok(lines.every((length) => length > 200));
    },

    async "a hover shows a value, and it goes away"(page) {
      const tip = page.locator("#tip");
      assert.equal(await tip.isVisible(), false);
      const plot = page.locator("figure[data-spec=overview] .plot svg").first();
      await plot.scrollIntoViewIfNeeded();
      const box = await plot.boundingBox();
      await page.mouse.move(box.x + box.width * .6, box.y + 8);
      await tip.waitFor({ state: "visible" });
      const worst = record.results.filter((r) => r.accuracy !== null).sort((a, b) => a.accuracy - b.accuracy)[0];
      const words = await tip.textContent();
      assert.ok(words.includes(worst.target) && words.includes((100 * worst.accuracy).toFixed(1) + "%"), words);
      await page.mouse.move(box.x + box.width * .6, box.y + box.height + 60);
      await tip.waitFor({ state: "hidden" });
    },

    async "the map changes with the toggle and with the choice"(page) {
      const figure = page.locator("figure[data-spec=confusion]");
      const text = () => figure.locator(".plot").textContent();
      const counts = await text();
      assert.ok(!counts.includes("%"));
      const controls = page.locator(".charts:has(figure[data-spec=confusion]) > .controls");
      await controls.locator("input[data-signal=percent]").check();
      await page.waitForFunction((before) => document.querySelector("figure[data-spec=confusion] .plot").textContent !== before, counts);
      assert.ok((await text()).includes("%"));
      await controls.locator("select").selectOption("1");
      const title = await controls.locator("select option").nth(1).textContent();
      await page.waitForFunction((wanted) => document.querySelector("figure[data-spec=confusion] figcaption strong").textContent === wanted, title);
    },

    async "tables sort by mouse and keyboard, dashes last"(page) {
      const table = page.locator("#overview table").first();
      const column = async (index) => table.locator("tbody tr").evaluateAll((rows, i) => rows.map((row) => row.cells[i].dataset.v), index);
      const head = table.locator("thead th").nth(3);
      assert.equal(await head.getAttribute("aria-sort"), "ascending");
      await head.locator("button").click();
      assert.equal(await head.getAttribute("aria-sort"), "descending");
      const known = (values) => values.filter((v) => v !== undefined).map(Number);
      let values = await column(3);
      assert.deepEqual(known(values), [...known(values)].sort((a, b) => b - a));
      assert.equal(values.at(-1), undefined);
      await head.locator("button").focus();
      await page.keyboard.press("Enter");
      assert.equal(await head.getAttribute("aria-sort"), "ascending");
      values = await column(3);
      assert.deepEqual(known(values), [...known(values)].sort((a, b) => a - b));
      assert.equal(values.at(-1), undefined);
    },

    async "a table copies as tab-separated values with its intervals"(page) {
      const box = page.locator("#overview .tablebox").first();
      await box.locator("button.copy").click();
      await page.waitForFunction(() => document.querySelector("#overview button.copy").textContent === "Copied");
      const lines = (await page.evaluate(() => navigator.clipboard.readText())).trimEnd().split("\n").map((line) => line.split("\t"));
      assert.equal(lines.length, record.results.length + 1);
      assert.ok(lines.every((line) => line.length === lines[0].length));
      const accuracy = lines[0].indexOf("Accuracy");
      assert.deepEqual(lines[0].slice(accuracy, accuracy + 3), ["Accuracy", "Accuracy low", "Accuracy high"]);
      const worst = record.results.filter((r) => r.accuracy !== null).sort((a, b) => a.accuracy - b.accuracy)[0];
      assert.deepEqual(lines[1].slice(0, 2), [worst.target, worst.model]);
      assert.deepEqual(lines[1].slice(accuracy, accuracy + 3).map(Number), [worst.accuracy, worst.accuracy_low, worst.accuracy_high].map((value) => Number(value.toPrecision(9))));
    },

    async "the numbers of a chart are one click away"(page) {
      const details = page.locator("#agreement details.numbers");
      await details.locator("summary").click();
      const points = await page.$$eval("#agreement .payload", (all) => all.reduce((n, p) => n + JSON.parse(p.textContent).data.lines.rows.length, 0));
      assert.ok(points > 50);
      await details.locator("tbody tr").first().waitFor();  // the table is written after the click
      assert.equal(await details.locator("tbody tr").count(), points);
    },

    async "pictures of flips are inside, pixel by pixel"(page) {
      const images = await page.$$eval("#flips .flip img", (all) => all.map((i) => ({ ready: i.complete, width: i.naturalWidth, alt: i.alt, look: getComputedStyle(i).imageRendering })));
      assert.ok(images.length >= 3 * 8);
      assert.deepEqual([...new Set(images.map((i) => i.alt))].sort(), ["clean", "difference", "shifted"]);
      assert.ok(images.every((i) => i.width === 28 && i.look === "pixelated"));
    },
  }),

  ...visits(browser, address, { ...desktop, colorScheme: "dark" }, {
    async "light and dark by system and by button"(page) {
      const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const dark = await paper();
      assert.equal(dark, "rgb(20, 23, 27)");
      assert.equal(await page.textContent("#theme"), "Light");
      await page.click("#theme");
      assert.equal(await paper(), "rgb(255, 255, 255)");
      assert.equal(await page.textContent("#theme"), "Dark");
    },

    async "on paper it is light, open and without buttons"(page) {
      // The event that opens the tables may come after the colours of the new medium.
      const closed = () => [...document.querySelectorAll("details.more:not([open])")].filter((d) => d.querySelectorAll("tbody tr").length <= 150).length;
      assert.ok(await page.evaluate(closed) > 0);
      await page.emulateMedia({ media: "print", colorScheme: "dark" });
      await page.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(255, 255, 255)");
      await page.waitForFunction(`(${closed})() === 0`);
      assert.equal(await page.locator("button.copy:visible, #theme:visible").count(), 0);
      const pdf = await page.pdf({ preferCSSPageSize: true, printBackground: true });
      assert.ok(pdf.length > 20000);
      await page.emulateMedia({ media: "screen" });
      await page.waitForFunction(() => document.querySelectorAll("details.more:not([open])").length > 0);
    },
  }),

  ...visits(browser, address, phone, {
    async "on a phone charts take its width"(page) {
      assert.ok(await overflow(page) <= 0);
      for (const summary of await page.locator("summary:visible").all()) await summary.click();
      assert.ok(await overflow(page) <= 0);
      await page.setViewportSize({ width: 700, height: 844 });
      await page.waitForFunction(() => document.querySelector("figure[data-spec=overview] .plot svg").getBoundingClientRect().width >
        .8 * document.querySelector("figure[data-spec=overview] .plot").clientWidth);
    },
  }),
};

process.exit(await run(browser, tests));
