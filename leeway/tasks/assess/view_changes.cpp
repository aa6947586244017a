// Which predictions a shift changes into which: maps of all, and the samples that contradict themselves most surely.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/tasks/pictures.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t map_classes = 100;         // a map of more is unreadable
constexpr std::size_t map_cells = 15000;         // of all maps together; the worst results come first
constexpr std::size_t changes_table_rows = 400;  // most frequent changes, of all results together

Json cells_of(const AssessResult& result) {
  Json cells = Json::array();
  for (std::size_t i = 0; i < result.confusion.size(); ++i) {
    const std::vector<std::size_t>& row = result.confusion[i];
    const std::vector<double> shares = shares_of(row);
    for (std::size_t j = 0; j < row.size(); ++j)
      if (row[j] > 0) cells.push_back({{"i", i}, {"j", j}, {"count", row[j]}, {"share", brief(shares[j])}});
  }
  return cells;
}

Chart map_of(const Assess& record, const AssessResult& result, Json cells) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < result.confusion.size(); ++c) names.push_back(record.class_name(c));
  const std::string title = subject(record, result);
  return {"confusion",
          title,
          "",
          "Heat map of the clean prediction against the shifted prediction of " + title,
          {{"cells", std::move(cells)}},
          {{"names", names}},
          {{"percent", "as a share of each row"}}};
}

Blocks frequent_table(const Assess& record) {
  const std::size_t each = std::clamp<std::size_t>(changes_table_rows / record.results.size(), 1, 10);
  Table table(fmt::format("The {} most frequent changes of each model and target", each),
              {text_column("Target"), text_column("Clean prediction"), text_column("Shifted prediction"),
               number_column("Samples"), number_column("Share of all changes")});
  for (const AssessResult* result : record.worst_first()) {
    const std::vector<AssessTopFlip>& flips = result->top_flips;
    const double changed = (1 - result->afr_pred.value.value_or(1)) * static_cast<double>(result->n);
    for (std::size_t f = 0; f < std::min(each, flips.size()); ++f) {
      const auto& [from, to, samples] = flips[f];
      const auto share = changed > .5 ? std::optional(static_cast<double>(samples) / changed) : std::nullopt;
      table.add({text_cell(subject(record, *result)), text_cell(record.class_name(from)),
                 text_cell(record.class_name(to)), count_cell(samples),
                 percent_cell(share, 1, "the record does not have the number of changed samples")});
    }
  }
  return folded(fmt::format("The most frequent changes as a table ({} rows)", count(table.rows.size())),
                table.block());
}

// -- Samples

// The three pictures of one flip, and the largest change of a pixel in [0,1].
struct Triple {
  std::vector<Thumbnail> pictures;
  double largest = 0;
};
using Triples = std::map<std::pair<std::size_t, std::size_t>, Triple>;  // by result and row

Thumbnail thumbnail(const Picture& picture, const std::string& words) {
  return {png_data_uri(picture), words, picture.width, picture.height};
}

// The first flip of every result before the second of any, so that a short budget is spread evenly.
Triples pictures_within(const Pictures& pictures, std::size_t budget) {
  std::map<std::size_t, std::size_t> seen;
  std::vector<std::pair<std::size_t, const FlipPicture*>> order;
  for (const FlipPicture& flip : pictures.flips) order.emplace_back(seen[flip.result]++, &flip);
  std::ranges::stable_sort(order, {}, [](const auto& turn) { return turn.first; });
  Triples out;
  std::size_t used = 0;
  for (const auto& [turn, flip] : order) {
    if (!complete(flip->clean) || !complete(flip->shifted) ||
        flip->clean.pixels.size() != flip->shifted.pixels.size())
      continue;
    const Difference change = difference(flip->clean, flip->shifted);
    Triple triple{{thumbnail(flip->clean, "clean"), thumbnail(flip->shifted, "shifted"),
                   thumbnail(change.picture, "difference")},
                  change.largest / 255.};
    for (const Thumbnail& picture : triple.pictures) used += picture.uri.size();
    if (used > budget) break;
    out.emplace(std::pair(flip->result, flip->row), std::move(triple));
  }
  return out;
}

Fact said(const Assess& record, const char* when, std::size_t prediction, double confidence,
          const std::optional<std::size_t>& label) {
  return {when, record.class_name(prediction), sureness(confidence),
          label ? std::optional(*label == prediction) : std::nullopt};
}

Card card(const Assess& record, const AssessFlip& flip, const Triple& triple) {
  return {triple.pictures,
          fmt::format("Row {}{}; pixels change by up to {}", flip.row,
                      flip.label ? ", label " + record.class_name(*flip.label) : "", percent(triple.largest)),
          {said(record, "clean", flip.clean_pred, flip.clean_confidence, flip.label),
           said(record, "shifted", flip.shifted_pred, flip.shifted_confidence, flip.label)}};
}

Blocks flip_table(const Assess& record, const AssessResult& result, const std::vector<AssessFlip>& flips) {
  using Flip = AssessFlip;
  const auto sure = [](double confidence) { return number_cell(confidence, sureness(confidence)); };
  const auto name = [&](std::size_t c) { return text_cell(record.class_name(c)); };
  const std::vector<ColumnOf<Flip>> columns = {
      {number_column("Row"),
       [](const Flip& f) { return number_cell(static_cast<double>(f.row), std::to_string(f.row)); }},
      {text_column("Label"),
       [&](const Flip& f) { return f.label ? name(*f.label) : dash_cell("the target has no labels"); }},
      {text_column("Clean prediction"), [&](const Flip& f) { return name(f.clean_pred); }},
      {number_column("Confidence"), [&](const Flip& f) { return sure(f.clean_confidence); }},
      {text_column("Shifted prediction"), [&](const Flip& f) { return name(f.shifted_pred); }},
      {number_column("Confidence"), [&](const Flip& f) { return sure(f.shifted_confidence); }},
      {number_column("Agreement", "Log agreement a_i at the maximum: 0 is perfect, more negative is worse"),
       [](const Flip& f) { return fixed_cell(f.agreement, 2); }}};
  return table_of(subject(record, result), columns, flips).block();
}

Blocks one_result(const Assess& record, const AssessResult& result, const std::vector<AssessFlip>& flips,
                  const Triples& triples, bool open) {
  const auto index = static_cast<std::size_t>(&result - record.results.data());
  Cards cards;
  std::vector<AssessFlip> bare;
  for (const AssessFlip& flip : flips)
    if (const auto found = triples.find({index, flip.row}); found == triples.end())
      bare.push_back(flip);
    else
      cards.cards.push_back(card(record, flip, found->second));
  const double changed = std::round((1 - result.afr_pred.value.value_or(1)) * static_cast<double>(result.n));
  return folded(
      fmt::format("{}: {} of {} changed samples", subject(record, result), flips.size(),
                  result.afr_pred.value ? count(static_cast<std::size_t>(changed)) : "the"),
      (cards.cards.empty() ? Blocks() : single({std::move(cards)})) + flip_table(record, result, bare), open);
}

}  // namespace

Section confusion_section(const Assess& record) {
  std::vector<Chart> maps;
  std::size_t cells = 0, left_out = 0;
  std::string heading;
  for (const AssessResult* result : record.worst_first()) {
    const std::vector<AssessTopFlip>& flips = result->top_flips;
    if (heading.empty() && !flips.empty())
      heading = fmt::format("{} most often turns {} into {}: {} samples", subject(record, *result),
                            record.class_name(flips[0].from), record.class_name(flips[0].to),
                            count(flips[0].count));
    if (result->confusion.empty() || result->confusion.size() > map_classes) continue;
    Json content = cells_of(*result);
    cells += content.size();
    if (cells > map_cells)
      ++left_out;
    else
      maps.push_back(map_of(record, *result, std::move(content)));
  }
  const Blocks table = frequent_table(record);
  if (maps.empty() && table.empty()) return {};
  Blocks body = maps.empty()
                    ? paragraph(fmt::format(
                          "A map of {} classes would be unreadable; these are the most frequent changes.",
                          count(record.k())))
                    : paragraph(
                          "Rows are predictions on the source, columns predictions under the shift. Orange "
                          "cells are changed predictions, darker for a larger share of the row; gray cells "
                          "are unchanged predictions.") +
                          chart_choice(maps);
  if (left_out > 0)
    body += paragraph(fmt::format(
        "To keep the page small, it shows the maps of the {} worst results; the record has the other {}.",
        maps.size(), left_out));
  return {"changes", "Changes", heading.empty() ? "No prediction changes" : heading, body + table};
}

std::size_t flips_shown(const Assess& record, const PageOptions& options) {
  constexpr std::size_t of_all_results = 400;
  return std::min(options.flips_per_result, std::max<std::size_t>(1, of_all_results / record.results.size()));
}

Section flips_section(const Assess& record, const Pictures& pictures, const PageOptions& options) {
  const Triples triples = pictures_within(pictures, options.picture_bytes / (record.average_case.size() + 1));
  const std::size_t shown = flips_shown(record, options);
  std::string heading;
  Blocks body;
  for (const AssessResult* result : record.worst_first()) {
    std::vector<AssessFlip> flips = result->flips;
    if (flips.size() > shown) flips.resize(shown);
    if (flips.empty()) continue;
    const bool first = body.empty();
    if (first)
      heading = fmt::format("Most confident contradiction: {} {} becomes {} {} ({}, row {})",
                            sureness(flips[0].clean_confidence), record.class_name(flips[0].clean_pred),
                            sureness(flips[0].shifted_confidence), record.class_name(flips[0].shifted_pred),
                            subject(record, *result), flips[0].row);
    body += one_result(record, *result, flips, triples, first);
  }
  if (body.empty()) return {};
  return {"flips", "Samples", heading,
          paragraph("Samples with the most confident contradictions: prediction and confidence on the source "
                    "and under the shift.") +
              body};
}

}  // namespace leeway::tasks
