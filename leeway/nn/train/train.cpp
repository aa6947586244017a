#include "leeway/nn/train/train.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "leeway/core/error.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/core/safetensors.h"
#include "leeway/nn/attack/attack.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/shards.h"
#include "leeway/nn/tensors.h"
#include "leeway/nn/train/adam.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/record.h"
#include "leeway/nn/train/selection.h"
#include "leeway/nn/train/state.h"
#include "leeway/nn/train/team.h"

namespace leeway::nn {
namespace {

constexpr std::size_t most_classes = 100'000;  // of labels alone, unless there are more images

struct Split {
  std::vector<std::int64_t> train, validation;  // rows, ascending
};

Split split_rows(std::size_t n, const TrainOptions& options) {
  std::vector<std::uint8_t> is_held(n);
  for (const std::size_t row : options.validation_rows) is_held[row] = 1;
  if (options.validation_rows.empty()) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, options.seed, stream("validation"));
    const auto held = static_cast<std::size_t>(std::llround(options.validation * static_cast<double>(n)));
    for (std::size_t i = 0; i < held; ++i) is_held[order[i]] = 1;
  }
  Split split;
  for (std::size_t row = 0; row < n; ++row)
    (is_held[row] ? split.validation : split.train).push_back(static_cast<std::int64_t>(row));
  return split;
}

torch::Tensor index_tensor(std::span<const std::int64_t> rows) {
  return torch::tensor(at::ArrayRef<std::int64_t>(rows.data(), rows.size()), torch::kInt64);
}

void check_options(const Images& images, const TrainOptions& options) {
  const std::string name = images.path.empty() ? "images" : display_name(images.path);
  const auto range = [](const char* what, bool legal, const char* expected, double found) {
    if (!legal) refuse(fmt::format("train: {}", what), expected, fmt::format("{}", found));
  };
  range("epochs", options.epochs >= 1, "at least 1", 0);
  range("batch", options.batch >= 1, "at least 1", 0);
  range("learning rate", options.learning_rate > 0 && std::isfinite(options.learning_rate),
        "a positive number", options.learning_rate);
  range("weight decay", options.weight_decay >= 0 && std::isfinite(options.weight_decay), "at least 0",
        options.weight_decay);
  range("validation", options.validation >= 0 && options.validation < 1, "a share from 0 to less than 1",
        options.validation);
  for (const std::size_t row : options.validation_rows)
    if (row >= images.n())
      refuse("train: validation rows", fmt::format("rows below {}", images.n()), std::to_string(row));
  (void)device_from_name(options.device);
  check_normalization(options.normalization, "train: normalization", images.channels());
  check_selection(options);
  if (!images.labels) refuse(name, "labels to train on", "none");
  if (images.labels->size() != images.n())
    refuse(name, fmt::format("{} labels", images.n()), std::to_string(images.labels->size()));
  // what is no number of a class is no reason to ask for terabytes
  const std::size_t classes = options.classes > 0 ? options.classes : std::max(most_classes, images.n());
  for (std::size_t i = 0; i < images.n(); ++i) {
    const std::int64_t label = images.labels->at(i);
    if (label >= 0 && static_cast<std::uint64_t>(label) < classes) continue;
    const std::string expected =
        label < 0             ? "labels from 0"
        : options.classes > 0 ? fmt::format("labels below {}", classes)
                              : fmt::format("labels below {}, or the number of classes (--classes)", classes);
    refuse(name, expected, fmt::format("{} at row {}", label, i));
  }
}

class Training {
 public:
  Training(const Images& images, const TrainOptions& options, std::filesystem::path out, Progress* progress);
  [[nodiscard]] TrainResult run();

 private:
  void begin_anew();
  void begin();
  [[nodiscard]] Epoch run_epoch(std::size_t number);
  [[nodiscard]] double score(const Epoch& epoch) const;
  void validate(Epoch& epoch);
  void keep_weights() const;
  void stop_if_asked(std::size_t epoch) const;
  [[nodiscard]] TrainResult finish(bool stopped_early);

  const TrainOptions& options_;
  std::filesystem::path out_, state_;
  Progress* progress_;
  int threads_;
  TorchThreads torch_threads_;
  Json plan_;
  Split split_;
  torch::Tensor x_, y_, validation_x_, validation_y_;
  std::optional<ShiftedValidation> selection_;
  ModelInfo info_;
  std::shared_ptr<Network> network_;
  std::unique_ptr<Algorithm> algorithm_;
  std::unique_ptr<Adam> adam_;
  ForwardFunction forward_;
  Course course_;
  std::size_t resumed_after_ = 0;
  std::vector<std::string> notes_;
};

Training::Training(const Images& images, const TrainOptions& options, std::filesystem::path out,
                   Progress* progress)
    : options_(options),
      out_(std::move(out)),
      state_(out_.string() + ".state"),
      progress_(progress),
      threads_(openmp_team(threads())),
      torch_threads_(threads_),
      plan_(training_plan(images, options, threads_, TORCH_VERSION)),
      split_(split_rows(images.n(), options)) {
  if (split_.train.empty() || (options.validation > 0 && split_.validation.empty()))
    refuse(display_name(images.path), "enough rows to train on and to validate",
           fmt::format("{} to train on and {} to validate", split_.train.size(), split_.validation.size()));
  const torch::Tensor all = all_pixels(images);
  const torch::Tensor labels = to_tensor(*images.labels, 0, images.n());
  x_ = all;
  y_ = labels;
  validation_x_ = all.index_select(0, index_tensor(split_.validation));
  validation_y_ = labels.index_select(0, index_tensor(split_.validation));
  if (options.selection.given())
    selection_.emplace(options.selection, images, split_.validation, options.seed);
  if (threads_ < threads())
    notes_.push_back(fmt::format("train: OpenMP gives {} of the {} threads asked for", threads_, threads()));
  info_.path = out_.string();
  info_.format = "safetensors";
  info_.architecture = options.architecture;
  info_.input = shape_of(images);
  info_.classes =
      options.classes > 0
          ? options.classes
          : static_cast<std::size_t>(*std::max_element(images.labels->begin(), images.labels->end())) + 1;
  info_.normalization = options.normalization;
  network_ = make_network(architecture(options.architecture), info_.input, info_.classes);
  info_.parameters = count_weights(*network_);
  forward_ = forward_of(network_, info_.normalization);
}

// Weights and optimiser before the first epoch.
void Training::begin_anew() {
  if (options_.start.empty())
    initialize(*network_, options_.seed);
  else
    copy_weights(read_safetensors(options_.start).tensors, *network_, display_name(options_.start));
  const AlgorithmMember& member = algorithm(options_.algorithm);
  algorithm_ =
      member.make({forward_, complete_parameters(member, options_.parameters), options_.norm, options_.seed});
  adam_ = std::make_unique<Adam>(network_->parameters(), options_.learning_rate, options_.weight_decay);
}

// The same before the first epoch to be run.
void Training::begin() {
  begin_anew();
  remove_partials(out_);
  remove_partials(state_);
  Restored restored = restore_state(state_, plan_, *network_, *adam_);
  if (!restored.note.empty()) notes_.push_back(restored.note);
  if (!options_.keep_epochs.empty()) std::filesystem::create_directories(options_.keep_epochs);
  if (!restored.course) return;
  if (!epochs_kept(options_, restored.course->epochs.size())) {
    notes_.back() =
        fmt::format("{}: does not hold every epoch: starting anew", display_name(options_.keep_epochs));
    return begin_anew();
  }
  course_ = std::move(*restored.course);
  resumed_after_ = course_.epochs.size();
}

void Training::stop_if_asked(std::size_t epoch) const {
  if (!progress_ || !progress_->stop_requested()) return;
  if (course_.epochs.empty()) throw Interrupted("train: stopped in the first epoch; nothing was saved");
  throw Interrupted(
      fmt::format("train: stopped in epoch {}; {} holds epoch {}, the same command goes on from there", epoch,
                  display_name(state_), course_.epochs.size()));
}

Epoch Training::run_epoch(std::size_t number) {
  const auto started = std::chrono::steady_clock::now();
  network_->train();
  std::vector<std::int64_t> order = split_.train;
  Random random(options_.seed, stream("epoch order"), number);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const std::vector<torch::Tensor> weights = network_->parameters();
  // A last row alone joins the batch before it: batch statistics of one number are none.
  const bool alone = order.size() > 1 && options_.batch > 1 && order.size() % options_.batch == 1;
  const std::size_t batches = (order.size() + options_.batch - 1) / options_.batch - (alone ? 1 : 0);
  double loss = 0, right = 0;
  std::optional<std::size_t> zero_gradients;
  for (std::size_t b = 0; b < batches; ++b) {
    stop_if_asked(number);
    const std::span<const std::int64_t> rows = std::span(order).subspan(
        b * options_.batch, b + 1 == batches ? order.size() - b * options_.batch : options_.batch);
    const torch::Tensor index = index_tensor(rows);
    const Objective objective =
        algorithm_->objective({x_.index_select(0, index), y_.index_select(0, index), rows, number});
    adam_->step(torch::autograd::grad({objective.loss}, weights));
    const double batch_loss = objective.loss.item<double>();
    if (!std::isfinite(batch_loss))
      throw std::runtime_error(
          fmt::format("train: the loss became {} in epoch {}: lower the learning rate", batch_loss, number));
    if (objective.zero_gradients) zero_gradients = zero_gradients.value_or(0) + *objective.zero_gradients;
    loss += batch_loss * static_cast<double>(rows.size());
    right += (objective.logits.detach().argmax(1) == y_.index_select(0, index)).sum().item<double>();
    if (progress_)
      progress_->update("training", (number - 1) * batches + b + 1, options_.epochs * batches,
                        fmt::format("epoch {}/{}, loss {:.3f}", number, options_.epochs, batch_loss));
  }
  Epoch epoch;
  epoch.number = number;
  epoch.loss = loss / static_cast<double>(order.size());
  epoch.accuracy = right / static_cast<double>(order.size());
  if (zero_gradients)
    epoch.zero_gradient = static_cast<double>(*zero_gradients) / static_cast<double>(order.size());
  network_->eval();
  if (!split_.validation.empty()) validate(epoch);
  if (selection_) selection_->score(epoch, forward_);
  epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return epoch;
}

void Training::validate(Epoch& epoch) {
  const auto attack_options = algorithm_->selection_attack();
  std::atomic<std::size_t> right{0}, held{0};
  const std::size_t n = split_.validation.size();
  for_shards(n, "validation", nullptr, [&](std::size_t begin, std::size_t end) {
    const auto rows = [&](const torch::Tensor& tensor) {
      return tensor.slice(0, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end));
    };
    const std::vector<std::uint64_t> keys(split_.validation.begin() + static_cast<std::ptrdiff_t>(begin),
                                          split_.validation.begin() + static_cast<std::ptrdiff_t>(end));
    const Problem problem{forward_, rows(validation_x_), rows(validation_y_), keys};
    const auto hits = [&](const torch::Tensor& x) {
      return end - begin - static_cast<std::size_t>(margin(problem, x).success.sum().item<std::int64_t>());
    };
    right += hits(problem.clean);
    if (attack_options) held += hits(attack(attack_options->attack).run(problem, *attack_options).images);
  });
  epoch.validation_accuracy = static_cast<double>(right) / static_cast<double>(n);
  if (attack_options) epoch.validation_robust_accuracy = static_cast<double>(held) / static_cast<double>(n);
}

// Without validation every epoch is better than those before it.
double Training::score(const Epoch& epoch) const {
  if (epoch.selection_score) return *epoch.selection_score;
  return accuracy_score(epoch).value_or(static_cast<double>(epoch.number));
}

void Training::keep_weights() const {
  if (options_.keep_epochs.empty()) return;
  ModelInfo info = info_;
  info.path = epoch_path(options_.keep_epochs, course_.epochs.size()).string();
  info.training = Json{{"plan", plan_}, {"epochs", epochs_to_json(course_.epochs, false)}}.dump();
  save_weights(info.path, info, *network_);
}

TrainResult Training::run() {
  begin();
  const auto out_of_patience = [&] {
    return options_.patience > 0 && !split_.validation.empty() && !course_.epochs.empty() &&
           course_.epochs.size() - course_.best_epoch >= options_.patience;
  };
  while (course_.epochs.size() < options_.epochs && !out_of_patience()) {
    course_.epochs.push_back(run_epoch(course_.epochs.size() + 1));
    const Epoch& epoch = course_.epochs.back();
    if (course_.best_epoch == 0 || score(epoch) > score(course_.epochs[course_.best_epoch - 1])) {
      course_.best_epoch = epoch.number;
      course_.best = nn::weights_of(*network_);
    }
    keep_weights();
    save_state(state_, plan_, course_, *network_, *adam_);
  }
  return finish(course_.epochs.size() < options_.epochs);
}

TrainResult Training::finish(bool stopped_early) {
  copy_weights(course_.best, *network_, display_name(out_));
  TrainResult result;
  result.epochs = course_.epochs;
  result.best_epoch = course_.best_epoch;
  result.stopped_early = stopped_early;
  result.resumed_after = resumed_after_;
  result.n_train = split_.train.size();
  result.n_validation = split_.validation.size();
  result.threads = threads_;
  result.notes = notes_;
  for (const Epoch& epoch : result.epochs)
    if (epoch.number == result.best_epoch && epoch.zero_gradient.value_or(0) > most_zero_gradients)
      result.notes.push_back(fmt::format(
          "train: the gradient of {:.1f}% of the rows was exactly 0 in epoch {}, whose weights were "
          "kept: its attacks could not move them",
          100 * *epoch.zero_gradient, epoch.number));
  compare_choices(result);
  const auto best_by = [](std::size_t epoch) { return epoch > 0 ? Json(epoch) : Json(); };
  const Json record{{"plan", plan_},
                    {"epochs", epochs_to_json(result.epochs, false)},
                    {"best_epoch", result.best_epoch},
                    {"best_by_score", best_by(result.best_by_score)},
                    {"best_by_accuracy", best_by(result.best_by_accuracy)},
                    {"stopped_early", stopped_early},
                    {"n_train", result.n_train},
                    {"n_validation", result.n_validation}};
  info_.training = result.record = record.dump();
  save_weights(out_, info_, *network_);
  std::filesystem::remove(state_);
  result.model = make_model(info_, network_);
  return result;
}

// The result of an earlier training with the same plan, where `out` is one.
std::optional<TrainResult> reuse(const Images& images, const TrainOptions& options,
                                 const std::filesystem::path& out) {
  if (!std::filesystem::exists(out)) return {};
  try {
    TrainResult result;
    ModelSource source;
    source.path = out;
    result.model = load_model(source);
    const Json record = Json::parse(result.model->info().training);
    const int team = openmp_team(threads());
    if (record.at("plan") != training_plan(images, options, team, TORCH_VERSION)) return {};
    result.epochs = epochs_from_json(record.at("epochs"));
    if (!epochs_kept(options, result.epochs.size())) return {};
    compare_choices(result);
    result.best_epoch = record.at("best_epoch");
    result.stopped_early = record.at("stopped_early");
    result.n_train = record.at("n_train");
    result.n_validation = record.at("n_validation");
    result.threads = team;
    result.record = record.dump();
    result.reused = true;
    result.notes = {
        fmt::format("{}: was trained with these options and data before: kept", display_name(out))};
    return result;
  } catch (const Error&) {
    return {};
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace

TrainResult train_model(const Images& images, const TrainOptions& options, const std::filesystem::path& out,
                        Progress* progress) {
  check_options(images, options);
  return translated("train", [&] {
    if (options.reuse)
      if (auto before = reuse(images, options, out)) return std::move(*before);
    return Training(images, options, out, progress).run();
  });
}

}  // namespace leeway::nn
