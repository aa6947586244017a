#include <fmt/format.h>

#include <cmath>

#include "leeway/report/assets.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

constexpr const char* specs[] = {"overview", "curve", "confidence", "confusion"};

std::string scope(const Record& record) {
  const auto counted = [](std::size_t n, const std::string& one) {
    return fmt::format("{} {}{}", n, one, n == 1 ? "" : "s");
  };
  std::size_t least = record.results[0].n, most = least;
  for (const Result& result : record.results) {
    least = std::min(least, result.n);
    most = std::max(most, result.n);
  }
  const std::string n = least == most ? count(most) : count(least) + " to " + count(most);
  return fmt::format("{}, {}, {} classes, {} samples a target", counted(record.models.size(), "model"),
                     counted(record.targets.size(), "target"), record.k(), n);
}

// For records without a headline.
std::string plain_headline(const Record& record) {
  const Result& worst = record.results[record.worst_first().front()];
  if (worst.accuracy.value)
    return fmt::format("{} is right on {} of samples.", subject(record, worst), percent(worst.accuracy));
  if (worst.afr_pred.value)
    return fmt::format("{} changes its mind on {} of samples.", subject(record, worst),
                       percent(1 - *worst.afr_pred.value, 1));
  return fmt::format("{} was assessed on {} samples.", subject(record, worst), count(worst.n));
}

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

std::string vega() {
  std::string script = asset("page/vega_join.js");
  const std::string line = "//PARTS//";
  const std::size_t at = script.find(line);
  return script.replace(at, line.size(), asset("vega_parts.js"));
}

}  // namespace

std::string page(const std::string& title, const std::string& headline, const std::string& lead,
                 const std::vector<Section>& sections) {
  std::string main, drawings;
  for (const Section& section : sections) main += section_html(section);
  for (const char* name : specs)
    drawings += fmt::format("<script type=\"application/json\" id=\"spec-{}\">{}</script>\n", name,
                            script_json(Json::parse(asset(fmt::format("specs/{}.vg.json", name)))));
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
                                        {"vega", vega()},
                                        {"script", asset("page/page.js")}});
}

std::string assess_page(const Record& record, const Pictures& pictures, const Options& options) {
  std::vector<Section> sections;
  for (Section& section : std::vector<Section>{
           warnings_section(record), comparisons_section(record), agreement_section(record),
           confidence_section(record), classes_section(record), groups_section(record),
           shares_section(record), confusion_section(record), flips_section(record, pictures, options),
           missing_section(record), assumptions_section(record), source_section(record.envelope)})
    if (!section.body.empty()) sections.push_back(std::move(section));
  const std::string headline = record.headline.empty() ? plain_headline(record) : record.headline;
  const std::string lead =
      fmt::format("<p class=\"scope\">{}</p>\n", escape(scope(record))) + overview(record);
  return page("leeway: " + list_of(record.models), headline, lead, sections);
}

}  // namespace leeway::report
