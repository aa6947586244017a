// node tools/figures.mjs PAGE.html FOLDER [WIDTH]
//
// Writes every chart of a page of leeway as FOLDER/SECTION-TITLE.svg, for documents: WIDTH (480) pixels wide, on white, in
// the light colours, with the reader's sans-serif, its title above it. A chart with a choice is written once for each.
// Ranked pictures become FOLDER/SECTION.png, those that the page shows first. Prints one line of Markdown
// a figure. Needs what tests/report needs: npm --prefix tests/report ci, and Chromium.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../tests/report/browser.mjs";

const [file, folder, width = "480"] = process.argv.slice(2);
if (!file || !folder || !(Number(width) >= 200)) {
  console.error("usage: node tools/figures.mjs PAGE.html FOLDER [WIDTH]");
  process.exit(2);
}

const slug = (text) => text.toLowerCase().replace(/[^a-z0-9.]+/g, "-").replace(/^-+|-+$/g, "");
const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// One chart as it stands: its SVG, where it stands, what it is called.
const taken = (figure) => figure.evaluate(async (element) => {
  const styles = getComputedStyle(document.documentElement);
  const svg = await element.view.background("#fff").toSVG();
  element.view.background(null);
  return {
    section: element.closest("section, #overview")?.id ?? "page",
    title: element.querySelector("figcaption strong").textContent,
    note: element.querySelector(".note").textContent,
    description: element.querySelector(".plot").getAttribute("aria-label"),
    svg: svg.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => styles.getPropertyValue(name).trim()).replaceAll("system-ui, sans-serif", "sans-serif"),
  };
});

const browser = await launch();
const margin = 32;  // of a narrow page, both sides
const { page } = await browser.open(pathToFileURL(resolve(file)).href, { viewport: { width: Number(width) + margin, height: 900 }, colorScheme: "light" });
await page.$$eval("details.more", (all) => all.forEach((details) => { details.open = true; }));  // which draws what is in them
await page.waitForFunction(() => [...document.querySelectorAll("figure.chart")].every((figure) => figure.view));

// The chart below a line with its title and note, and its description for those who hear the document.
const complete = (chart) => {
  const head = 24;
  return chart.svg.replace(/width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*">/, (_, width, height) =>
    `width="${width}" height="${Number(height) + head}" viewBox="0 ${-head} ${width} ${Number(height) + head}">` +
    `<title>${escaped(chart.description)}</title><rect y="${-head}" width="${width}" height="${head}" fill="#fff"/>` +
    `<text y="-8" font-family="sans-serif" font-size="13px" fill="#1b1f24"><tspan font-weight="600">${escaped(chart.title)}</tspan>` +
    `<tspan dx="8" fill="#5b6470">${escaped(chart.note)}</tspan></text>`);
};

mkdirSync(folder, { recursive: true });
const names = new Map();  // name -> charts called so
const write = (chart, option) => {
  const choice = option === chart.title ? "" : option;
  const base = [chart.section, chart.title, choice].filter(Boolean).map(slug).join("-");
  names.set(base, (names.get(base) ?? 0) + 1);
  const name = base + (names.get(base) > 1 ? "-" + names.get(base) : "") + ".svg";
  writeFileSync(join(folder, name), complete(chart) + "\n");
  console.log(`![${chart.title}${choice ? ", " + choice : ""}](${name})`);
};

for (const charts of await page.locator(".charts").all()) {
  const select = charts.locator("select");
  const choices = await select.count() > 0 ? await select.locator("option").allTextContents() : [""];
  const last = await charts.locator("figure.chart").last().elementHandle();
  for (const [index, choice] of choices.entries()) {
    if (index > 0) {
      const before = await last.evaluateHandle((figure) => figure.view);
      await select.selectOption(String(index));
      await page.waitForFunction(([figure, view]) => figure.view !== view, [last, before]);
    }
    for (const figure of await charts.locator("figure.chart").all()) write(await taken(figure), choices.length > 1 ? choice : "");
  }
}

await page.setViewportSize({ width: Math.max(Number(width), 1000), height: 900 });
for (const section of await page.locator("section:has(.ranked)").all()) {
  const name = `${await section.getAttribute("id")}.png`;
  const shown = section.locator("details:has(.ranked)").first();
  await shown.locator("details").evaluateAll((all) => all.forEach((details) => { details.open = false; }));  // the tables
  await shown.screenshot({ path: join(folder, name) });
  console.log(`![${await section.locator("h2").first().textContent()}](${name})`);
}
await browser.close();
