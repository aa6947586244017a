// The page of leeway train: the course of a training, which epoch is kept, and what other criteria would have kept.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <set>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"
#include "leeway/tasks/train/train.h"

namespace leeway::tasks {
namespace {

struct Curve {
  std::string name;
  std::function<Measured(const Epoch&)> value;
};

const std::vector<Curve>& accuracies() {
  const auto of = [](auto value, auto interval) {
    return [=](const Epoch& e) { return measured(e.*value, e.*interval); };
  };
  static const std::vector<Curve> list = {
      {"training", of(&Epoch::accuracy, &Epoch::accuracy_interval)},
      {"validation", of(&Epoch::validation_accuracy, &Epoch::validation_accuracy_interval)},
      {"worst group",
       of(&Epoch::validation_worst_group_accuracy, &Epoch::validation_worst_group_accuracy_interval)},
      {"attacked", of(&Epoch::validation_robust_accuracy, &Epoch::validation_robust_accuracy_interval)},
      {"shifted", of(&Epoch::validation_shifted_accuracy, &Epoch::validation_shifted_accuracy_interval)},
      {"test", of(&Epoch::test_accuracy, &Epoch::test_accuracy_interval)}};
  return list;
}

// A line of what is known of the epochs; no points where nothing is.
Line line_of(const Training& training, const Curve& curve, std::size_t slot, bool share) {
  Line line{curve.name, slot, {}};
  for (const Epoch& epoch : training.epochs)
    if (const Measured value = curve.value(epoch); value.value)
      line.points.push_back({static_cast<double>(epoch.number), value, std::to_string(epoch.number),
                             fmt::format("epoch {}: {}", epoch.number, value_words(value, share))});
  return line;
}

LineAxes epoch_axes(const Training& training) {
  return counted_axes(std::max<std::size_t>(1, training.epochs.size()),
                      training.options.check_every > 0 ? "validation" : "epoch");
}

std::vector<Chart> accuracy_charts(const Training& training) {
  std::vector<Line> lines;
  for (const Curve& curve : accuracies()) {
    Line line = line_of(training, curve, 0, true);
    if (!line.points.empty()) lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  if (lines.size() > series) lines.erase(lines.begin());  // that of training says least
  lines.resize(std::min(lines.size(), series));
  for (std::size_t slot = 0; slot < lines.size(); ++slot) lines[slot].slot = slot;
  LineAxes axes = epoch_axes(training);
  axes.percent = true;
  axes.height = 220;
  axes = fit_y(axes, lines, 0, 1);
  return {line_chart("Accuracy", "by epoch; bands are 95% intervals", lines, axes, {},
                     {{static_cast<double>(training.best_epoch), 0, "kept"}})};
}

// Each a chart of its own, since scales differ: the loss, the score that chooses, the parts of the algorithm's steps.
std::vector<Chart> other_charts(const Training& training) {
  const auto of = [](auto value) { return [=](const Epoch& e) { return Measured{e.*value}; }; };
  std::vector<Curve> curves = {{"loss", of(&Epoch::loss)}, {"selection score", of(&Epoch::selection_score)}};
  std::set<std::string> parts;
  for (const Epoch& epoch : training.epochs)
    for (const auto& [name, value] : epoch.parts) parts.insert(name);
  for (const std::string& name : parts)
    curves.push_back({name, [name](const Epoch& e) {
                        const auto found = e.parts.find(name);
                        return found == e.parts.end() ? Measured{} : Measured{found->second};
                      }});
  std::vector<Chart> charts;
  for (const Curve& curve : curves) {
    const Line line = line_of(training, curve, 0, false);
    if (line.points.empty()) continue;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const LinePoint& point : line.points) {
      least = std::min(least, *point.y.value);
      most = std::max(most, *point.y.value);
    }
    const double room = std::max(most - least, 1e-6 * std::max(std::abs(least), std::abs(most))) + 1e-300;
    charts.push_back(line_chart(curve.name, "mean over the steps of an epoch", {line},
                                fit_y(epoch_axes(training), {line},
                                      least >= 0 ? std::max(0., least - room) : least - room, most + room)));
  }
  return charts;
}

Blocks epoch_table(const Training& training) {
  std::vector<ColumnOf<Epoch>> columns = {
      {number_column("Epoch"), &Epoch::number},
      {number_column("Steps", "Number of steps since the beginning of training"), &Epoch::steps},
      {number_column("Loss", "Mean over the epoch's batches"),
       [](const Epoch& e) { return significant_cell(e.loss, 3); }}};
  for (const Curve& curve : accuracies()) {
    if (std::ranges::none_of(training.epochs,
                             [&](const Epoch& e) { return curve.value(e).value.has_value(); }))
      continue;
    columns.push_back({interval_column(sentence_case(curve.name)), [&curve](const Epoch& e) {
                         return share_cell(curve.value(e), "not measured in this epoch");
                       }});
  }
  return in_both(table_of("Every epoch", columns, training.epochs).block());
}

Blocks criteria_table(const Training& training) {
  struct Chosen {
    std::string criterion;
    const Epoch* epoch = nullptr;
  };
  std::vector<Chosen> chosen;
  const auto add = [&](const char* criterion, const std::optional<std::size_t>& number) {
    for (const Epoch& epoch : training.epochs)
      if (number == epoch.number) chosen.push_back({criterion, &epoch});
  };
  add("score", training.best_by_score);
  add("accuracy", training.best_by_accuracy);
  add("worst group", training.best_by_worst_group);
  add("test (oracle)", training.best_by_test);
  if (chosen.size() < 2) return {};
  const auto accuracy = [](std::size_t curve, const char* none) {
    return [=](const Chosen& one) { return share_cell(accuracies()[curve].value(*one.epoch), none); };
  };
  std::vector<ColumnOf<Chosen>> columns = {
      {text_column("Selected by"), &Chosen::criterion},
      {number_column("Epoch"), [](const Chosen& one) { return count_cell(one.epoch->number); }},
      {interval_column("Validation"), accuracy(1, "no validation images")},
      {interval_column("Worst group"), accuracy(2, "no groups")},
      {interval_column("Shifted"), accuracy(4, "no shifted validation images")}};
  if (training.best_by_test)
    columns.push_back({interval_column("Test"), accuracy(5, "not measured in this epoch")});
  return table_of("Epoch selected by each criterion", columns, chosen).block();
}

}  // namespace

View view(const Train& record) {
  const TrainedModel& model = record.results.front();
  const Training& training = model.training;
  Section course{
      "course", "Course",
      fmt::format("{} epochs, {} training images, {} validation images", training.epochs.size(),
                  count(training.n_train), count(training.n_validation)),
      chart_grid(other_charts(training)) + folded("Numbers of every epoch", epoch_table(training))};
  std::vector<std::string> items = {
      fmt::format("{} weights, written to {}", count(model.weights), model.out)};
  const std::string flags = flags_of(training.options);
  items.push_back(flags.empty() ? "All options are the defaults."
                                : "Options that differ from the defaults: `" + flags + "`");
  if (training.stopped_early)
    items.push_back("Training stopped early because validation no longer improved.");
  if (model.resumed_after > 0)
    items.push_back(fmt::format("{} epochs are from an earlier, interrupted run.", model.resumed_after));
  Section options{"options", "Options",
                  fmt::format("{} by {}", training.options.architecture, training.options.algorithm),
                  bullets(items)};
  return view_of("training", record.envelope,
                 chart_grid(accuracy_charts(training)) + in_both(criteria_table(training)),
                 {std::move(course), std::move(options)});
}

}  // namespace leeway::tasks
