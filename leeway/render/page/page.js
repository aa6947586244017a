"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const json = (element) => JSON.parse(element.textContent);
  const longestPrinted = { numbers: 40, more: 150 };  // rows; tables that are longer stay closed on paper

  // --- Tooltip -------------------------------------------------------------------------------------------------
  const tip = document.getElementById("tip");
  const showTip = (handler, event, item, value) => {
    if (value === null || value === undefined || value === "") {
      tip.hidden = true;
      return;
    }
    tip.textContent = value;
    tip.hidden = false;
    const x = event.clientX + 14, y = event.clientY + 14;
    tip.style.left = Math.max(4, Math.min(x, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (y + tip.offsetHeight > innerHeight - 8 ? event.clientY - tip.offsetHeight - 10 : y) + "px";
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // --- Charts --------------------------------------------------------------------------------------------------
  const specs = Object.fromEntries(all("script[id^='spec-']").map((s) => [s.id.slice(5), json(s)]));
  const config = json(document.getElementById("config"));
  const refuse = () => Promise.reject(new Error("the page loads nothing"));
  const charts = new Map();  // figure -> {payload, view, width}

  const unpacked = (content) => {
    for (const [name, { fields, rows }] of Object.entries(content.data ?? {})) {
      content.data[name] = rows.map((row) => Object.fromEntries(fields.map((field, index) => [field, row[index]])));
    }
    return content;
  };
  const payloadOf = (figure) => {
    if (!charts.has(figure)) {
      const payload = json(figure.querySelector(".payload"));
      (payload.variants ?? [payload]).forEach(unpacked);
      charts.set(figure, { payload });
    }
    return charts.get(figure);
  };
  // Controls stand above the figures.
  const variantOf = (figure) => {
    const { payload } = payloadOf(figure);
    const select = figure.closest(".charts").querySelector(":scope > .controls select");
    return payload.variants ? payload.variants[select ? Number(select.value) : 0] : payload;
  };

  const filled = (figure, width) => {
    const content = variantOf(figure), spec = { ...structuredClone(specs[figure.dataset.spec]), description: content.description };
    for (const data of spec.data) if (content.data?.[data.name]) data.values = content.data[data.name].map((row) => ({ ...row }));
    const signals = { ...content.signals, available: width };
    for (const input of all("input[data-signal]", figure.closest(".charts"))) signals[input.dataset.signal] = input.checked;
    for (const signal of spec.signals) if (signal.name in signals) signal.value = signals[signal.name];
    return spec;
  };

  const draw = async (figure) => {
    const plot = figure.querySelector(".plot"), chart = payloadOf(figure), width = Math.floor(plot.clientWidth);
    if (width === 0) return;
    if (chart.view) chart.view.finalize();
    plot.replaceChildren();
    chart.width = width;
    chart.view = new vega.View(vega.parse(filled(figure, width), config, { ast: true }), {
      expr: vega.expressionInterpreter, renderer: "svg", container: plot, hover: true, tooltip: showTip,
      loader: { load: refuse, sanitize: refuse }, logLevel: vega.Warn,
    });
    figure.view = chart.view;  // for scripts that take charts out of the page
    await chart.view.runAsync();
  };
  const drawable = () => all("figure.chart").filter((figure) => figure.querySelector(".plot").clientWidth > 0);
  const drawMissing = () => Promise.all(drawable().filter((figure) => !payloadOf(figure).view).map(draw));

  const redraw = (figure) => {
    const note = figure.querySelector(".note"), title = figure.querySelector("figcaption strong"), content = variantOf(figure);
    if (note) note.textContent = content.note;
    if (title) title.textContent = content.title;
    return draw(figure);
  };
  for (const control of all(".charts select, .charts input[data-signal]")) {
    control.addEventListener("change", () => {
      for (const figure of all("figure.chart", control.closest(".charts"))) redraw(figure);
    });
  }
  let pending = 0;
  addEventListener("resize", () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(() => {
      for (const figure of drawable()) if (figure.querySelector(".plot").clientWidth !== payloadOf(figure).width) draw(figure);
      fitAll();
    });
  });

  // --- Tables --------------------------------------------------------------------------------------------------
  // A table that is wider than its place is drawn narrower, and as a block for each row where that is not enough (page.css).
  const narrower = ["", "tight", "tight wrapped", "stacked"];
  const roles = [["tr", "row"], ["td", "cell"], ["thead th", "columnheader"], ["tbody th", "rowheader"]];  // which blocks would lose
  const fit = (table) => {
    const box = table.parentElement;
    if (box.clientWidth === 0 || table.fitted === box.clientWidth) return;
    table.fitted = box.clientWidth;
    for (const shape of narrower) {
      table.className = `data ${shape}`.trim();
      if (box.scrollWidth <= box.clientWidth) break;
    }
    if (!table.classList.contains("stacked") || table.hasAttribute("role")) return;
    table.setAttribute("role", "table");
    for (const [selector, role] of roles) for (const part of all(selector, table)) part.setAttribute("role", role);
    const titles = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, index) => { cell.dataset.title = titles[index]; });
  };
  const fitAll = () => all("table.data").forEach(fit);

  const sortBy = (table, column, ascending) => {
    const body = table.tBodies[0], numeric = table.tHead.rows[0].cells[column].classList.contains("num");
    const key = (row) => {
      const cell = row.cells[column];
      if ("missing" in cell.dataset) return null;
      return numeric ? Number(cell.dataset.v) : cell.textContent;
    };
    const rows = [...body.rows].map((row, index) => ({ row, index, key: key(row) }));
    rows.sort((a, b) => {
      if (a.key === null || b.key === null) return (a.key === null) - (b.key === null) || a.index - b.index;
      const order = numeric ? a.key - b.key || 0 : a.key.localeCompare(b.key, "en", { numeric: true });
      return (ascending ? order : -order) || a.index - b.index;
    });
    body.append(...rows.map((item) => item.row));
    [...table.tHead.rows[0].cells].forEach((cell, index) => {
      if (index === column) cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
      else cell.removeAttribute("aria-sort");
    });
  };

  const tabSeparated = (table) => {
    const clean = (text) => text.replace(/\s+/g, " ").trim();
    const heads = [...table.tHead.rows[0].cells];
    const lines = [heads.flatMap((cell) => {
      const title = clean(cell.textContent);
      return "interval" in cell.dataset ? [title, title + " low", title + " high"] : [title];
    })];
    for (const row of table.tBodies[0].rows) {
      lines.push([...row.cells].flatMap((cell, index) => {
        const own = "missing" in cell.dataset ? "" : cell.dataset.v ?? clean(cell.textContent);
        return "interval" in heads[index].dataset ? [own, cell.dataset.low ?? "", cell.dataset.high ?? ""] : [own];
      }));
    }
    return lines.map((line) => line.join("\t")).join("\n") + "\n";
  };

  const copy = async (text, button) => {
    const said = button.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = done ? "Copied" : "Could not copy";
    setTimeout(() => { button.textContent = said; }, 1500);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.classList.contains("sort")) {
      const head = button.closest("th");
      sortBy(head.closest("table"), head.cellIndex, head.getAttribute("aria-sort") !== "ascending");
    } else if (button.classList.contains("copy")) {
      copy(tabSeparated(button.closest(".tablebox").querySelector("table")), button);
    } else if (button.classList.contains("copy-text")) {
      copy(button.parentElement.querySelector("code").textContent, button);
    }
  });

  // --- The numbers behind a chart --------------------------------------------------------------------------------
  const element = (name, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  };
  const numbersTable = (details) => {
    const slot = details.querySelector(".slot");
    if (slot.firstChild) return;
    const figures = all("figure.chart", details.closest(".charts"));
    const contents = figures.map(payloadOf).flatMap(({ payload }) => payload.variants ?? [payload]);
    const { data, columns: known } = specs[figures[0].dataset.spec].usermeta.numbers;
    const rowsOf = (content) => content.data?.[data] ?? [];
    const columns = known.filter(([, field]) => contents.some((content) => rowsOf(content).some((row) => field in row)));
    const rows = contents.flatMap((content) => rowsOf(content).map((row) =>
      [content.title, ...columns.map(([, field, names]) => (names ? content.signals[names][row[field]] : row[field]))]));
    const numeric = (index) => rows.some((row) => typeof row[index] === "number");
    const titles = ["Chart", ...columns.map(([title]) => (title.signal ? contents[0].signals[title.signal] : title))];
    const head = titles.map((title, index) =>
      element("th", { scope: "col", className: numeric(index) ? "num" : "" }, element("button", { type: "button", className: "sort", textContent: title })));
    const body = rows.map((row) => element("tr", {}, ...row.map((value, index) => {
      const cell = element("td", { className: numeric(index) ? "num" : "", textContent: value ?? "–" });
      if (value === null || value === undefined) cell.dataset.missing = "";
      else if (numeric(index)) cell.dataset.v = value;
      return cell;
    })));
    const table = element("table", { className: "data" }, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    slot.append(element("div", { className: "tablebox" }, element("div", { className: "scroll", tabIndex: 0 }, table),
      element("div", { className: "below" }, element("button", { type: "button", className: "copy", textContent: "Copy table" }))));
  };
  for (const details of all("details")) {
    details.addEventListener("toggle", () => {
      if (!details.open) return;
      if (details.classList.contains("numbers")) numbersTable(details);
      fitAll();
      drawMissing();
    });
  }

  // --- Light and dark, paper -------------------------------------------------------------------------------------
  const theme = document.getElementById("theme"), system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  nameTheme();
  system.addEventListener("change", nameTheme);
  theme.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });

  let opened = [];
  const beforePaper = () => {
    if (opened.length > 0) return;
    for (const table of all("table.data")) {  // paper has its own measure
      table.className = "data";
      delete table.fitted;
    }
    for (const details of all("details:not([open])")) {
      const numbers = details.classList.contains("numbers");
      if (numbers) numbersTable(details);
      if (all("tbody tr", details).length > longestPrinted[numbers ? "numbers" : "more"]) continue;
      details.open = true;
      opened.push(details);
    }
    drawMissing();
  };
  const afterPaper = () => {
    for (const details of opened) details.open = false;
    opened = [];
    fitAll();
  };
  addEventListener("beforeprint", beforePaper);
  addEventListener("afterprint", afterPaper);
  matchMedia("print").addEventListener("change", (media) => (media.matches ? beforePaper() : afterPaper()));

  fitAll();
  drawMissing().then(() => { document.body.dataset.ready = "1"; });
})();
