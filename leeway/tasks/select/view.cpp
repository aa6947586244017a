#include <cmath>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Measured pa_value(const SelectCheckpoint& one) { return pa_of(one.measured.agreement); }

Measured accuracy_of(const SelectCheckpoint& one) { return measured(one.measured.accuracy); }
Measured shifted_of(const SelectCheckpoint& one) { return measured(one.measured.accuracy_shifted); }

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

Line line_of(const Select& record, const std::string& name, std::size_t slot,
             Measured (*value)(const SelectCheckpoint&), bool share) {
  Line line{name, slot, {}};
  for (const SelectCheckpoint& one : record.results) {
    const Measured y = value(one);
    std::string words = one.checkpoint + "\n" + value_words(y, share);
    if (!share) words += "\nβ " + significant(one.measured.agreement.beta, 3);
    line.points.push_back({static_cast<double>(line.points.size() + 1), y, one.checkpoint,
                           words + "\nn = " + count(one.measured.agreement.n)});
  }
  return line;
}

Blocks charts(const Select& record) {
  std::vector<std::string> names = short_names(record.results);
  if (std::ranges::any_of(names, [](const std::string& name) { return name.size() > 6; })) names.clear();
  LineAxes axes = counted_axes(record.results.size(), "checkpoint", names);
  axes.height = 180;
  axes.name_length = std::string_view("shifted").size();
  const auto pick = [](const Chosen& chosen, std::size_t slot, const std::string& words) {
    return Pick{static_cast<double>(chosen.index + 1), slot, words};
  };
  const auto& [by_pa, by_accuracy, by_shifted, difference] = record.selected;
  const double log_k = log_k_of(record);
  const Line pa = line_of(record, "PA", 0, pa_value, false);
  std::vector<Pick> pa_picks{pick(by_pa, 0, "highest PA")}, picks = pa_picks;
  if (by_accuracy) {
    pa_picks.push_back(pick(*by_accuracy, 1, "highest clean accuracy"));
    picks.push_back(pick(*by_accuracy, 1, "highest clean"));
  }
  if (by_shifted) picks.push_back(pick(*by_shifted, 2, "highest shifted"));
  std::vector<Line> accuracies{line_of(record, "clean", 1, accuracy_of, true),
                               line_of(record, "shifted", 2, shifted_of, true)};
  std::erase_if(accuracies, [](const Line& line) {
    return std::ranges::none_of(line.points,
                                [](const LinePoint& point) { return point.y.value.has_value(); });
  });
  std::vector<Chart> out{line_chart("Posterior agreement", "maximum " + fixed(log_k, 2), {pa},
                                    fit_y(axes, {pa}, 0, log_k), {}, pa_picks)};
  if (!accuracies.empty()) {
    axes = fit_y(axes, accuracies, 0, 1);
    axes.percent = true;
    out.push_back(line_chart("Accuracy", "clean and under the shift", accuracies, axes, {}, picks));
  }
  return single({Charts{.choices = {{"", std::move(out)}}, .stacked = true}});
}

std::string chosen_by(const Select& record, std::size_t index) {
  const auto& [pa, accuracy, accuracy_shifted, difference] = record.selected;
  std::vector<std::string> words;
  if (pa.index == index) words.emplace_back("PA");
  if (accuracy && accuracy->index == index) words.emplace_back("accuracy");
  if (accuracy_shifted && accuracy_shifted->index == index) words.emplace_back("accuracy under the shift");
  return list_of(words);
}

Blocks checkpoint_table(const Select& record) {
  using One = SelectCheckpoint;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Checkpoint"), &One::checkpoint},
      {interval_column(
           "PA", "Posterior agreement of the clean and the shifted validation set, with its 95% interval"),
       [](const One& one) { return pa_cell(pa_value(one)); }},
      {beta_column(), [](const One& one) { return significant_cell(one.measured.agreement.beta, 3); }},
      {same_prediction_column(false),
       [](const One& one) { return share_cell({one.measured.agreement.afr_pred}); }},
      {interval_column("Accuracy, clean"),
       [](const One& one) { return share_cell(accuracy_of(one), "no labels were given"); }},
      {interval_column("Accuracy, shifted"),
       [](const One& one) { return share_cell(shifted_of(one), "no labels were given"); }},
      {number_column("n"), [](const One& one) { return count_cell(one.measured.agreement.n); }},
      {text_column("Highest", "Criteria by which the checkpoint is best"), [&](const One& one) {
         return text_cell(chosen_by(record, static_cast<std::size_t>(&one - record.results.data())));
       }}};
  return table_of("All checkpoints, in order", columns, record.results).block();
}

}  // namespace

View view(const Select& record) {
  return view_of(
      "selection of a checkpoint", record.envelope,
      charts(record) + in_both(checkpoint_table(record)) + term_list(pa_meanings(log_k_of(record))));
}

}  // namespace leeway::tasks
