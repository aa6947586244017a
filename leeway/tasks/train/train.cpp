#include "leeway/tasks/train/train.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "leeway/agreement/agreement.h"
#include "leeway/io/csv.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

double agreement_of(const Outputs& clean, const Outputs& shifted) {
  return agreement::posterior_agreement(clean.logits, shifted.logits, {},
                                        {.clean_name = clean.path, .shifted_name = shifted.path})
      .pa;
}

[[noreturn]] void wrong_shift(const std::string& expected, const std::string& found) {
  throw OptionError(fmt::format("--select-shift: expected {}, found {}", expected, found));
}

const shift::Member& pixel_shift(std::string_view name) {
  std::vector<std::string_view> names;
  for (const shift::Member& member : shift::members()) {
    if (member.by_strength == nullptr) continue;
    if (member.name == name) return member;
    names.push_back(member.name);
  }
  wrong_shift(fmt::format("one of {}", fmt::join(names, ", ")), in_quotes(name));
}

// What the loop is told; its selection asks no session, so that a mistake shows before the data are read.
nn::TrainOptions options_of(const TrainTask& task) {
  nn::TrainOptions options{task.options};
  options.selection = selection_of(task.options, task.rows.data.shifted.has_value());
  options.start = task.start;
  options.keep_epochs = task.keep_epochs;
  options.seed = task.seed;
  options.device = task.device;
  options.text = training_text();
  options.reuse = task.reuse;
  return options;
}

}  // namespace

std::span<const Protocol> protocols() {
  static const Protocol list[] = {
      {{"conds", "10,000 steps of Adam, validated every 100 steps, patience of 20 validations",
        "Jeon et al., 2025, appendix A.5 and table 7"},
       [](TrainingOptions& options) {
         options.architecture = "resnet18";
         options.optimizer = "adam", options.decay = "coupled", options.batch = 128;
         options.steps = 10'000, options.check_every = 100, options.patience = 20;
       }},
      {{"diagvib", "50 epochs of Adam with learning rate .01; every epoch is a candidate",
        "Carvalho et al., 2025, appendix D, and Jiménez Rodríguez, 2024: DiagViB-6"},
       [](TrainingOptions& options) {
         options.architecture = "resnet18";
         options.optimizer = "adam", options.learning_rate = .01, options.epochs = 50, options.patience = 0;
       }},
      {{"uda", "50 epochs of SGD with learning rate .01, divided by 10 after 25 and 40, strong augmentation",
        "Rosenfeld and Garg, NeurIPS 2023, and Garg et al., ICML 2023 (RLSbench): CIFAR-10 and CIFAR-100"},
       [](TrainingOptions& options) {
         options.architecture = "resnet18-cifar", options.augment = "strong";
         options.optimizer = "sgd", options.momentum = .9, options.weight_decay = 1e-4;
         options.learning_rate = .01, options.schedule = "step:25:40", options.batch = 200;
         options.epochs = 50, options.patience = 0;
       }},
  };
  return list;
}

nn::Selection selection_of(const TrainingOptions& options, bool paired) {
  const std::string& text = options.select_shift;
  if (paired && !text.empty()) wrong_shift("no shift, because --select-shifted provides the images", text);
  if (paired) return {agreement_of, ""};
  if (text.empty()) {
    if (options.select == "pa")
      wrong_shift("NAME[:STRENGTH], the shift for posterior agreement (or --select-shifted)", "none");
    return {};
  }
  const auto colon = text.find(':');
  const shift::Member& member = pixel_shift(text.substr(0, colon));
  const Parameter legal = member.strength();
  nn::Selection selection{agreement_of, std::string(member.name), legal.value};
  if (colon != std::string::npos)
    selection.strength = parse_fraction(std::string_view(text).substr(colon + 1));
  if (!(selection.strength >= legal.low && selection.strength <= legal.high))
    wrong_shift(fmt::format("{} to {} for {}", legal.low, legal.high, member.name),
                in_quotes(std::string_view(text).substr(colon + 1)));
  return selection;
}

TrainingRows rows_of_split(const data::TrainingData& data, const data::RowSplit& split,
                           const std::string& name, bool test) {
  if (split.train.empty()) refuse(name, "rows of train", "none");
  if (test && split.test.empty()) refuse(name, "rows of test", "none");
  TrainingRows chosen;
  std::vector<std::size_t> rows = split.train;
  for (const std::size_t row : split.validation) {
    chosen.validation.push_back(rows.size());
    rows.push_back(row);
  }
  chosen.data = data::select_rows(data, rows);
  if (test) chosen.data.test = select_rows(data.images, split.test);
  return chosen;
}

Train train(const TrainTask& task, Progress* progress) {
  const TaskClock clock;
  nn::TrainOptions options = options_of(task);
  options.validation_rows = task.rows.validation;
  const nn::TrainResult result = task.session.train(task.rows.data, options, task.out, progress);
  Train record;
  record.options = result.options;
  record.results = {{task.out.string(), result.model->info().parameters, result.resumed_after, result.reused,
                     static_cast<const Training&>(result)}};
  record.envelope.warnings = result.notes;
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
