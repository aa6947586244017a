#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/report/pictures.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

// The three pictures of one flip as HTML, and the largest change of a pixel in [0,1].
struct Triple {
  std::string html;
  double largest = 0;
};
using Triples = std::map<std::pair<std::size_t, std::size_t>, Triple>;  // by result and row

std::string image(const Picture& picture, const std::string& words) {
  return fmt::format(
      "<figure><img src=\"{0}\" alt=\"{1}\" width=\"{2}\" "
      "height=\"{3}\"><figcaption>{1}</figcaption></figure>",
      png_data_uri(picture), words, picture.width, picture.height);
}

bool complete(const Picture& picture) {
  return (picture.channels == 1 || picture.channels == 3) && picture.height > 0 && picture.width > 0 &&
         picture.pixels.size() == picture.channels * picture.height * picture.width;
}

// The first flip of every result before the second of any, so that a short budget is spread evenly.
Triples pictures_within(const Pictures& pictures, std::size_t budget) {
  std::map<std::size_t, std::size_t> seen;
  std::vector<std::pair<std::size_t, const FlipPicture*>> order;
  for (const FlipPicture& flip : pictures.flips) order.emplace_back(seen[flip.result]++, &flip);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Triples out;
  std::size_t used = 0;
  for (const auto& [turn, flip] : order) {
    if (!complete(flip->clean) || !complete(flip->shifted) ||
        flip->clean.pixels.size() != flip->shifted.pixels.size())
      continue;
    const Difference change = difference(flip->clean, flip->shifted);
    std::string html =
        image(flip->clean, "clean") + image(flip->shifted, "shifted") + image(change.picture, "difference");
    used += html.size();
    if (used > budget) break;
    out.emplace(std::pair(flip->result, flip->row), Triple{std::move(html), change.largest / 255.});
  }
  return out;
}

std::string said(const Record& record, const char* when, std::size_t prediction, double confidence,
                 const std::optional<std::size_t>& label) {
  const char* verdict = !label                 ? ""
                        : *label == prediction ? " <span class=\"right\">right</span>"
                                               : " <span class=\"wrong\">wrong</span>";
  return fmt::format("<dt>{}</dt><dd><b>{}</b> {}{}</dd>", when, escape(record.class_name(prediction)),
                     escape(sureness(confidence)), verdict);
}

std::string card(const Record& record, const record::AssessFlip& flip, const Triple& triple) {
  const std::string label = flip.label ? ", truly " + escape(record.class_name(*flip.label)) : "";
  return fmt::format(
      "<li class=\"flip\"><div class=\"triple\">{}</div><p class=\"row\">Row {}{}; pixels change by up to "
      "{}</p><dl>{}{}</dl></li>\n",
      triple.html, flip.row, label, percent(triple.largest),
      said(record, "clean", flip.clean_pred, flip.clean_confidence, flip.label),
      said(record, "shifted", flip.shifted_pred, flip.shifted_confidence, flip.label));
}

Cell said_cell(const Record& record, std::size_t prediction) {
  return text_cell(record.class_name(prediction));
}

Cell sure_cell(double confidence) { return number_cell(confidence, escape(sureness(confidence))); }

std::string flip_table(const Record& record, const Result& result,
                       const std::vector<record::AssessFlip>& flips) {
  Table table(subject(record, result),
              {{"Row", ""},
               {"Label", "", false},
               {"Clean prediction", "", false},
               {"Confidence", ""},
               {"Shifted prediction", "", false},
               {"Confidence", ""},
               {"Agreement", "a_i at the maximiser: 0 is perfect, the more negative the worse"}});
  for (const record::AssessFlip& flip : flips)
    table.add({number_cell(static_cast<double>(flip.row), fmt::format("{}", flip.row)),
               flip.label ? text_cell(record.class_name(*flip.label)) : dash_cell("the target has no labels"),
               said_cell(record, flip.clean_pred), sure_cell(flip.clean_confidence),
               said_cell(record, flip.shifted_pred), sure_cell(flip.shifted_confidence),
               number_cell(flip.agreement, fixed(flip.agreement, 2))});
  return table.html();
}

std::string one_result(const Record& record, std::size_t index, const std::vector<record::AssessFlip>& flips,
                       const Triples& triples, bool open) {
  const Result& result = record.results[index];
  std::string cards;
  std::vector<record::AssessFlip> bare;
  for (const record::AssessFlip& flip : flips) {
    const auto found = triples.find({index, flip.row});
    if (found == triples.end()) {
      bare.push_back(flip);
    } else {
      cards += card(record, flip, found->second);
    }
  }
  std::string body = cards.empty() ? "" : "<ul class=\"flips\">\n" + cards + "</ul>\n";
  if (!bare.empty()) body += flip_table(record, result, bare);
  return fmt::format(
      "<details class=\"more\"{}><summary>{}: {} of {} changed samples</summary>\n{}</details>\n",
      open ? " open" : "", escape(subject(record, result)), flips.size(),
      result.afr_pred.value ? count(static_cast<std::size_t>(
                                  std::llround((1 - *result.afr_pred.value) * static_cast<double>(result.n))))
                            : "the",
      body);
}

}  // namespace

std::size_t flips_shown(const Record& record, const Options& options) {
  constexpr std::size_t of_all_results = 400;
  return std::min(options.flips_per_result, std::max<std::size_t>(1, of_all_results / record.results.size()));
}

Section flips_section(const Record& record, const Pictures& pictures, const Options& options) {
  Section section{"flips", "Samples", "", ""};
  const Triples triples = pictures_within(pictures, options.picture_bytes / (record.average_case.size() + 1));
  const std::size_t shown = flips_shown(record, options);
  bool first = true;
  for (const std::size_t i : record.worst_first()) {
    std::vector<record::AssessFlip> flips = record.results[i].flips;
    if (flips.size() > shown) flips.resize(shown);
    if (flips.empty()) continue;
    if (first) {
      const record::AssessFlip& flip = flips[0];
      const auto sure = [](double confidence) { return escape(sureness(confidence)) + " "; };
      section.heading = fmt::format(
          "The surest contradiction: {}{} becomes {}{} ({}, row {})", sure(flip.clean_confidence),
          escape(record.class_name(flip.clean_pred)), sure(flip.shifted_confidence),
          escape(record.class_name(flip.shifted_pred)), escape(subject(record, record.results[i])), flip.row);
    }
    section.body += one_result(record, i, flips, triples, first);
    first = false;
  }
  if (section.body.empty()) return section;
  section.body = paragraph(
                     "Samples on which the model contradicts itself most surely: what it said on the source, "
                     "what it says under the shift, and how sure it was.") +
                 section.body;
  return section;
}

}  // namespace leeway::report
