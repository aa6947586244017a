// leeway train: a classifier of images, by any of the algorithms of leeway list.
#include <fmt/format.h>

#include <optional>

#include "apps/leeway/command.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/agreement/agreement.h"
#include "leeway/core/message.h"
#include "leeway/data/split.h"
#include "leeway/data/training_data.h"
#include "leeway/nn/train.h"
#include "leeway/shift/shift.h"

namespace leeway::app {
namespace {

struct TrainFlags {
  ModelFlags model;  // architecture and normalization
  nn::TrainOptions options;
  std::string data, index, norm = "linf", eps, steps, relative_step, start, select = "accuracy", select_shift,
                           keep, unlabelled;
  data::TrainingColumns columns;
  std::optional<double> validation;
  std::vector<std::string> set;
};

void check_shift(const nn::Selection& selection) {
  std::vector<std::string_view> names;
  for (const shift::Member& member : shift::members()) {
    if (member.selects_rows) continue;
    names.push_back(member.name);
    if (member.name != selection.shift) continue;
    const Parameter legal = member.strength();
    const double strength = selection.strength.value_or(legal.value);
    if (strength >= legal.low && strength <= legal.high) return;
    throw UsageError(fmt::format("--select-shift: expected {} to {} for {}, found {}", legal.low, legal.high,
                                 member.name, strength));
  }
  throw UsageError(fmt::format("--select-shift: expected one of {}, found {}", fmt::join(names, ", "),
                               in_quotes(selection.shift)));
}

// --select pa --select-shift NAME[:STRENGTH]: posterior agreement of the validation images with their shifted version.
nn::Selection selection_of(const TrainFlags& flags) {
  if (flags.select != "pa") {
    if (!flags.select_shift.empty()) throw UsageError("--select-shift: expected --select pa beside it");
    return {};
  }
  if (flags.select_shift.empty())
    throw UsageError(
        "--select pa: expected --select-shift NAME[:STRENGTH], the shift that agreement is measured under");
  nn::Selection selection;
  selection.name = flags.select;
  const auto colon = flags.select_shift.find(':');
  selection.shift = flags.select_shift.substr(0, colon);
  if (colon != std::string::npos)
    selection.strength = parse_number("--select-shift", flags.select_shift.substr(colon + 1));
  check_shift(selection);
  selection.score = [](const Outputs& clean, const Outputs& shifted) {
    agreement::Options options;
    options.clean_name = clean.path;
    options.shifted_name = shifted.path;
    return agreement::posterior_agreement(clean.logits, shifted.logits, {}, options).pa;
  };
  return selection;
}

nn::TrainOptions options_of(const Context& context, const TrainFlags& flags) {
  nn::TrainOptions options = flags.options;
  options.norm = parse_norm(flags.norm);
  options.normalization = normalization_of(flags.model);
  options.start = flags.start;
  options.seed = context.seed;
  options.device = context.device;
  options.selection = selection_of(flags);
  options.worst_group = flags.select == "worst-group";
  if (flags.validation) options.validation = *flags.validation;
  options.keep_epochs = flags.keep;
  if (!flags.eps.empty()) options.parameters["eps"] = parse_number("--eps", flags.eps);
  if (!flags.steps.empty()) options.parameters["steps"] = parse_number("--attack-steps", flags.steps);
  if (!flags.relative_step.empty())
    options.parameters["relative-step"] = parse_number("--relative-step", flags.relative_step);
  for (const auto& [name, value] : parse_settings(flags.set)) options.parameters[name] = value;
  return options;
}

std::string table_of(const nn::TrainResult& result, const std::string& out) {
  const nn::Epoch& first = result.epochs.front();
  const auto share = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.4f}", *value) : "-";
  };
  // Columns that this training has: what stands above, how wide, and an epoch's cell.
  struct Column {
    std::string_view name;
    int width;
    std::optional<double> nn::Epoch::*value;
  };
  std::vector<Column> columns = {{"validation", 11, &nn::Epoch::validation_accuracy}};
  if (first.validation_robust_accuracy)
    columns.push_back({"under attack", 13, &nn::Epoch::validation_robust_accuracy});
  if (first.validation_worst_group_accuracy)
    columns.push_back({"worst group", 12, &nn::Epoch::validation_worst_group_accuracy});
  if (first.validation_shifted_accuracy)
    columns.push_back({"shifted", 8, &nn::Epoch::validation_shifted_accuracy});
  if (first.selection_score) columns.push_back({"PA", 8, &nn::Epoch::selection_score});
  std::string text = fmt::format("{:>5} {:>9} {:>9}", "epoch", "loss", "accuracy");
  for (const Column& column : columns) text += fmt::format(" {:>{}}", column.name, column.width);
  text += fmt::format(" {:>8}\n", "seconds");
  for (const nn::Epoch& epoch : result.epochs) {
    text += fmt::format("{:>5} {:>9.4f} {:>9.4f}", epoch.number, epoch.loss, epoch.accuracy);
    for (const Column& column : columns)
      text += fmt::format(" {:>{}}", share(epoch.*column.value), column.width);
    text += fmt::format(" {:>8.1f}{}\n", epoch.seconds, epoch.number == result.best_epoch ? "  <- kept" : "");
  }
  if (first.selection_score)
    text += result.best_by_score == result.best_by_accuracy
                ? fmt::format("Agreement and accuracy choose the same epoch, {}.\n", result.best_by_score)
                : fmt::format("Agreement chose epoch {}; accuracy would have chosen epoch {}.\n",
                              result.best_by_score, result.best_by_accuracy);
  if (result.best_by_worst_group > 0)
    text += result.best_by_worst_group == result.best_by_accuracy
                ? fmt::format("Accuracy and the worst group choose the same epoch, {}.\n",
                              result.best_by_accuracy)
                : fmt::format("Accuracy chooses epoch {}, the worst group epoch {}.\n",
                              result.best_by_accuracy, result.best_by_worst_group);
  return text + fmt::format("{}: {} weights, trained on {} images, validated on {}\n", out,
                            result.model->info().parameters, result.n_train, result.n_validation);
}

// The rows that an index file calls train, and after them those that it calls val, which then choose the epoch. Its
// other rows are not looked at.
data::TrainingData rows_of_index(Context& context, const data::TrainingData& data, const TrainFlags& flags,
                                 nn::TrainOptions& options) {
  const data::RowSplit split = data::read_split(flags.index, data.images.n());
  if (split.train.empty()) refuse(flags.index, "rows of train", "none");
  if (flags.validation && !split.validation.empty())
    throw UsageError(fmt::format("--validation: expected none, {} names rows of val", flags.index));
  context.add_input(flags.index, {split.rows, 2});
  std::vector<std::size_t> rows = split.train;
  for (const std::size_t row : split.validation) {
    options.validation_rows.push_back(rows.size());
    rows.push_back(row);
  }
  return data::select_rows(data, rows);
}

// What is missing that only a flag can give.
void check_flags(Context& context, const TrainFlags& flags, const nn::TrainOptions& options) {
  if (!flags.columns.attributes.empty() && flags.columns.groups.empty() && flags.columns.environment.empty())
    throw UsageError("--attributes: expected --group-column or --environment-column beside it");
  const nn::Requirements needs =
      model_session(context.threads).requirements_of(options.algorithm, options.parameters);
  if (needs.unlabelled && flags.unlabelled.empty())
    throw UsageError(
        fmt::format("--algorithm {}: expected --unlabelled FILE, images of the target", options.algorithm));
}

data::TrainingData read_data(Context& context, const TrainFlags& flags, nn::TrainOptions& options) {
  data::TrainingData data = data::read_training_data(flags.data, flags.columns);
  context.add_input(flags.data, data.images.pixels.shape);
  if (!flags.columns.attributes.empty()) context.add_input(flags.columns.attributes, {data.images.n()});
  if (!flags.index.empty()) data = rows_of_index(context, data, flags, options);
  if (!flags.unlabelled.empty()) data.unlabelled = load_images(context, flags.unlabelled);
  return data;
}

int run_train(Context& context, const TrainFlags& flags) {
  require_out(context, "the weights");
  nn::TrainOptions options = options_of(context, flags);
  check_flags(context, flags, options);
  context.start_clock();
  const nn::TrainResult trained =
      model_session(context.threads)
          .train(read_data(context, flags, options), options, context.out, context.progress());
  context.stop_clock();

  for (const std::string& note : trained.notes) context.warn("leeway: " + note);
  Json result = Json::parse(trained.record);
  result["out"] = context.out;
  result["weights"] = trained.model->info().parameters;
  result["resumed_after"] = trained.resumed_after;
  result["reused"] = trained.reused;
  Json seconds = Json::array();
  for (const nn::Epoch& epoch : trained.epochs) seconds.push_back(epoch.seconds);
  result["epoch_seconds"] = std::move(seconds);
  context.print(context.record("leeway.train/1", Json::array({std::move(result)})),
                table_of(trained, context.out));
  return exit_ok;
}

}  // namespace

void add_train(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("train", "Train a classifier of images");
  const auto flags = std::make_shared<TrainFlags>();
  nn::TrainOptions& options = flags->options;
  command
      ->add_option("--data", flags->data,
                   "Labelled images: .npz, .safetensors, IDX(.gz), or fashion-mnist:train")
      ->required();
  command->add_option(
      "--index", flags->index,
      "CSV index,split, as leeway conds draw writes it: train on the rows called train, validate on "
      "those called val");
  command->add_option(
      "--attributes", flags->columns.attributes,
      "CSV with a header and one row an image of --data: where the next two find their columns");
  command
      ->add_option("--group-column", flags->columns.groups,
                   "Attributes that, with the label, make an image's group, by commas (default: the groups "
                   "that --data holds)")
      ->delimiter(',');
  command->add_option("--environment-column", flags->columns.environment,
                      "Where or when an image was taken (default: the environment that --data holds)");
  command->add_option("--unlabelled", flags->unlabelled,
                      "Images of the target, for algorithms that adapt to it");
  command->add_option("--arch", options.architecture, "See leeway list architectures")->capture_default_str();
  command->add_option("--algorithm", options.algorithm, "See leeway list algorithms")->capture_default_str();
  command->add_option("--epochs", options.epochs, "At most so many passes over the data")
      ->capture_default_str();
  command->add_option("--batch", options.batch, "Images a step")->capture_default_str();
  command->add_option("--lr", options.learning_rate, "Learning rate of Adam")->capture_default_str();
  command->add_option("--weight-decay", options.weight_decay, "Decoupled weight decay")
      ->capture_default_str();
  command
      ->add_option("--validation", flags->validation,
                   "Share of the data held out to choose the epoch, where no index names rows")
      ->default_str(fmt::format("{}", options.validation));
  command
      ->add_option("--patience", options.patience, "Stop after so many epochs without a better one; 0: never")
      ->capture_default_str();
  command
      ->add_option("--select", flags->select,
                   "What chooses the epoch: accuracy, that of the worst group, or pa, posterior agreement")
      ->check(CLI::IsMember({"accuracy", "worst-group", "pa"}).description(""))
      ->type_name("accuracy|worst-group|pa")
      ->capture_default_str();
  command->add_option("--select-shift", flags->select_shift,
                      "With --select pa: NAME[:STRENGTH] of a shift of leeway shift, as gaussian-noise:0.2");
  context.files.writes(
      command->add_option("--keep-epochs", flags->keep,
                          "Save the weights of every epoch in this folder: epoch-001.safetensors, ..."),
      Written::folder);
  command->add_option("--classes", options.classes, "Number of classes (default: 1 + the largest label)");
  command->add_option("--start", flags->start, "Weights to start from (.safetensors) instead of random ones");
  command->add_option("--norm", flags->norm, "Of adversarial training: linf or l2")->capture_default_str();
  command->add_option("--eps", flags->eps,
                      "Of adversarial training: radius, a number or a fraction (default 0.1)");
  command->add_option("--attack-steps", flags->steps, "Of adversarial training: steps of PGD (default 7)");
  command->add_option("--relative-step", flags->relative_step, "Of adversarial training: step length / eps");
  command->add_option("--set", flags->set, "NAME=NUMBER: any parameter of the algorithm");
  command->add_flag("--reuse", options.reuse, "Keep --out where it was made with the same options and data");
  add_normalization_flags(*command, flags->model);
  add_device_flag(*command, context.device);
  context.add_common_flags(*command, "Weights (.safetensors)", Written::file,
                           [](const std::string& out) { return out + ".state"; });
  command->footer(
      "Early stopping and the choice of the epoch go by validation accuracy, under the attack for "
      "adversarial training;\n"
      "with --select worst-group by that of the worst group (label and attributes together), and with "
      "--select pa by posterior agreement of the held-out images with their shifted version.\n"
      "Agreement does not ask who is right: an early epoch, which changes its mind least, can win it. The "
      "table shows "
      "both choices.\n"
      "OUT.state holds the last finished epoch: the same command goes on from there after a stop or a "
      "crash.\n"
      "The bits of the weights depend on --threads, which the record names.\n\n"
      "  leeway train --data fashion-mnist:train --epochs 5 --out cnn.safetensors\n"
      "  leeway train --data fashion-mnist:train --algorithm pgd --eps 0.1 --out robust.safetensors\n"
      "  leeway train --data fashion-mnist:train --select pa --select-shift gaussian-noise:0.2 --out "
      "pa.safetensors");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_train(context, *flags); }; });
}

}  // namespace leeway::app
