#include "leeway/report/chart.h"

#include <fmt/format.h>

#include "leeway/report/html.h"

namespace leeway::report {
namespace {

// Rows of equal keys as {"fields": [...], "rows": [[...], ...]}: half the size.
Json packed(const Json& rows) {
  Json fields = Json::array(), lists = Json::array();
  if (!rows.empty())
    for (const auto& item : rows[0].items()) fields.push_back(item.key());
  for (const Json& row : rows) {
    Json list = Json::array();
    for (const Json& field : fields) list.push_back(row.value(field.get<std::string>(), Json()));
    lists.push_back(std::move(list));
  }
  return {{"fields", std::move(fields)}, {"rows", std::move(lists)}};
}

Json payload(const Chart& chart) {
  Json out = {{"title", chart.title}, {"note", chart.note}, {"description", chart.description}};
  for (const auto& [name, values] : chart.data) out["data"][name] = packed(values);
  for (const auto& [name, value] : chart.signals) out["signals"][name] = value;
  return out;
}

Json numbers_of(const Chart& chart) {
  Json columns = Json::array();
  for (const NumbersColumn& column : chart.numbers.columns)
    columns.push_back(Json::array({column.title, column.field, column.names}));
  return {{"data", chart.numbers.data}, {"columns", columns}};
}

std::string figure(const Chart& chart, const std::string& chooser, const Json& content) {
  return fmt::format(
      "<figure class=\"chart\" data-spec=\"{}\">{}<figcaption><strong>{}</strong> <span "
      "class=\"note\">{}</span></figcaption>\n"
      "<div class=\"plot\" role=\"img\" aria-label=\"{}\"></div>\n"
      "<script type=\"application/json\" class=\"payload\">{}</script></figure>\n",
      chart.spec, chooser, escape(chart.title), escape(chart.note), escape(chart.description),
      script_json(content));
}

Json payloads(const std::vector<Chart>& variants) {
  Json list = Json::array();
  for (const Chart& variant : variants) list.push_back(payload(variant));
  return {{"variants", std::move(list)}};
}

std::string chooser(const std::vector<std::string>& words) {
  if (words.size() < 2) return "";
  std::string options;
  for (std::size_t i = 0; i < words.size(); ++i)
    options += fmt::format("<option value=\"{}\">{}</option>", i, escape(words[i]));
  return fmt::format("<label>Show <select>{}</select></label>", options);
}

std::string numbers_html(const Chart& chart) {
  if (chart.numbers.columns.empty()) return "";
  return fmt::format(
      "<details class=\"numbers\"><summary>Numbers</summary><div class=\"slot\"></div>"
      "<script type=\"application/json\" class=\"numbers-of\">{}</script></details>\n",
      script_json(numbers_of(chart)));
}

}  // namespace

std::string panels_html(const std::vector<Chart>& charts, std::size_t shown) {
  if (charts.empty()) return "";
  std::string first, rest;
  for (std::size_t i = 0; i < charts.size(); ++i)
    (i < shown ? first : rest) += figure(charts[i], "", payload(charts[i]));
  std::string out = fmt::format("<div class=\"charts\"><div class=\"panels\" data-spec=\"{}\">\n{}</div>\n",
                                charts[0].spec, first);
  if (!rest.empty())
    out += fmt::format(
        "<details class=\"more\"><summary>{} more charts</summary><div class=\"panels\" "
        "data-spec=\"{}\">\n{}</div></details>\n",
        charts.size() - shown, charts[0].spec, rest);
  return out + numbers_html(charts[0]) + "</div>\n";
}

std::string choice_html(const std::vector<Chart>& variants) {
  if (variants.empty()) return "";
  std::vector<std::string> titles;
  for (const Chart& variant : variants) titles.push_back(variant.title);
  std::string controls = chooser(titles);
  for (const auto& [signal, words] : variants[0].toggles)
    controls += fmt::format("<label class=\"toggle\"><input type=\"checkbox\" data-signal=\"{}\"> {}</label>",
                            signal, escape(words));
  return "<div class=\"charts\">" +
         figure(variants[0], "<div class=\"controls\">" + controls + "</div>", payloads(variants)) +
         numbers_html(variants[0]) + "</div>\n";
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
  return fmt::format(
             "<div class=\"charts\"><div class=\"controls\">{}</div><div class=\"panels\" "
             "data-spec=\"{}\">\n{}</div>\n",
             chooser(words), first.spec, figures) +
         numbers_html(first) + "</div>\n";
}

std::string model_key(const std::vector<std::string>& models) {
  std::string out;
  for (std::size_t i = 0; i < models.size(); ++i)
    out += fmt::format(
        "<li><svg class=\"mark m{0}\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><use "
        "href=\"#shape{0}\"/></svg>{1}</li>",
        i % series, escape(models[i]));
  return "<ul class=\"key\">" + out + "</ul>\n";
}

}  // namespace leeway::report
