// Draws charts of a page; prints a JSON list of their SVG texts. `vega` and `work` stand before this text.
"use strict";
const { config, colours, specs, charts, width } = work;
const refuse = () => Promise.reject(new Error("a chart loads nothing"));
const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
// XML has no control characters but tab and line ends, not even as references.
const legal = (text) => text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`);
const head = 24;  // pixels of the line with title and note above the chart

// Without a canvas, Vega estimates 0.8 em per letter; 0.6 is typical. Larger limits keep names whole.
const uncut = (node) => {
  for (const [key, value] of Object.entries(node))
    if (key === "limit" || key === "labelLimit") node[key] = value.signal ? { signal: `1.3 * (${value.signal})` } : 1.3 * value;
    else if (value && typeof value === "object") uncut(value);
  return node;
};

const drawn = async (chart) => {
  const spec = { ...uncut(structuredClone(specs[chart.spec])), description: chart.description };
  for (const data of spec.data) if (chart.data?.[data.name]) data.values = chart.data[data.name];
  const signals = { ...chart.signals, available: width };
  for (const signal of spec.signals) if (signal.name in signals) signal.value = signals[signal.name];
  const view = new vega.View(vega.parse(spec, config, { ast: true }), {
    expr: vega.expressionInterpreter, renderer: "none", loader: { load: refuse, sanitize: refuse }, logLevel: vega.Error, background: "#fff" });
  const svg = await view.toSVG();
  const plain = svg.replace(/var\((--[a-z0-9]+)\)/g, (_, name) => colours[name] ?? "#000").replaceAll("system-ui, sans-serif", "sans-serif");
  return plain.replace(/width="([\d.]+)" height="([\d.]+)" viewBox="[^"]*">/, (_, w, h) =>
    `width="${w}" height="${Number(h) + head}" viewBox="0 ${-head} ${w} ${Number(h) + head}">` +
    `<title>${escaped(chart.description ?? chart.title)}</title><rect y="${-head}" width="${w}" height="${head}" fill="#fff"/>` +
    `<text y="-8" font-family="sans-serif" font-size="13px" fill="${colours["--ink"]}"><tspan font-weight="600">${escaped(chart.title)}</tspan>` +
    `<tspan dx="8" fill="${colours["--muted"]}">${escaped(chart.note ?? "")}</tspan></text>`);
};

(async () => {
  const texts = [];
  for (const chart of charts) texts.push(legal(await drawn(chart)) + "\n");
  process.stdout.write(JSON.stringify(texts));
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
