#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

constexpr std::size_t matrix_rows = 30;  // classes or groups of a matrix, worst first
constexpr std::size_t long_rows = 600;   // rows of the table that has everything
constexpr double full_shade = .5;        // a cell this far from the source is shaded fully

using Member = record::AssessCell;
using Members = std::vector<Member> Result::*;

std::string key_of(const Member& member) {
  return member.group.empty() ? std::to_string(member.index.value_or(0)) : member.group + '\n' + member.name;
}

std::string label_of(const Record& record, const Member& member) {
  if (!member.group.empty()) return member.group + ": " + member.name;
  return member.name.empty() ? record.class_name(member.index.value_or(0)) : member.name;
}

std::optional<double> quality(const Member& member) {
  return member.accuracy.value ? member.accuracy.value : member.afr_pred.value;
}

// A class or group over all targets of one model.
struct Line {
  std::string label;
  std::optional<double> source;
  std::size_t source_n = 0;
  double worst = 2;
  std::map<std::string, const Member*> at;  // by target
};

std::vector<Line> lines_of(const Record& record, const std::string& model, Members members) {
  std::vector<Line> lines;
  std::map<std::string, std::size_t> where;
  for (const Result& result : record.results) {
    if (result.model != model) continue;
    for (const Member& member : result.*members) {
      if (!quality(member)) continue;
      const auto [found, added] = where.try_emplace(key_of(member), lines.size());
      if (added) lines.push_back({label_of(record, member), {}, 0, 2, {}});
      Line& line = lines[found->second];
      if (member.source_accuracy.value) line.source = member.source_accuracy.value;
      line.worst = std::min(line.worst, *quality(member));
      line.at[result.target] = &member;
    }
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.worst < b.worst; });
  return lines;
}

Cell member_cell(const Member& member) {
  if (!member.accuracy.value) {
    Cell cell = number_cell(*member.afr_pred.value, percent(*member.afr_pred.value));
    cell.title = fmt::format("same prediction; n = {}", count(member.n));
    cell.shade = (*member.afr_pred.value - 1) / full_shade;
    return cell;
  }
  Cell cell = number_cell(*member.accuracy.value, percent(*member.accuracy.value));
  const std::string interval = percent_interval(member.accuracy);
  cell.title = (interval.empty() ? "" : interval + "%, ") + fmt::format("n = {}", count(member.n));
  if (member.source_accuracy.value)
    cell.shade = (*member.accuracy.value - *member.source_accuracy.value) / full_shade;
  return cell;
}

std::string matrix(const Record& record, const std::string& model, Members members, const std::string& what) {
  const auto lines = lines_of(record, model, members);
  std::vector<std::string> targets;
  for (const std::string& target : record.targets)
    if (std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.at.contains(target); }))
      targets.push_back(target);
  const bool with_source =
      std::any_of(lines.begin(), lines.end(), [](const Line& line) { return line.source.has_value(); });
  if (lines.empty()) return "";
  std::vector<Column> columns = {{what, "", false}};
  if (with_source) columns.push_back({"Source", "Accuracy on the source"});
  for (const std::string& target : targets) columns.push_back({target, ""});
  const std::string caption = record.models.size() > 1 ? model : "Accuracy";
  Table table(lines.size() > matrix_rows
                  ? fmt::format("{}: the {} worst of {}", caption, matrix_rows, lines.size())
                  : caption,
              columns);
  for (std::size_t i = 0; i < std::min(lines.size(), matrix_rows); ++i) {
    std::vector<Cell> row = {text_cell(lines[i].label)};
    if (with_source)
      row.push_back(lines[i].source ? number_cell(*lines[i].source, percent(*lines[i].source))
                                    : dash_cell("not on the source"));
    for (const std::string& target : targets) {
      const auto found = lines[i].at.find(target);
      row.push_back(found == lines[i].at.end() ? dash_cell("no samples, or neither labels nor pairs")
                                               : member_cell(*found->second));
    }
    table.add(std::move(row));
  }
  return table.html();
}

// Every class or group of every result with its interval and n; limited, worst first within each result.
std::string everything(const Record& record, Members members, const std::string& what) {
  std::size_t total = 0, filled = 0;
  for (const Result& result : record.results) {
    total += (result.*members).size();
    filled += (result.*members).empty() ? 0 : 1;
  }
  if (filled == 0) return "";
  const std::size_t each = total <= long_rows ? total : std::max<std::size_t>(1, long_rows / filled);
  Table table(total <= long_rows ? "With intervals"
                                 : fmt::format("With intervals: the {} worst of each model and target", each),
              {{"Target", "", false},
               {"Model", "", false},
               {what, "", false},
               {"Accuracy", "", true, true},
               {"Source", ""},
               {"Same prediction", "Share of samples whose prediction is the same clean and shifted"},
               {"n", ""}});
  for (const std::size_t i : record.worst_first()) {
    const Result& result = record.results[i];
    for (std::size_t m = 0; m < std::min(each, (result.*members).size()); ++m) {
      const Member& member = (result.*members)[m];
      const std::string why = member.n == 0 ? "no samples" : result.reason("accuracy");
      table.add({text_cell(result.target), text_cell(result.model), text_cell(label_of(record, member)),
                 share_cell(member.accuracy, why),
                 member.source_accuracy.value
                     ? number_cell(*member.source_accuracy.value, percent(*member.source_accuracy.value, 1))
                     : dash_cell("not known on the source"),
                 member.afr_pred.value
                     ? number_cell(*member.afr_pred.value, percent(*member.afr_pred.value, 1))
                     : dash_cell(member.n == 0 ? "no samples" : result.reason("afr_pred")),
                 count_cell(member.n)});
    }
  }
  return fmt::format(
      "<details class=\"more\"><summary>All figures with intervals and n ({} rows)</summary>\n{}</details>\n",
      count(total <= long_rows ? total : filled * each), table.html(3));
}

struct Worst {
  const Result* result = nullptr;
  const Member* member = nullptr;
};

Worst worst_member(const Record& record, Members members) {
  Worst worst;
  for (const Result& result : record.results)
    for (const Member& member : result.*members)
      if (quality(member) && (worst.member == nullptr || *quality(member) < *quality(*worst.member)))
        worst = {&result, &member};
  return worst;
}

std::string heading(const Record& record, const Worst& worst, const std::string& what) {
  const Member& member = *worst.member;
  const std::string where =
      fmt::format("{} ({})", escape(label_of(record, member)), escape(subject(record, *worst.result)));
  if (!member.accuracy.value)
    return fmt::format("The {} that changes most: {}, {} keep their prediction", what, where,
                       percent(*member.afr_pred.value));
  const std::string before = member.source_accuracy.value
                                 ? fmt::format(", {} on the source", percent(*member.source_accuracy.value))
                                 : "";
  return fmt::format("Weakest {}: {}, {} right{}", what, where, percent(*member.accuracy.value), before);
}

Section members_section(const Record& record, Members members, Section section, const std::string& what,
                        const std::string& intro) {
  const Worst worst = worst_member(record, members);
  if (worst.member == nullptr) return section;
  section.heading = heading(record, worst, what);
  std::string title = what;
  title[0] = static_cast<char>(title[0] - 'a' + 'A');
  section.body = paragraph(intro);
  for (const std::string& model : record.models) section.body += matrix(record, model, members, title);
  section.body += everything(record, members, title);
  return section;
}

struct ShareChange {
  const Result* result = nullptr;
  std::size_t index = 0;
  double change = 0;
};

std::string shares_table(const Record& record, const std::string& model) {
  std::vector<const Result*> results;
  for (const std::string& target : record.targets) {
    const Result* result = record.find(model, target);
    if (result != nullptr && !result->shifted_shares.empty()) results.push_back(result);
  }
  if (results.empty()) return "";
  const std::size_t k = record.k();
  const auto share = [](const std::vector<double>& list, std::size_t c) {
    return c < list.size() && std::isfinite(list[c]) ? list[c] : 0.;
  };
  std::vector<double> change(k, 0.);
  for (const Result* result : results)
    for (std::size_t c = 0; c < k; ++c)
      change[c] =
          std::max(change[c], std::abs(share(result->shifted_shares, c) - share(result->clean_shares, c)));
  std::vector<std::size_t> order(k);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return change[a] > change[b]; });
  if (order.size() > matrix_rows) order.resize(matrix_rows);
  std::vector<Column> columns = {{"Predicted class", "", false},
                                 {"Source", "Share of source samples predicted as this class"}};
  for (const Result* result : results) columns.push_back({result->target, ""});
  const std::string caption = record.models.size() > 1 ? model : "Share of predictions";
  Table table(k > matrix_rows
                  ? fmt::format("{}: the {} classes of {} that change most", caption, matrix_rows, k)
                  : caption,
              columns);
  for (const std::size_t c : order) {
    const double source = share(results[0]->clean_shares, c);
    std::vector<Cell> row = {text_cell(record.class_name(c)), number_cell(source, percent(source, 1))};
    for (const Result* result : results) {
      const double now = share(result->shifted_shares, c), before = share(result->clean_shares, c);
      Cell cell = number_cell(now, percent(now, 1));
      cell.shade = -std::abs(now - before) / .25;
      cell.title = fmt::format("{} points", (now > before ? "+" : "") + fixed(100 * (now - before), 1));
      row.push_back(std::move(cell));
    }
    table.add(std::move(row));
  }
  return table.html();
}

}  // namespace

Section classes_section(const Record& record) {
  return members_section(record, &Result::classes, {"classes", "Classes", "", ""}, "class",
                         "The share predicted right of each true class (of each clean prediction where there "
                         "are no labels: then the "
                         "share that keeps its prediction), worst first. Shading: distance from the source. "
                         "Rest the pointer on a "
                         "cell for its interval and n.");
}

Section groups_section(const Record& record) {
  return members_section(record, &Result::groups, {"groups", "Groups", "", ""}, "group",
                         "An average can hide a group that fares much worse. Read as the table of classes.");
}

Section shares_section(const Record& record) {
  Section section{"shares", "Mix", "", ""};
  ShareChange most;
  for (const Result& result : record.results)
    for (std::size_t c = 0; c < std::min(result.clean_shares.size(), result.shifted_shares.size()); ++c) {
      const double change = result.shifted_shares[c] - result.clean_shares[c];
      if (most.result == nullptr || std::abs(change) > std::abs(most.change)) most = {&result, c, change};
    }
  for (const std::string& model : record.models) section.body += shares_table(record, model);
  if (section.body.empty() || most.result == nullptr) return {section.id, section.link, "", ""};
  const std::string name = escape(record.class_name(most.index));
  section.heading =
      std::abs(most.change) < .005
          ? std::string("The mix of predicted classes hardly changes")
          : fmt::format("{} predicts {} {} often: {} of samples, {} on the source",
                        escape(subject(record, *most.result)), name, most.change > 0 ? "more" : "less",
                        percent(most.result->shifted_shares[most.index]),
                        percent(most.result->clean_shares[most.index]));
  section.body =
      paragraph(
          "The share of samples that the model predicts as each class. It needs no labels: when the mix of "
          "predictions moves and the world's has not, the model is drifting.") +
      section.body;
  return section;
}

}  // namespace leeway::report
