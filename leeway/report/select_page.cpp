#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/lines.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

using record::Select;
using record::SelectCheckpoint;

Measured pa_value(const SelectCheckpoint& one) { return pa_of(one.measured.agreement); }

Measured measured_of(const std::optional<agreement::Estimate>& estimate) {
  if (!estimate) return {};
  return {estimate->value, estimate->interval.low, estimate->interval.high};
}
Measured accuracy_of(const SelectCheckpoint& one) { return measured_of(one.measured.accuracy); }
Measured shifted_of(const SelectCheckpoint& one) { return measured_of(one.measured.accuracy_shifted); }

double log_k_of(const Select& record) {
  return std::log(static_cast<double>(record.results[0].measured.agreement.k));
}

// "epoch-01.npz", "epoch-02.npz": "01", "02". Names keep what only some of them have.
std::vector<std::string> short_names(const std::vector<SelectCheckpoint>& checkpoints) {
  const auto letter_or_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::string& first = checkpoints[0].checkpoint;
  std::size_t front = first.size(), back = first.size();
  for (const SelectCheckpoint& one : checkpoints) {
    const std::size_t size = std::min(first.size(), one.checkpoint.size());
    std::size_t f = 0, b = 0;
    while (f < size && first[f] == one.checkpoint[f]) ++f;
    while (b < size && first[first.size() - 1 - b] == one.checkpoint[one.checkpoint.size() - 1 - b]) ++b;
    front = std::min(front, f);
    back = std::min(back, b);
  }
  while (front > 0 && letter_or_digit(first[front - 1])) --front;  // words and numbers stay whole
  while (back > 0 && letter_or_digit(first[first.size() - back])) --back;
  std::vector<std::string> out;
  for (const SelectCheckpoint& one : checkpoints)
    out.push_back(one.checkpoint.size() > front + back
                      ? one.checkpoint.substr(front, one.checkpoint.size() - front - back)
                      : one.checkpoint);
  return out;
}

// Some eight ticks, named where the names are short, and counted otherwise.
LineAxes axes_of(const Select& record) {
  const std::size_t m = record.results.size();
  LineAxes axes;
  axes.x_low = m == 1 ? 0 : 1;
  axes.x_high = m == 1 ? 2 : static_cast<double>(m);
  const auto names = short_names(record.results);
  const bool named =
      std::all_of(names.begin(), names.end(), [](const std::string& name) { return name.size() <= 6; });
  const std::size_t step = std::max<std::size_t>(1, (m + 7) / 8);
  for (std::size_t i = 0; i < m; i += step) {
    axes.x_ticks.push_back(static_cast<double>(i + 1));
    axes.x_names.push_back(named ? names[i] : std::to_string(i + 1));
  }
  axes.x_title = "checkpoint";
  axes.height = 180;
  axes.name_length = std::string_view("shifted").size();
  return axes;
}

Line line_of(const Select& record, const std::string& name, std::size_t slot,
             Measured (*value)(const SelectCheckpoint&), bool share) {
  Line line{name, slot, {}};
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const SelectCheckpoint& one = record.results[i];
    const Measured y = value(one);
    std::string words = one.checkpoint + "\n" + value_words(y, share);
    if (!share) words += "\nβ " + significant(one.measured.agreement.beta, 3);
    line.points.push_back(
        {static_cast<double>(i + 1), y, one.checkpoint, words + "\nn = " + count(one.measured.agreement.n)});
  }
  return line;
}

bool any_value(const Line& line) {
  return std::any_of(line.points.begin(), line.points.end(),
                     [](const LinePoint& point) { return point.y.value.has_value(); });
}

std::string charts(const Select& record) {
  const LineAxes axes = axes_of(record);
  const double log_k = log_k_of(record);
  const auto pick = [](const record::Chosen& chosen, std::size_t slot, const std::string& words) {
    return Pick{static_cast<double>(chosen.index + 1), slot, words};
  };
  const auto& [by_pa, by_accuracy, by_shifted, difference] = record.selected;
  const Line pa = line_of(record, "PA", 0, pa_value, false);
  std::vector<Line> accuracies;
  std::vector<Pick> pa_picks{pick(by_pa, 0, "highest PA")}, picks = pa_picks;
  Line clean = line_of(record, "clean", 1, accuracy_of, true);
  Line shifted = line_of(record, "shifted", 2, shifted_of, true);
  for (Line* line : {&clean, &shifted})
    if (any_value(*line)) accuracies.push_back(std::move(*line));
  if (by_accuracy) {
    pa_picks.push_back(pick(*by_accuracy, 1, "highest clean accuracy"));
    picks.push_back(pick(*by_accuracy, 1, "highest clean"));
  }
  if (by_shifted) picks.push_back(pick(*by_shifted, 2, "highest shifted"));
  std::string out = panels_html({line_chart("Posterior agreement", "of at most " + fixed(log_k, 2), {pa},
                                            fit_y(axes, {pa}, 0, log_k), {}, pa_picks)});
  if (!accuracies.empty()) {
    LineAxes share_axes = fit_y(axes, accuracies, 0, 1);
    share_axes.percent = true;
    out +=
        panels_html({line_chart("Accuracy", "clean and under the shift", accuracies, share_axes, {}, picks)});
  }
  return "<div class=\"stack\">\n" + out + "</div>\n";
}

std::string chosen_by(const Select& record, std::size_t index) {
  const auto& [pa, accuracy, accuracy_shifted, difference] = record.selected;
  std::vector<std::string> words;
  if (pa.index == index) words.emplace_back("PA");
  if (accuracy && accuracy->index == index) words.emplace_back("accuracy");
  if (accuracy_shifted && accuracy_shifted->index == index) words.emplace_back("accuracy under the shift");
  return list_of(words);
}

std::string checkpoint_table(const Select& record) {
  Table table(
      "Every checkpoint, in its order",
      {{"Checkpoint", "", false},
       {"PA", "Posterior agreement of the clean and the shifted validation set, with its 95% interval", true,
        true},
       {"β", "The sharpness at which the model agrees with itself best"},
       {"Same prediction", "AFR: share of samples whose prediction is the same clean and shifted"},
       {"Accuracy, clean", "", true, true},
       {"Accuracy, shifted", "", true, true},
       {"n", ""},
       {"Highest", "By what the checkpoint is the best", false}});
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const SelectCheckpoint& one = record.results[i];
    const agreement::Agreement& a = one.measured.agreement;
    table.add({text_cell(one.checkpoint), pa_cell(pa_value(one), ""), significant_cell(a.beta, 3, ""),
               share_cell({a.afr_pred, {}, {}}, ""), share_cell(accuracy_of(one), "no labels were given"),
               share_cell(shifted_of(one), "no labels were given"), count_cell(a.n),
               text_cell(chosen_by(record, i))});
  }
  return table.html();
}

std::string doubts(const Select& record) {
  for (const SelectCheckpoint& one : record.results)
    if (!one.pairing.pairs())
      return fmt::format(" Nothing shows that the two sets of {} have the same rows: {}.", one.checkpoint,
                         one.pairing.reason);
  return "";
}

}  // namespace

std::string html_report(const Select& record) {
  const std::string lead =
      charts(record) + checkpoint_table(record) +
      terms_html({{"PA", pa_meaning(fixed(log_k_of(record), 2))}, {"β", beta_meaning()}});
  const std::string difference = difference_words(record);
  return page("leeway: choice of a checkpoint",
              record.envelope.headline + (difference.empty() ? "" : " " + difference) + doubts(record), lead,
              {source_section(envelope_of(record.envelope))});
}

}  // namespace leeway::report
