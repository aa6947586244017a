#include "leeway/record/train.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::record {
namespace {

// Numbers by name.
void numbers(Fields& f, std::string_view name, std::map<std::string, double>& values,
             std::string_view meaning) {
  std::map<std::string, std::optional<double>> visited(values.begin(), values.end());
  f(name, visited, meaning);
  values.clear();
  for (const auto& [key, value] : visited)
    if (value) values[key] = *value;
}

}  // namespace

void flag_fields(TrainingOptions& options, Fields& f) {
  f("arch", options.architecture, "a name that leeway list architectures prints");
  f("algorithm", options.algorithm, "a name that leeway list algorithms prints");
  f("crop", options.crop,
    "the network takes windows of N x N pixels, before augmentations: of images to train on at a random "
    "place, of others, also of those to predict, the middle; 0: whole images");
  f.unless_empty(
      "augment", options.augment,
      "changes to the images as they are trained on, one after the other, with their parameters: "
      "NAME[:PARAMETER=NUMBER...],..., of leeway list augmentations; none: none, also for fixmatch, whose "
      "default is weak");
  f("augment_validation", options.augment_validation,
    "validation images are changed likewise, drawn anew for every validation (but for mixtures): as a "
    "program "
    "of ConDS does on dSprites");
  f("epochs", options.epochs, at_least(1), "at most so many passes over the data");
  f("steps", options.steps, "at most so many steps, whatever epochs says; 0: by epochs");
  f("check_every", options.check_every, "validate after so many steps; 0: after every epoch");
  f("first_check", options.first_check,
    "with check_every: validate for the first time after so many steps; 0: after check_every");
  f("batch", options.batch, at_least(1), "images a step");
  f.choice("last_batch", options.last_batch,
           {{"join", "one image joins the batch before it"},
            {"alone", "it is a step of its own, as in the program of ConDS"},
            {"drop", "any that is not full is left out, unless it is the only one"}},
           "what becomes of an epoch's last batch");
  f.choice("sampling", options.sampling,
           {{"shuffle", "every image once an epoch"},
            {"replacement", "as many, drawn with replacement"},
            {"fixed", "shuffled once, for all epochs"}},
           "in which order images come");
  f.choice("balance", options.balance,
           {{"own", "as the algorithm has it"},
            {"environment", "as many images of each environment"},
            {"groups", "of each group"},
            {"none", "as they come"}},
           "what a batch is made of");
  f.choice("base_sampling", options.base_sampling,
           {{"same", "as --sampling"},
            {"shuffle", "every image once an epoch"},
            {"replacement", "as many, drawn with replacement"},
            {"fixed", "shuffled once, for all epochs"}},
           "how an algorithm's first stage draws its rows");
  f.choice("start_channels", options.start_channels,
           {{"same", "an error"},
            {"sum", "their sum over colours, as if grey were three equal ones"},
            {"first", "those of the first colour alone, as in the program of ConDS"}},
           "what grey images take of --start weights for colours");
  f.choice("initial", options.initial,
           {{"uniform", "within 1 / sqrt(inputs)"},
            {"kaiming",
             "the backbone's convolutions normal, of variance 2 / (maps times the kernel's area) (He et al., "
             "2015)"},
            {"torchvision",
             "all of the backbone as torchvision has it: the same for residual networks, other variances for "
             "densenet121 and vision transformers"}},
           "how weights begin");
  f.choice("optimizer", options.optimizer, {{"adam", ""}, {"sgd", ""}},
           "Adam, or gradient descent with momentum");
  f("lr", options.learning_rate, at_least(0), "learning rate");
  f("base_lr", options.base_learning_rate, at_least(0), "that of an algorithm's first stage; 0: the same");
  f("weight_decay", options.weight_decay, at_least(0), "how much weights shrink; see decay");
  f.choice(
      "decay", options.decay, {{"decoupled", ""}, {"coupled", ""}},
      "of adam: decoupled from the gradient (AdamW), or coupled, added to it, as sgd has it in any case");
  f("decay_kernels", options.decay_kernels,
    "tensors of two or more dimensions alone shrink: no biases, no normalization");
  f("momentum", options.momentum, at_least(0), "of sgd");
  f("nesterov", options.nesterov, "with sgd: Nesterov's momentum");
  f("schedule", options.schedule,
    "of the learning rate: constant, cosine, inverse, linear:WARM-UP (a share of the steps), "
    "step:EPOCH:EPOCH... (a tenth after each), exponential:FACTOR (after every epoch), every:EPOCHS:FACTOR "
    "(after every so many), cosine:EPOCHS (down over so many), cosine-part:SHARE (as far as that share of "
    "it), inverse:SLOPE, warm-up:EPOCHS (up over so many), ahead (those that "
    "go by steps take the next step's factor); with commas the product of several");
  f.choice("batchnorm", options.batchnorm, {{"train", ""}, {"frozen", ""}},
           "whether batch normalisation goes by the batch or by running statistics, which then never change");
  f.choice("freeze", options.freeze, {{"none", ""}, {"backbone", ""}},
           "backbone: only the last layer learns, a linear probe");
  f("validation", options.validation, share,
    "share of the data held out to choose the epoch, where no rows are named for it (default 0.1)");
  f("stratify", options.stratify, "the share of --validation is held out of every class");
  f("patience", options.patience, "stop after so many validations without a better one; 0: never");
  f("enough", options.enough, share, "stop where validation accuracy is at least this");
  f.choice("select", options.select, {{"accuracy", ""}, {"worst-group", ""}, {"pa", ""}, {"last", ""}},
           "what chooses the epoch: accuracy, that of the worst group, or pa, posterior agreement; last: "
           "nothing, the last one is kept (of a first stage the best by accuracy)");
  f.unless_empty(
      "select_shift", options.select_shift,
      "of posterior agreement: NAME[:STRENGTH] of a shift of leeway shift, as gaussian-noise:0.2; with "
      "another --select it is told and does not choose");
  f("classes", options.classes, "number of classes; 0: 1 + the largest label");
  f.choice("norm", options.norm, {{"linf", ""}, {"l2", ""}}, "of adversarial training");
  f("mean", options.mean,
    "the network takes (scale x - mean) / std of pixels x in [0,1]: one number a channel");
  f("std", options.std, "see mean");
  f("scale", options.scale, "255 for networks that expect pixels 0..255");
}

void fields(TrainingOptions& options, Fields& f) {
  flag_fields(options, f);
  numbers(f, "parameters", options.parameters,
          "of the algorithm, by name, with its defaults: see leeway list algorithms");
}

std::string flags_of(const TrainingOptions& options) {
  const auto json_of = [](TrainingOptions copy) { return written([&](Fields& f) { flag_fields(copy, f); }); };
  const Json defaults = json_of({}), given = json_of(options);
  std::string text;
  for (const auto& item : given.items()) {
    if (item.value() == defaults.at(item.key())) continue;
    std::string name = item.key();
    std::ranges::replace(name, '_', '-');
    text += fmt::format("{}--{}", text.empty() ? "" : " ", name);
    if (item.value() == Json(true)) continue;  // a flag
    text += " " + (item.value().is_string() ? item.value().get<std::string>() : item.value().dump());
  }
  return text;
}

static void fields(TrainingPlan::Column& column, Fields& f) {
  f("name", column.name, "of the attribute");
  f("digest", column.digest, "of its levels and codes");
}

static void fields(TrainingPlan& plan, Fields& f) {
  f("seed", plan.seed, "of weights, orders and everything else random");
  f("threads", plan.threads, at_least(1), "of LibTorch");
  f("torch", plan.torch, "version of LibTorch");
  f("data", plan.data, "digest of images and labels");
  f.unless_empty("validation_rows", plan.validation_rows,
                 "digest of the rows' numbers, where they were named");
  f.unless_empty("unlabelled", plan.unlabelled, "digest of the unlabelled images");
  f.unless_empty("start", plan.start, "digest of the weights it started from; null: random ones");
  f.unless_empty("test", plan.test, "digest of the test images and labels; null: none were measured");
  f("groups", plan.groups, "attributes that, with the label, make an image's group");
  f("environment", plan.environment, "where or when an image was taken");
  f.unless_empty("keep_epochs", plan.keep_epochs, "folder of every epoch's weights; null: not kept");
}

static void fields(BaseTraining& base, Fields& f) {
  f("algorithm", base.algorithm, "that trained it");
  f("epochs", base.epochs, at_least(1), "that it took");
  f("best_epoch", base.best_epoch, at_least(1), "the epoch whose weights were kept");
  f.measured("validation_accuracy", base.validation_accuracy, base.validation_accuracy_interval, share,
             "on the validation images");
}

static void fields(Epoch& epoch, Fields& f) {
  f("epoch", epoch.number, at_least(1), "from 1; with check_every so many steps are one");
  f("steps", epoch.steps, at_least(1), "made until its end");
  f("loss", epoch.loss, "mean over the epoch's batches");
  f.measured("accuracy", epoch.accuracy, epoch.accuracy_interval, share,
             "on the batches of training, as they were trained on");
  f.measured("validation_accuracy", epoch.validation_accuracy, epoch.validation_accuracy_interval, share,
             "on the validation images");
  f.measured("validation_robust_accuracy", epoch.validation_robust_accuracy,
             epoch.validation_robust_accuracy_interval, share, "under the attack of adversarial training");
  f.measured("validation_worst_group_accuracy", epoch.validation_worst_group_accuracy,
             epoch.validation_worst_group_accuracy_interval, share,
             "of data with groups: the lowest accuracy of a group, under the attack of adversarial training");
  f.measured("validation_shifted_accuracy", epoch.validation_shifted_accuracy,
             epoch.validation_shifted_accuracy_interval, share,
             "with select pa: on the shifted validation images");
  f("selection_score", epoch.selection_score, "with select pa: posterior agreement");
  f.measured("test_accuracy", epoch.test_accuracy, epoch.test_accuracy_interval, share,
             "on the test images, which choose nothing; null where none are measured");
  f("zero_gradient", epoch.zero_gradient, share,
    "of adversarial training: images whose gradient is exactly 0 where the attack begins, which it cannot "
    "move");
  numbers(f, "parts", epoch.parts, "what the algorithm says of its steps, means over images");
  f.unless_nan("seconds", epoch.seconds, at_least(0), "that it took; null: not known any more");
}

// All but the options.
static void course_fields(Training& training, Fields& f) {
  f("plan", training.plan, "what else the bits of the weights depend on; digests are XXH3-128");
  f("base", training.base, "the model that an algorithm of two stages began with");
  f("epochs", training.epochs, "one after the other, those before a resume included");
  f("best_epoch", training.best_epoch, at_least(1), "the epoch whose weights were kept");
  f("best_by_score", training.best_by_score, at_least(1),
    "what select pa chooses; null without select_shift");
  f("best_by_accuracy", training.best_by_accuracy, at_least(1),
    "what validation accuracy chooses, under the attack of adversarial training; null without validation");
  f("best_by_worst_group", training.best_by_worst_group, at_least(1),
    "what select worst-group chooses; null without groups or validation");
  f("best_by_test", training.best_by_test, at_least(1),
    "the epoch with the best test accuracy (the oracle, which nobody has); null where none is measured");
  f("stopped_early", training.stopped_early,
    "ended before the epochs or steps asked for, by patience or enough");
  f("n_train", training.n_train, at_least(1), "images that were trained on");
  f("n_validation", training.n_validation, "images that were held out");
  f("n_test", training.n_test, "test images that were measured after every epoch; null: none");
}

static void fields(TrainedModel& model, Fields& f) {
  f("out", model.out, "the weights");
  f("weights", model.weights, "how many");
  f("resumed_after", model.resumed_after, "epochs taken over from an earlier run that stopped");
  f("reused", model.reused, "these weights were made already");
  std::optional<Epoch> kept;
  if (const Training& training = model.training;
      training.best_epoch >= 1 && training.best_epoch <= training.epochs.size())
    kept = training.epochs[training.best_epoch - 1];
  f("kept", kept, "the epoch whose weights were kept, as it stands among the epochs");
  course_fields(model.training, f);
}

void fields(Train& record, Fields& f) {
  fields(record.envelope, train_schema, f);
  f("options", record.options, "what was asked for");
  f("results", record.results, "one");
}

namespace {

// As it stands beside its weights.
void text_fields(Training& training, std::string& schema, Fields& f) {
  f.choice("schema", schema, {{std::string(training_schema), ""}}, "of this text");
  f("options", training.options, "what was asked for");
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

std::string share_words(double value, const std::optional<Interval>& interval) {
  if (!interval) return value_words({value, {}, {}}, true);
  return value_words({value, interval->low, interval->high}, true);
}

}  // namespace

TrainingText training_text() { return {write_training, read_training, differences}; }

Json to_json(const Train& record) {
  Train copy = record;
  return written([&](Fields& f) { fields(copy, f); });
}

Train read_train(const Json& json, const std::string& name) {
  require_schema(json, train_schema, name);
  Train record;
  read([&](Fields& f) { fields(record, f); }, json, name);
  if (record.results.empty()) refuse(name, "at least one result", "none");
  for (TrainedModel& model : record.results) {
    model.training.options = record.options;
    check_best_epoch(model.training, name);
  }
  return record;
}

std::string headline_of(const Train& record) {
  const Training& training = record.results.at(0).training;
  const Epoch& kept = training.epochs.at(training.best_epoch - 1);
  std::string text = fmt::format("{} {} of {} is kept", training.options.check_every > 0 ? "Check" : "Epoch",
                                 kept.number, training.epochs.size());
  if (!kept.validation_accuracy) return text + "; no images were held out.";
  text += fmt::format(": {} of {} validation images are predicted as their label",
                      share_words(*kept.validation_accuracy, kept.validation_accuracy_interval),
                      count(training.n_validation));
  if (kept.validation_robust_accuracy)
    text +=
        fmt::format(", {} under the attack of training",
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
    list.push_back(fmt::format("Accuracy and the worst group choose the same epoch, {}.", by_accuracy));
  else if (by_group)
    list.push_back(
        fmt::format("Accuracy chooses epoch {}, the worst group epoch {}.", by_accuracy, *by_group));
  if (training.best_by_test) {
    const Epoch& kept = training.epochs.at(training.best_epoch - 1);
    const Epoch& best = training.epochs.at(*training.best_by_test - 1);
    list.push_back(fmt::format(
        "Of {} test images {} are predicted as their label; epoch {}, the best of all for them, "
        "has {}.",
        count(training.n_test.value_or(0)), share_words(*kept.test_accuracy, kept.test_accuracy_interval),
        best.number, share_words(*best.test_accuracy, best.test_accuracy_interval)));
  }
  return list;
}

}  // namespace leeway::record
