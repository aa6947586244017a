#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/report/lines.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

struct Checkpoint {
  std::string name, doubt;  // doubt: why its two sets need not be pairs
  std::size_t n = 0, k = 2;
  Measured pa, accuracy, shifted;
  std::optional<double> beta, gap, afr_pred;
};

// One way to choose, and what it chose.
struct Criterion {
  const char* key;
  const char* words;
  std::optional<std::size_t> chosen;
};

struct Selection {
  std::vector<Checkpoint> checkpoints;
  Criterion pa{"pa", "PA", {}}, accuracy{"accuracy", "accuracy", {}},
      shifted{"accuracy_shifted", "accuracy under the shift", {}};
  Measured pa_difference;
};

Checkpoint checkpoint(const JsonView& item) {
  Checkpoint out;
  out.name = item["checkpoint"].text();
  out.doubt = read_doubt(item["pairing"]);
  out.n = item["n"].index().value_or(0);
  out.k = std::max<std::size_t>(2, item["k"].index().value_or(2));
  out.pa = read_numbers(item, "pa");
  out.accuracy = read_shares(item, "accuracy");
  out.shifted = read_shares(item, "accuracy_shifted");
  out.beta = item["beta"].number();
  out.gap = item["gap"].number();
  out.afr_pred = item["afr_pred"].share();
  return out;
}

Selection read_selection(const JsonView& view) {
  Selection out;
  for (const JsonView& item : view["results"].items()) out.checkpoints.push_back(checkpoint(item));
  const JsonView selected = view["selected"];
  for (Criterion* criterion : {&out.pa, &out.accuracy, &out.shifted}) {
    const JsonView index = selected[criterion->key]["index"];
    criterion->chosen = index.index();
    if (criterion->chosen && *criterion->chosen >= out.checkpoints.size())
      index.refuse(fmt::format("a checkpoint below {}", out.checkpoints.size()));
  }
  const JsonView difference = selected["pa_difference"];
  out.pa_difference = {difference["value"].number(), difference["low"].number(), difference["high"].number()};
  return out;
}

// "epoch-01.npz", "epoch-02.npz": "01", "02". Names keep what only some of them have.
std::vector<std::string> short_names(const std::vector<Checkpoint>& checkpoints) {
  const auto letter_or_digit = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::string& first = checkpoints[0].name;
  std::size_t front = first.size(), back = first.size();
  for (const Checkpoint& one : checkpoints) {
    const std::size_t size = std::min(first.size(), one.name.size());
    std::size_t f = 0, b = 0;
    while (f < size && first[f] == one.name[f]) ++f;
    while (b < size && first[first.size() - 1 - b] == one.name[one.name.size() - 1 - b]) ++b;
    front = std::min(front, f);
    back = std::min(back, b);
  }
  while (front > 0 && letter_or_digit(first[front - 1])) --front;  // words and numbers stay whole
  while (back > 0 && letter_or_digit(first[first.size() - back])) --back;
  std::vector<std::string> out;
  for (const Checkpoint& one : checkpoints)
    out.push_back(one.name.size() > front + back ? one.name.substr(front, one.name.size() - front - back)
                                                 : one.name);
  return out;
}

// Some eight ticks, named where the names are short, and counted otherwise.
LineAxes axes_of(const Selection& selection) {
  const std::size_t m = selection.checkpoints.size();
  LineAxes axes;
  axes.x_low = m == 1 ? 0 : 1;
  axes.x_high = m == 1 ? 2 : static_cast<double>(m);
  const auto names = short_names(selection.checkpoints);
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

Line line_of(const Selection& selection, const std::string& name, std::size_t slot,
             const Measured Checkpoint::*value, bool share) {
  Line line{name, slot, {}};
  for (std::size_t i = 0; i < selection.checkpoints.size(); ++i) {
    const Checkpoint& one = selection.checkpoints[i];
    const Measured& y = one.*value;
    std::string words = one.name + "\n" + value_words(y, share);
    if (!share && one.beta) words += "\nβ " + significant(*one.beta, 3);
    line.points.push_back({static_cast<double>(i + 1), y, one.name, words + "\nn = " + count(one.n)});
  }
  return line;
}

bool any_value(const Line& line) {
  return std::any_of(line.points.begin(), line.points.end(),
                     [](const LinePoint& point) { return point.y.value.has_value(); });
}

Pick pick_of(const Criterion& criterion, std::size_t slot, const std::string& words) {
  return {static_cast<double>(*criterion.chosen + 1), slot, words};
}

std::string charts(const Selection& selection) {
  const LineAxes axes = axes_of(selection);
  const double log_k = std::log(static_cast<double>(selection.checkpoints[0].k));
  const Line pa = line_of(selection, "PA", 0, &Checkpoint::pa, false);
  std::vector<Line> accuracies;
  std::vector<Pick> pa_picks, picks;
  if (selection.pa.chosen) pa_picks.push_back(pick_of(selection.pa, 0, "highest PA"));
  if (selection.pa.chosen) picks.push_back(pick_of(selection.pa, 0, "highest PA"));
  Line clean = line_of(selection, "clean", 1, &Checkpoint::accuracy, true);
  Line shifted = line_of(selection, "shifted", 2, &Checkpoint::shifted, true);
  for (Line* line : {&clean, &shifted})
    if (any_value(*line)) accuracies.push_back(std::move(*line));
  if (selection.accuracy.chosen) {
    pa_picks.push_back(pick_of(selection.accuracy, 1, "highest clean accuracy"));
    picks.push_back(pick_of(selection.accuracy, 1, "highest clean"));
  }
  if (selection.shifted.chosen) picks.push_back(pick_of(selection.shifted, 2, "highest shifted"));
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

std::string chosen_by(const Selection& selection, std::size_t index) {
  std::vector<std::string> words;
  for (const Criterion* criterion : {&selection.pa, &selection.accuracy, &selection.shifted})
    if (criterion->chosen == index) words.emplace_back(criterion->words);
  return list_of(words);
}

std::string checkpoint_table(const Selection& selection) {
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
  for (std::size_t i = 0; i < selection.checkpoints.size(); ++i) {
    const Checkpoint& one = selection.checkpoints[i];
    table.add({text_cell(one.name), pa_cell(one.pa, ""), significant_cell(one.beta, 3, ""),
               share_cell({one.afr_pred, {}, {}}, ""), share_cell(one.accuracy, "no labels were given"),
               share_cell(one.shifted, "no labels were given"), count_cell(one.n),
               text_cell(chosen_by(selection, i))});
  }
  return table.html();
}

std::string headline(const Selection& selection) {
  const auto name = [&](std::size_t index) { return selection.checkpoints[index].name; };
  if (!selection.pa.chosen) return "No checkpoint has a posterior agreement.";
  const std::size_t by_pa = *selection.pa.chosen;
  const Checkpoint& best = selection.checkpoints[by_pa];
  if (!selection.accuracy.chosen)
    return fmt::format(
        "{} has the highest posterior agreement, {}. Without labels there is no accuracy to "
        "compare with.",
        best.name, value_words(best.pa, false));
  const std::size_t by_accuracy = *selection.accuracy.chosen;
  if (by_pa == by_accuracy)
    return fmt::format("Posterior agreement and accuracy choose the same checkpoint, {}.", best.name);
  std::string out =
      fmt::format("Posterior agreement chooses {}, accuracy chooses {}.", best.name, name(by_accuracy));
  const Checkpoint& other = selection.checkpoints[by_accuracy];
  if (best.shifted.value && other.shifted.value)
    out += fmt::format(" Under the shift the first is right on {} of samples, the second on {}.",
                       percent(best.shifted), percent(other.shifted));
  if (selection.pa_difference.value)
    out +=
        fmt::format(" The first's agreement is higher by {}.", value_words(selection.pa_difference, false));
  return out;
}

std::string doubts(const Selection& selection) {
  for (const Checkpoint& one : selection.checkpoints)
    if (!one.doubt.empty())
      return fmt::format(" Nothing shows that the two sets of {} have the same rows: {}.", one.name,
                         one.doubt);
  return "";
}

}  // namespace

std::string select_page(const Json& record, const Options& options) {
  const Selection selection = read_selection(JsonView(record, options.record_name));
  if (selection.checkpoints.empty()) refuse(options.record_name, "at least one result", "none");
  const double log_k = std::log(static_cast<double>(selection.checkpoints[0].k));
  const std::string lead = charts(selection) + checkpoint_table(selection) +
                           terms_html({{"PA", pa_meaning(fixed(log_k, 2))}, {"β", beta_meaning()}});
  return page("leeway: choice of a checkpoint", headline(selection) + doubts(selection), lead,
              {source_section(read_envelope(record, options.record_name))});
}

}  // namespace leeway::report
