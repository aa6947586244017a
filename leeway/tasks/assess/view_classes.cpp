// Classes and groups of an assessment, and the mix of predicted classes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "leeway/core/rows.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t matrix_rows = 30;  // classes or groups of a matrix, worst first
constexpr std::size_t long_rows = 600;   // rows of the table that has everything
constexpr double full_shade = .5;        // a cell this far from the source is shaded fully

using Member = AssessCell;

// Classes or groups, and what one is called.
struct ClassesKind {
  const std::vector<Member> AssessResult::*members;
  std::string name;
};

std::string key_of(const Member& member) {
  return member.group.empty() ? std::to_string(member.index.value_or(0)) : member.group + '\n' + member.name;
}

std::string label_of(const Assess& record, const Member& member) {
  if (!member.group.empty()) return member.group + ": " + member.name;
  return member.name.empty() ? record.class_name(member.index.value_or(0)) : member.name;
}

std::optional<double> quality(const Member& member) {
  return member.accuracy.value ? member.accuracy.value : member.afr_pred.value;
}

// A class or group over all targets of one model.
struct ClassLine {
  std::string label;
  std::optional<double> source = {};
  double worst = 2;
  std::map<std::string, const Member*> at = {};  // by target
};

std::vector<ClassLine> lines_of(const Assess& record, const std::string& model, const ClassesKind& kind) {
  std::vector<ClassLine> lines;
  std::map<std::string, std::size_t> where;
  for (const AssessResult& result : record.results) {
    if (result.model != model) continue;
    for (const Member& member : result.*kind.members) {
      if (!quality(member)) continue;
      const auto [found, added] = where.try_emplace(key_of(member), lines.size());
      if (added) lines.push_back({label_of(record, member)});
      ClassLine& line = lines[found->second];
      if (member.source_accuracy.value) line.source = member.source_accuracy.value;
      line.worst = std::min(line.worst, *quality(member));
      line.at[result.target] = &member;
    }
  }
  std::ranges::stable_sort(lines, {}, &ClassLine::worst);
  return lines;
}

Cell member_cell(const Member& member) {
  Cell cell = percent_cell(quality(member), 0);
  const std::string n = fmt::format("n = {}", count(member.n));
  if (!member.accuracy.value) {
    cell.title = "predictions unchanged; " + n;
    cell.shade = (*member.afr_pred.value - 1) / full_shade;
    return cell;
  }
  const std::string interval = percent_interval(member.accuracy);
  cell.title = (interval.empty() ? "" : interval + "%, ") + n;
  if (member.source_accuracy.value)
    cell.shade = (*member.accuracy.value - *member.source_accuracy.value) / full_shade;
  return cell;
}

Blocks matrix(const Assess& record, const std::string& model, const ClassesKind& kind) {
  std::vector<ClassLine> lines = lines_of(record, model, kind);
  std::vector<ColumnOf<ClassLine>> columns = {{text_column(sentence_case(kind.name)), &ClassLine::label}};
  if (std::ranges::any_of(lines, [](const ClassLine& line) { return line.source.has_value(); }))
    columns.push_back({number_column("Source", "Accuracy on the source"), [](const ClassLine& line) {
                         return percent_cell(line.source, 0, "not on the source");
                       }});
  for (const std::string& target : record.targets)
    if (std::ranges::any_of(lines, [&](const ClassLine& line) { return line.at.contains(target); }))
      columns.push_back({number_column(target), [&target](const ClassLine& line) {
                           const auto found = line.at.find(target);
                           return found == line.at.end() ? dash_cell("no samples, or no labels and no pairs")
                                                         : member_cell(*found->second);
                         }});
  std::string caption = record.models.size() > 1 ? model : "Accuracy";
  cut_rows(lines, matrix_rows, caption, ": the {} worst of {}");
  return table_of(caption, columns, lines).block();
}

// Every class or group of every result with its interval and n; limited, worst first within each result.
Blocks everything(const Assess& record, const ClassesKind& kind) {
  std::size_t total = 0, filled = 0;
  for (const AssessResult& result : record.results) {
    total += (result.*kind.members).size();
    filled += (result.*kind.members).empty() ? 0 : 1;
  }
  if (filled == 0) return {};
  const std::size_t each = total <= long_rows ? total : std::max<std::size_t>(1, long_rows / filled);
  Table table(total <= long_rows ? "With intervals"
                                 : fmt::format("With intervals: the {} worst of each model and target", each),
              {text_column("Target"), text_column(sentence_case(kind.name)), interval_column("Accuracy"),
               number_column("Source"),
               number_column("Prediction unchanged",
                             "Share of samples with the same prediction before and after the shift"),
               number_column("n")});
  for (const AssessResult* result : record.worst_first())
    for (std::size_t m = 0; m < std::min(each, (result->*kind.members).size()); ++m) {
      const Member& member = (result->*kind.members)[m];
      const auto why = [&](const char* key) { return member.n == 0 ? "no samples" : result->reason(key); };
      table.add({text_cell(subject(record, *result)), text_cell(label_of(record, member)),
                 share_cell(member.accuracy, why("accuracy")),
                 percent_cell(member.source_accuracy.value, 1, "not available on the source"),
                 percent_cell(member.afr_pred.value, 1, why("afr_pred")), count_cell(member.n)});
    }
  return folded(fmt::format("All figures with intervals and n ({} rows)",
                            count(total <= long_rows ? total : filled * each)),
                table.block(2));
}

Section members_section(const Assess& record, const ClassesKind& kind, Section section,
                        const std::string& intro) {
  const AssessResult* result = nullptr;  // of the worst member
  const Member* worst = nullptr;
  for (const AssessResult& one : record.results)
    for (const Member& member : one.*kind.members)
      if (quality(member) && (worst == nullptr || *quality(member) < *quality(*worst)))
        result = &one, worst = &member;
  if (worst == nullptr) return {};
  const std::string where = fmt::format("{} ({})", label_of(record, *worst), subject(record, *result));
  const std::optional<double>& before = worst->source_accuracy.value;
  section.heading =
      worst->accuracy.value
          ? fmt::format("Weakest {}: {}, {} right{}", kind.name, where, percent(*worst->accuracy.value),
                        before ? fmt::format(", {} on the source", percent(*before)) : "")
          : fmt::format("The {} that changes most: {}, {} of predictions unchanged", kind.name, where,
                        percent(*worst->afr_pred.value));
  section.body = paragraph(intro);
  for (const std::string& model : record.models) section.body += matrix(record, model, kind);
  section.body += everything(record, kind);
  return section;
}

Blocks shares_table(const Assess& record, const std::string& model) {
  std::vector<const AssessResult*> results;
  for (const AssessResult& result : record.results)
    if (result.model == model && !result.shares.shifted.empty()) results.push_back(&result);
  if (results.empty()) return {};
  const std::size_t k = record.k();
  const auto share = [](const std::vector<double>& list, std::size_t c) {
    return c < list.size() && std::isfinite(list[c]) ? list[c] : 0.;
  };
  std::vector<double> change(k, 0.);
  for (const AssessResult* result : results)
    for (std::size_t c = 0; c < k; ++c)
      change[c] =
          std::max(change[c], std::abs(share(result->shares.shifted, c) - share(result->shares.clean, c)));
  std::vector<std::size_t> order = all_rows(k);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return change[c]; });
  std::vector<ColumnOf<std::size_t>> columns = {
      {text_column("Predicted class"), [&](std::size_t c) { return text_cell(record.class_name(c)); }},
      {number_column("Source", "Share of source samples predicted as this class"),
       [&](std::size_t c) { return percent_cell(share(results[0]->shares.clean, c), 1); }}};
  for (const AssessResult* result : results)
    columns.push_back({number_column(result->target), [&share, result](std::size_t c) {
                         const double now = share(result->shares.shifted, c),
                                      points = now - share(result->shares.clean, c);
                         Cell cell = percent_cell(now, 1);
                         cell.shade = -std::abs(points) / .25;
                         cell.title =
                             fmt::format("{}{} points", points > 0 ? "+" : "", fixed(100 * points, 1));
                         return cell;
                       }});
  std::string caption = record.models.size() > 1 ? model : "Share of predictions";
  cut_rows(order, matrix_rows, caption, ": the {} classes of {} that change most");
  return table_of(caption, columns, order).block();
}

}  // namespace

Section classes_section(const Assess& record) {
  return members_section(
      record, {&AssessResult::classes, "class"}, {"classes", "Classes", "", {}},
      "Accuracy by true class, worst first (without labels: share of unchanged predictions by clean "
      "prediction). Shading: difference from the source. Hover over a cell for its interval and n.");
}

Section groups_section(const Assess& record) {
  return members_section(
      record, {&AssessResult::groups, "group"}, {"groups", "Groups", "", {}},
      "An average can hide a group with much worse results. Read this table like the table of classes.");
}

Section shares_section(const Assess& record) {
  const AssessResult* result = nullptr;
  std::size_t most = 0;
  const auto change_of = [](const AssessResult& one, std::size_t c) {
    return one.shares.shifted[c] - one.shares.clean[c];
  };
  for (const AssessResult& one : record.results)
    for (std::size_t c = 0; c < std::min(one.shares.clean.size(), one.shares.shifted.size()); ++c)
      if (result == nullptr || std::abs(change_of(one, c)) > std::abs(change_of(*result, most)))
        result = &one, most = c;
  Blocks tables;
  for (const std::string& model : record.models) tables += shares_table(record, model);
  if (tables.empty() || result == nullptr) return {};
  const double change = change_of(*result, most);
  return {"shares", "Mix",
          std::abs(change) < .005
              ? "The mix of predicted classes hardly changes"
              : fmt::format("{} predicts {} {} often: {} of samples, {} on the source",
                            subject(record, *result), record.class_name(most), change > 0 ? "more" : "less",
                            percent(result->shares.shifted[most]), percent(result->shares.clean[most])),
          paragraph("The share of samples that the model predicts as each class. It needs no labels: if the "
                    "mix of predictions changes but the true mix does not, the model is drifting.") +
              tables};
}

}  // namespace leeway::tasks
