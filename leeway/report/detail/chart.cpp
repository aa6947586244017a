#include "leeway/report/detail/chart.h"

#include <fmt/format.h>

#include "leeway/report/detail/html.h"

namespace leeway::report {
namespace {

// Rows of equal keys as {"fields": [...], "rows": [[...], ...]}: half the size.
Json packed(const Json& rows) {
  Json fields = Json::array();
  if (!rows.empty())
    for (const auto& item : rows[0].items()) fields.push_back(item.key());
  Json lists = json_rows(rows, [&](const Json& row) {
    return json_rows(fields, [&](const Json& field) { return row.value(field.get<std::string>(), Json()); });
  });
  return {{"fields", std::move(fields)}, {"rows", std::move(lists)}};
}

Json payload(const Chart& chart) {
  Json out = {{"title", chart.title}, {"note", chart.note}, {"description", chart.description}};
  for (const auto& [name, values] : chart.data) out["data"][name] = packed(values);
  for (const auto& [name, value] : chart.signals) out["signals"][name] = value;
  return out;
}

Json payloads(const std::vector<Chart>& variants) { return {{"variants", json_rows(variants, payload)}}; }

std::string figure(const Chart& chart, const std::string& controls, const Json& content) {
  return fmt::format(
      "<figure class=\"chart\" data-spec=\"{}\">{}"
      "<figcaption><strong>{}</strong> <span class=\"note\">{}</span></figcaption>\n"
      "<div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>\n"
      "<script type=\"application/json\" class=\"payload\">{}</script></figure>\n",
      chart.spec, controls, escape(chart.title), escape(chart.note), escape(chart.description),
      script_json(content));
}

std::string grid(const Chart& first, const std::string& figures) {
  return fmt::format("<div class=\"panels\" data-spec=\"{}\">\n{}</div>\n", first.spec, figures);
}

std::string controls_html(const std::vector<std::string>& choices, const Chart& chart) {
  std::string options, out;
  for (std::size_t i = 0; i < choices.size(); ++i)
    options += fmt::format("<option value=\"{}\">{}</option>", i, escape(choices[i]));
  if (choices.size() > 1) out = fmt::format("<label>Show <select>{}</select></label>", options);
  for (const auto& [signal, words] : chart.toggles)
    out += fmt::format("<label class=\"toggle\"><input type=\"checkbox\" data-signal=\"{}\"> {}</label>",
                       signal, escape(words));
  return "<div class=\"controls\">" + out + "</div>";
}

// Figures, and below them the numbers of all of them.
std::string charts_html(const std::string& figures) {
  return "<div class=\"charts\">" + figures +
         "<details class=\"numbers\"><summary>Numbers</summary><div "
         "class=\"slot\"></div></details>\n</div>\n";
}

}  // namespace

std::string panels_html(const std::vector<Chart>& charts, std::size_t shown) {
  if (charts.empty()) return "";
  std::string first, rest;
  for (std::size_t i = 0; i < charts.size(); ++i)
    (i < shown ? first : rest) += figure(charts[i], "", payload(charts[i]));
  std::string out = grid(charts[0], first);
  if (!rest.empty())
    out += more_html(fmt::format("{} more charts", charts.size() - shown), grid(charts[0], rest));
  return charts_html(out);
}

std::string choice_html(const std::vector<Chart>& variants) {
  if (variants.empty()) return "";
  std::vector<std::string> titles;
  for (const Chart& variant : variants) titles.push_back(variant.title);
  const Chart& first = variants[0];
  return charts_html(figure(first, controls_html(titles, first), payloads(variants)));
}

std::string choice_panels_html(const std::vector<Choice>& choices) {
  if (choices.empty() || choices[0].charts.empty()) return "";
  std::vector<std::string> words;
  for (const Choice& choice : choices) words.push_back(choice.words);
  std::string figures;
  for (std::size_t i = 0; i < choices[0].charts.size(); ++i) {
    std::vector<Chart> variants;
    for (const Choice& choice : choices) variants.push_back(choice.charts[i]);
    figures += figure(variants[0], "", payloads(variants));
  }
  const Chart& first = choices[0].charts[0];
  return charts_html(controls_html(words, first) + grid(first, figures));
}

Chart overview_of(Chart chart, const std::vector<OverviewRow>& rows, std::size_t slots, double top,
                  bool percent, std::vector<std::string> targets) {
  for (const OverviewRow& row : rows) append_new(targets, row.target);
  const auto drawn = [](const OverviewRow& row) -> Json {
    return {{"target", row.target},
            {"model", row.model},
            {"slot", row.slot},
            {"value", brief(row.value.value)},
            {"low", brief(row.value.low)},
            {"high", brief(row.value.high)},
            {"source", brief(row.source)},
            {"n", row.n}};
  };
  chart.data = {{"rows", json_rows(rows, drawn)}};
  chart.signals = {{"targets", targets}, {"slots", slots}, {"top", brief(top)}, {"percent", percent}};
  return chart;
}

std::string model_key(const std::vector<std::string>& models) {
  std::vector<KeyItem> items;
  for (std::size_t i = 0; i < models.size(); ++i)
    items.push_back({fmt::format("m{}", i % series), escape(models[i]), i % series});
  return key_html(items);
}

}  // namespace leeway::report
