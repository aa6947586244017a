#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/json.h"
#include "leeway/tasks/train/train.h"

namespace leeway {

void flag_fields(TrainingOptions& options, Fields& f) {
  f("arch", options.architecture, "architecture, see leeway list architectures");
  f.choice("freeze", options.freeze, {{"none", ""}, {"backbone", "all but the last layer (linear probe)"}},
           "weights that are not trained");
  f("crop", options.crop, "crop to N x N: random position in training, center otherwise (0: off)");
  f("mean", options.mean, "mean of each channel, subtracted from pixels in [0,1]");
  f("std", options.std, "standard deviation of each channel, by which pixels are divided after --mean");
  f("algorithm", options.algorithm, "training algorithm, see leeway list algorithms");
  f.unless_empty("augment", options.augment,
                 "augmentation chain, e.g. crop:padding=2,flip; none: no augmentation, also for fixmatch");
  f("batch", options.batch, at_least(1), "batch size");
  f.choice("optimizer", options.optimizer,
           {{"adam", "Adam"},
            {"sgd", "gradient descent with momentum"},
            {"nesterov", "sgd with Nesterov momentum"}},
           "optimizer");
  f("lr", options.learning_rate, at_least(0), "learning rate");
  f("weight_decay", options.weight_decay, at_least(0), "weight decay coefficient");
  f("momentum", options.momentum, at_least(0), "momentum of sgd and nesterov");
  f("epochs", options.epochs, at_least(1), "maximum number of epochs");
  f("steps", options.steps, "maximum number of steps; replaces --epochs (0: off)");
  f("schedule", options.schedule,
    "learning rate schedule: constant, cosine, inverse, linear:SHARE, step:EPOCH:EPOCH..., "
    "exponential:FACTOR, warm-up:EPOCHS; several are multiplied: warm-up:5,cosine");
  f("validation", options.validation, a_share,
    "share of the data held out for validation (default: 0.1; not used if --index has validation rows)");
  f("check_every", options.check_every, "validate every N steps (0: after every epoch)");
  f("patience", options.patience, "early stopping: validations without improvement (0: off)");
  f.choice("select", options.select,
           {{"accuracy", "validation accuracy"},
            {"worst-group", "accuracy of the worst group"},
            {"pa", "posterior agreement; requires --select-shift or --select-shifted"},
            {"last", "the last epoch"}},
           "criterion that selects the epoch");
  f.unless_empty("select_shift", options.select_shift,
                 "shift for --select pa, NAME[:STRENGTH], e.g. gaussian-noise:0.2");
  f.choice("balance", options.balance,
           {{"auto", "as required by the algorithm"},
            {"environment", "every environment"},
            {"groups", "every group"},
            {"none", "nothing"}},
           "what every batch contains in equal numbers");
  f.choice("last_batch", options.last_batch,
           {{"join", "keep; add a single row to the previous batch"}, {"drop", "drop the batch"}},
           "how to handle an incomplete last batch");
  f.choice("decay", options.decay, {{"decoupled", "AdamW"}, {"coupled", "L2"}}, "weight decay of Adam");
  f.choice("batchnorm", options.batchnorm,
           {{"train", "batch statistics"}, {"frozen", "running statistics, which never change"}},
           "batch normalization statistics in training");
  f("classes", options.classes, "number of classes (0: 1 + the largest label)");
  f.choice("norm", options.norm, {{"linf", ""}, {"l2", ""}}, "norm of adversarial training");
}

void fields(TrainingOptions& options, Fields& f) {
  flag_fields(options, f);
  f.numbers("parameters", options.parameters, "parameters of the algorithm by name, defaults included");
}

static void fields(TrainingPlan::Column& column, Fields& f) {
  f("name", column.name, "name of the attribute");
  f("digest", column.digest, "digest of levels and codes");
}

static void fields(TrainingPlan& plan, Fields& f) {
  f("seed", plan.seed, "seed of all random numbers");
  f("threads", plan.threads, at_least(1), "threads of LibTorch");
  f("torch", plan.torch, "version of LibTorch");
  f("data", plan.data, "digest of images and labels");
  f.unless_empty("validation_rows", plan.validation_rows,
                 "digest of the validation rows; null if they are a share of the data");
  f.unless_empty("unlabelled", plan.unlabelled, "digest of the unlabeled images; null: none");
  f.unless_empty("start", plan.start, "digest of the initial weights; null: random");
  f.unless_empty("test", plan.test, "digest of test images and labels; null: none");
  f("groups", plan.groups, "attributes that, with the label, define groups");
  f("environment", plan.environment, "attribute that names the environment");
  f.unless_empty("keep_epochs", plan.keep_epochs, "folder with the weights of every epoch; null: not kept");
  f("shifted", plan.shifted, "digest of the second sample of the validation images; null: none");
}

static void fields(BaseTraining& base, Fields& f) {
  f("algorithm", base.algorithm, "algorithm of the first stage");
  f("epochs", base.epochs, at_least(1), "number of epochs");
  f("best_epoch", base.best_epoch, at_least(1), "epoch whose weights were kept");
  f.measured("validation_accuracy", base.validation_accuracy, base.validation_accuracy_interval, a_share,
             "accuracy on the validation images");
}

static void fields(Epoch& epoch, Fields& f) {
  f("epoch", epoch.number, at_least(1), "number of the epoch from 1; with check_every, number of the check");
  f("steps", epoch.steps, at_least(1), "number of steps since the beginning of training");
  f("loss", epoch.loss, "mean training loss of the epoch");
  f.measured("accuracy", epoch.accuracy, epoch.accuracy_interval, a_share,
             "accuracy on the training batches, after augmentation and attack");
  f.measured("validation_accuracy", epoch.validation_accuracy, epoch.validation_accuracy_interval, a_share,
             "accuracy on the validation images");
  f.measured("validation_robust_accuracy", epoch.validation_robust_accuracy,
             epoch.validation_robust_accuracy_interval, a_share,
             "accuracy under the adversarial-training attack");
  f.measured("validation_worst_group_accuracy", epoch.validation_worst_group_accuracy,
             epoch.validation_worst_group_accuracy_interval, a_share,
             "lowest accuracy of a group, under the adversarial-training attack; null without groups");
  f.measured("validation_shifted_accuracy", epoch.validation_shifted_accuracy,
             epoch.validation_shifted_accuracy_interval, a_share,
             "accuracy on the shifted validation images; null without a shift or second sample");
  f("selection_score", epoch.selection_score, "posterior agreement; null without a shift or second sample");
  f.measured("test_accuracy", epoch.test_accuracy, epoch.test_accuracy_interval, a_share,
             "accuracy on the test images, which are never used for selection; null without test images");
  f("zero_gradient", epoch.zero_gradient, a_share,
    "share of images whose gradient is exactly 0 at the start of the adversarial-training attack");
  f.numbers("parts", epoch.parts, "quantities that the algorithm reports, averaged over images");
  f.unless_nan("seconds", epoch.seconds, at_least(0), "duration; null: unknown");
}

}  // namespace leeway

namespace leeway::tasks {
namespace {

constexpr double small_weight_change = .1;  // of group weights, relative to equal ones

}  // namespace

std::string flags_of(const TrainingOptions& options) {
  const auto json_of = [](TrainingOptions copy) { return written([&](Fields& f) { flag_fields(copy, f); }); };
  const Json defaults = json_of({}), given = json_of(options);
  std::string text;
  for (const auto& item : given.items()) {
    if (item.value() == defaults.at(item.key())) continue;
    std::string name = item.key();
    std::ranges::replace(name, '_', '-');
    text += fmt::format("{}--{}", text.empty() ? "" : " ", name);
    text += " " + (item.value().is_string() ? item.value().get<std::string>() : item.value().dump());
  }
  return text;
}

// All but the options.
static void course_fields(Training& training, Fields& f) {
  f("plan", training.plan, "inputs that determine the weights besides the options; digests are XXH3-128");
  f("base", training.base, "first stage of a two-stage algorithm");
  f("epochs", training.epochs, "epochs in order, including those before a resume");
  f("best_epoch", training.best_epoch, at_least(1), "epoch whose weights were kept");
  f("best_by_score", training.best_by_score, at_least(1),
    "epoch that --select pa chooses; null without a shift or second sample");
  f("best_by_accuracy", training.best_by_accuracy, at_least(1),
    "epoch that validation accuracy chooses (under the attack of adversarial training); null without "
    "validation");
  f("best_by_worst_group", training.best_by_worst_group, at_least(1),
    "epoch that --select worst-group chooses; null without groups or validation");
  f("best_by_test", training.best_by_test, at_least(1),
    "epoch with the best test accuracy (oracle); null without test images");
  f("stopped_early", training.stopped_early,
    "whether --patience ended training before the last epoch or step");
  f("n_train", training.n_train, at_least(1), "number of training images");
  f("n_validation", training.n_validation, "number of validation images");
  f("n_test", training.n_test, "number of test images; null: none");
}

void fields(TrainedModel& model, Fields& f) {
  f("out", model.out, "weights file");
  f("weights", model.weights, "number of weights");
  f.unless_missing("class_names", model.training.class_names,
                   "one name per class; [] if the images have no class names");
  f("resumed_after", model.resumed_after, "number of epochs from an earlier, interrupted run");
  f("reused", model.reused, "whether existing weights were reused");
  std::optional<Epoch> kept;
  if (const Training& training = model.training;
      training.best_epoch >= 1 && training.best_epoch <= training.epochs.size())
    kept = training.epochs[training.best_epoch - 1];
  f("kept", kept, "epoch whose weights were kept, as in epochs");
  course_fields(model.training, f);
}

namespace {

// As it stands beside its weights.
void text_fields(Training& training, std::string& schema, Fields& f) {
  f.choice("schema", schema, {{std::string(training_schema), ""}}, "schema of this text");
  f("options", training.options, "training options");
  course_fields(training, f);
}

std::string write_training(const Training& training) {
  Training copy = training;
  std::string schema(training_schema);
  return written([&](Fields& f) { text_fields(copy, schema, f); }).dump();
}

void check_best_epoch(const Training& training, const std::string& name) {
  if (training.best_epoch > training.epochs.size())
    refuse(name, fmt::format("a best epoch from 1 to {}", training.epochs.size()),
           std::to_string(training.best_epoch));
}

Training read_training(const std::string& text, const std::string& name) {
  const Json json = parse_record(text, name);
  require_schema(json, training_schema, name);
  Training training;
  std::string schema;
  read([&](Fields& f) { text_fields(training, schema, f); }, json, name);
  check_best_epoch(training, name);
  return training;
}

// What the bits of the weights depend on.
Json inputs_of(Training training) {
  return written([&](Fields& f) {
    fields(training.options, f);
    fields(training.plan, f);
  });
}

std::string differences(const Training& before, const Training& now) {
  const Json old = inputs_of(before), current = inputs_of(now);
  std::string text;
  for (const auto& item : current.items())
    if (const Json& was = old.at(item.key()); was != item.value())
      text += fmt::format("{}{} {}, now {}", text.empty() ? "" : "; ", item.key(), was.dump(),
                          item.value().dump());
  return text;
}

}  // namespace

TrainingText training_text() { return {write_training, read_training, differences}; }

void check(Train& record, const std::string& name) {
  for (TrainedModel& model : record.results) {
    model.training.options = record.options;
    check_best_epoch(model.training, name);
  }
}

std::string headline_of(const Train& record) {
  const Training& training = record.results.at(0).training;
  const Epoch& kept = training.epochs.at(training.best_epoch - 1);
  std::string text = fmt::format("{} {} of {} was kept", training.options.check_every > 0 ? "Check" : "Epoch",
                                 kept.number, training.epochs.size());
  if (!kept.validation_accuracy) return text + "; no images were held out for validation.";
  text += fmt::format(": {} of {} validation images are classified correctly",
                      share_words(*kept.validation_accuracy, kept.validation_accuracy_interval),
                      count(training.n_validation));
  if (kept.validation_robust_accuracy)
    text +=
        fmt::format(", {} under the training attack",
                    share_words(*kept.validation_robust_accuracy, kept.validation_robust_accuracy_interval));
  return text + ".";
}

std::vector<std::string> findings_of(const Train& record) {
  const Training& training = record.results.at(0).training;
  std::vector<std::string> list;
  const auto by_accuracy = training.best_by_accuracy.value_or(0);
  if (const auto by_score = training.best_by_score; by_score && *by_score == by_accuracy)
    list.push_back(fmt::format("Agreement and accuracy choose the same epoch, {}.", by_accuracy));
  else if (by_score)
    list.push_back(fmt::format("Agreement {} epoch {}; accuracy {} epoch {}.",
                               training.options.select == "pa" ? "chose" : "would have chosen", *by_score,
                               training.options.select == "accuracy" ? "chose" : "would have chosen",
                               by_accuracy));
  if (const auto by_group = training.best_by_worst_group; by_group && *by_group == by_accuracy)
    list.push_back(fmt::format("Accuracy and worst-group accuracy choose the same epoch, {}.", by_accuracy));
  else if (by_group)
    list.push_back(fmt::format("Accuracy chooses epoch {}; worst-group accuracy chooses epoch {}.",
                               by_accuracy, *by_group));
  const Epoch& last = training.epochs.back();
  if (const auto change = last.parts.find("weight_change");
      change != last.parts.end() && change->second < small_weight_change)
    list.push_back(
        fmt::format("After {} steps every group weight is within {} of equal weights: the algorithm acted "
                    "like training with balanced groups. A larger eta changes the weights more.",
                    count(last.steps), percent(small_weight_change, 0)));
  if (training.best_by_test) {
    const Epoch& kept = training.epochs.at(training.best_epoch - 1);
    const Epoch& best = training.epochs.at(*training.best_by_test - 1);
    list.push_back(fmt::format(
        "Of {} test images, {} are classified correctly; epoch {} is best on these images, with {}.",
        count(training.n_test.value_or(0)), share_words(*kept.test_accuracy, kept.test_accuracy_interval),
        best.number, share_words(*best.test_accuracy, best.test_accuracy_interval)));
  }
  return list;
}

}  // namespace leeway::tasks
