#include <fmt/format.h>

#include "leeway/report/detail/assets.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

constexpr const char* specs[] = {"overview", "curve",       "confidence", "confusion", "lines",
                                 "parts",    "reliability", "errors",     "scatter",   "spread",
                                 "cells",    "alignment",   "timeline"};

// The first sentence and the rest: ". " and a capital end it.
std::pair<std::string, std::string> first_sentence(const std::string& text) {
  for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1))
    if (at + 2 < text.size() && text[at + 2] >= 'A' && text[at + 2] <= 'Z')
      return {text.substr(0, at + 1), text.substr(at + 2)};
  return {text, ""};
}

std::string contents(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections)
    out += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, escape(section.link));
  return "<nav class=\"contents\" aria-label=\"Sections\"><ul>" + out + "</ul></nav>\n";
}

std::string json_script(const std::string& id, const std::string& file) {
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id,
                     script_json(Json::parse(asset(file))));
}

}  // namespace

std::string vega_script() {
  std::string script = asset("page/vega_join.js");
  const std::string line = "//PARTS//";
  return script.replace(script.find(line), line.size(), asset("vega_parts.js"));
}

std::string page(const std::string& title, const std::string& headline, const std::string& lead,
                 const std::vector<Section>& all_sections) {
  std::vector<Section> sections;
  for (const Section& section : all_sections)
    if (!section.body.empty()) sections.push_back(section);
  std::string main, drawings;
  for (const Section& section : sections) main += section_html(section);
  for (const char* name : specs)
    drawings += json_script(fmt::format("spec-{}", name), fmt::format("specs/{}.vg.json", name));
  drawings += json_script("config", "specs/config.json");
  const auto [first, more] = first_sentence(headline);
  const std::string heading =
      fmt::format("<h1{}>{}</h1>{}", first.size() > 110 ? " class=\"long\"" : "", escape(first),
                  more.empty() ? "" : "\n<p class=\"second\">" + escape(more) + "</p>");
  return fill(asset("page/page.html"), {{"title", escape(title)},
                                        {"headline", heading},
                                        {"lead", lead},
                                        {"contents", contents(sections)},
                                        {"main", main},
                                        {"style", asset("page/page.css")},
                                        {"specs", drawings},
                                        {"licence", asset("page/vega_licence.txt")},
                                        {"vega", vega_script()},
                                        {"script", asset("page/page.js")}});
}

}  // namespace leeway::report
