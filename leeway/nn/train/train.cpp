#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "leeway/attack/member.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/removal.h"
#include "leeway/core/statistics.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/tensor_names.h"
#include "leeway/nn/io/weights.h"
#include "leeway/nn/model/heads.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/optimizer.h"
#include "leeway/nn/train/plan.h"
#include "leeway/nn/train/selection.h"
#include "leeway/nn/train/state.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Of a member with an inner maximization that did not raise its objective, or never ran.
std::optional<std::string> maximization_note(const Training& training) {
  const std::string& name = training.options.algorithm;
  double most = -1;
  for (const Epoch& epoch : training.epochs)
    if (const auto part = epoch.parts.find(rose); part != epoch.parts.end())
      most = std::max(most, part->second);
  if (most >= least_rose) return std::nullopt;
  if (most >= 0)
    return fmt::format(
        "{}: the inner maximization raised its objective for at most {:.1f}% of the images; try a smaller "
        "step",
        name, 100 * most);
  const auto rounds = training.options.parameters.find("rounds"),
             every = training.options.parameters.find("every-epochs");
  if (every == training.options.parameters.end() || rounds->second == 0) return std::nullopt;
  return fmt::format(
      "{}: training ended before the first round of adversarial images (after epoch {:g}): the result equals "
      "erm",
      name, every->second);
}

class TrainingLoop {
 public:
  TrainingLoop(const data::TrainingData& data, const TrainOptions& options, std::filesystem::path out,
               Progress* progress)
      : data_(data),
        options_(options),
        member_(algorithm(options.algorithm)),
        parameters_(complete_parameters(member_, options.parameters)),
        base_(member_.base_of(parameters_)),
        schedule_(options.schedule),
        set_(data, options, member_.needs(parameters_), options.algorithm),
        out_(std::move(out)),
        state_(out_.string() + ".state"),
        progress_(progress),
        threads_(training_threads()),
        torch_threads_(threads_),
        course_{planned(data, options), {}} {
    if (options.selection.given())
      selection_.emplace(options.selection, data, set_.validation(), options.seed,
                         device_from_name(options.device), options.crop);
    if (threads_ < threads())
      notes_.push_back(fmt::format("train: OpenMP provides {} of {} requested threads", threads_, threads()));
    notes_.insert(notes_.end(), set_.notes().begin(), set_.notes().end());
    info_.path = out_.string();
    info_.format = "safetensors";
    info_.architecture = member_.network_of(options.architecture);
    info_.input = set_.shape();
    info_.crop = options.crop;
    info_.classes = options.classes > 0
                        ? options.classes
                        : static_cast<std::size_t>(*std::ranges::max_element(*data.images.labels)) + 1;
    info_.class_names = course_.class_names = trained_class_names(data.images, info_.classes);
    info_.normalization = normalization_of(options);
    course_.n_train = set_.training().size();
    course_.n_validation = set_.validation().size();
    if (!data.test) return;
    test_ = options.crop > 0 ? middle_of(*data.test, options.crop) : *data.test;
    course_.n_test = test_->n();
  }

  [[nodiscard]] TrainResult run() {
    begin();
    const auto out_of_patience = [&] {
      if (course_.epochs.empty() || set_.validation().empty()) return false;
      const double best = score(course_.epochs[course_.best_epoch - 1]);
      const auto first = std::ranges::find_if(course_.epochs, [&](const Epoch& epoch) {
        return epoch.number == course_.best_epoch || score(epoch) == best;
      });
      return options_.patience > 0 && course_.epochs.size() - first->number >= options_.patience;
    };
    while (!finished() && !out_of_patience()) {
      course_.epochs.push_back(run_epoch(course_.epochs.size() + 1));
      const Epoch& epoch = course_.epochs.back();
      if (course_.best_epoch == 0 || score(epoch) > score(course_.epochs[course_.best_epoch - 1])) {
        course_.best_epoch = epoch.number;
        course_.best = nn::weights_of(algorithm_->network());
      }
      keep_weights();
      save_state(state_, options_.text, course_, algorithm_->state());
    }
    course_.stopped_early = !finished();
    compare_choices(course_);
    return finish();
  }

 private:
  // Networks, optimisers and weights before the first epoch.
  [[nodiscard]] AlgorithmSetting make_setting() {
    const Architecture& built = architecture(info_.architecture);
    AlgorithmSetting setting;
    setting.device = device_from_name(options_.device);
    setting.progress = progress_;
    setting.another = [&built, info = info_, device = setting.device] {
      auto network = make_network(built, info.input, info.classes);
      network->to(device);
      return network;
    };
    setting.input = info_.input;
    setting.network = make_network(built, info_.input, info_.classes);
    info_.parameters = count_weights(*setting.network);
    auto* const headed = setting.network->as<HeadedNetwork>();
    initialize(*setting.network, options_.seed);
    setting.pretrained = !options_.start.empty();
    if (setting.pretrained) start_from_weights(*setting.network, built);
    setting.network->to(setting.device);
    setting.base = base_network_;
    const Requirements needs = member_.needs(parameters_);
    const bool frozen = options_.freeze == "backbone";
    if (needs.features || (frozen && headed == nullptr)) {
      setting.features = hidden_units(*setting.network, info_.input);
      if (setting.features == 0)
        refuse(fmt::format("architecture {}", built.name),
               fmt::format("one with a last hidden layer, for {}",
                           needs.features ? fmt::format("algorithm {}", member_.name) : "a frozen backbone"),
               "none");
    }
    setting.head = last_layer(built);
    setting.classes = static_cast<std::int64_t>(info_.classes);
    setting.normalization = info_.normalization;
    setting.parameters = parameters_;
    setting.norm = norm_of(options_);
    setting.optimizer = {options_.optimizer, options_.learning_rate, options_.weight_decay, options_.momentum,
                         options_.decay == "coupled"};
    setting.frozen_statistics = options_.batchnorm == "frozen";
    setting.frozen_backbone = frozen;
    if (frozen && headed != nullptr)
      for (Network* const backbone : headed->backbones())
        for (torch::Tensor& weight : backbone->parameters()) weight.set_requires_grad(false);
    else if (frozen)
      for (auto& item : setting.network->named_parameters())
        item.value().set_requires_grad(item.key().starts_with(setting.head));
    setting.seed = options_.seed;
    if (std::min(set_.training().size(), options_.batch) == 1) check_single_row(setting, info_.architecture);
    return setting;
  }

  void begin_anew() {
    algorithm_ = member_.make(make_setting());
    algorithm_->attach(set_);
  }

  // The same before the first epoch to be run.
  void begin() {
    if (base_) {
      (void)make_setting();  // a network that does not do shows before the first stage
      train_base();
    }
    begin_anew();
    remove_partials(out_);
    remove_partials(state_);
    if (!options_.keep_epochs.empty()) std::filesystem::create_directories(options_.keep_epochs);
    Restored restored = restore_state(state_, options_.text, course_, *algorithm_);
    if (restored.course && !epochs_kept(options_, restored.course->epochs.size())) {
      restored.note =
          fmt::format("{}: some epochs are missing: starting over", display_name(options_.keep_epochs));
      restored.course.reset();
    }
    if (restored.course && restored.course->place > 0) {
      set_.begin_epoch(restored.course->pass);
      if (restored.course->place >= set_.steps()) {
        restored.note = fmt::format("{}: is at step {} of {}: starting over", display_name(state_),
                                    restored.course->place, set_.steps());
        restored.course.reset();
      }
    }
    if (!restored.note.empty()) notes_.push_back(restored.note);
    if (restored.course) {
      const std::optional<BaseTraining> base = course_.base;
      course_ = std::move(*restored.course);
      course_.base = base, course_.class_names = info_.class_names;
      done_ = course_.epochs.back().steps;
      resumed_after_ = course_.epochs.size();
      return;
    }
    if (!restored.note.empty()) begin_anew();  // a state that does not fit may have been taken in part
    algorithm_->prepare(set_);
  }

  // The first of two stages: a training with its own file and state, which are removed when the second stage is done.
  void train_base() {
    TrainOptions options = options_;
    options.algorithm = base_->algorithm;
    options.parameters = base_->parameters;
    options.epochs = base_->epochs;
    options.patience = base_->patience;
    options.steps = options.check_every = 0;
    options.select = "accuracy";
    options.balance = "auto";
    options.selection = {};
    options.keep_epochs.clear();
    std::optional<TrainResult> before;
    if (std::filesystem::exists(base_path())) {
      if (read_state(base_path()))
        before = reuse(data_, options, base_path());
      else
        notes_.push_back(damaged_state(base_path()));
    }
    if (!before) before = TrainingLoop(data_, options, base_path(), progress_).run();
    const TrainResult& result = *before;
    if (!result.reused && result.resumed_after < result.epochs.size())
      for (const std::string& note : result.notes) notes_.push_back("first stage: " + note);
    const Epoch& best = result.epochs.at(result.best_epoch - 1);
    course_.base = BaseTraining{base_->algorithm, result.epochs.size(), result.best_epoch,
                                best.validation_accuracy, best.validation_accuracy_interval};
    const Architecture& built = architecture(result.model->info().architecture);
    base_network_ = make_network(built, info_.input, info_.classes);
    copy_weights(read_safetensors(base_path()).tensors, *base_network_, display_name(base_path()));
    base_network_->to(device_from_name(options_.device));
    base_network_->eval();
  }

  // The weights of the file that --start names. Where its last layer has another number of classes, ours stays as it is.
  void start_from_weights(Network& network, const Architecture& built) {
    NamedTensors file = read_named_tensors(options_.start);
    ArrayMap weights = without_prefixes(std::move(file.tensors), built.output);
    const std::string from = display_name(options_.start);
    if (!file.note.empty()) append_new(notes_, file.note);
    if (network.as<HeadedNetwork>() != nullptr) {
      ArrayMap backbone;
      for (const auto& [name, array] : weights)
        if (name.starts_with("backbone.")) backbone[name.substr(9)] = array;
      const bool same = file.metadata["architecture"] == info_.architecture &&
                        file.metadata["classes"] == std::to_string(info_.classes);
      if (!backbone.empty() && !same) {
        append_new(notes_, fmt::format("{}: has architecture {} and {} classes: only its backbone is used; "
                                       "the head starts with random weights",
                                       from, file.metadata["architecture"], file.metadata["classes"]));
        weights = std::move(backbone);
      }
      return copy_backbone(weights, network, from);
    }
    const auto found = weights.find(std::string(built.output));
    ModelInfo start;
    start.path = options_.start.string();
    const std::vector<std::string> names = with_metadata(std::move(start), file.metadata).class_names;
    const bool others = !names.empty() && !info_.class_names.empty() && names != info_.class_names;
    if (found != weights.end() && !found->second.shape.empty() &&
        (found->second.shape[0] != info_.classes || others)) {
      append_new(
          notes_,
          fmt::format("{}: its last layer has {} {}classes: the layer of {} starts with random weights", from,
                      found->second.shape[0], others ? "other " : "", info_.classes));
      for (const auto& [name, array] : nn::weights_of(network))
        if (name.starts_with(last_layer(built))) weights[name] = array;
    }
    copy_weights(weights, network, from);
  }

  [[nodiscard]] std::filesystem::path base_path() const { return out_.string() + ".base"; }

  [[nodiscard]] Epoch run_epoch(std::size_t number) {
    const auto started = std::chrono::steady_clock::now();
    algorithm_->set_training(true);
    double loss = 0, right = 0, rows = 0;
    std::optional<std::size_t> zero_gradients;
    std::map<std::string, double> parts;
    const auto is_time = [&] {
      const std::size_t every = options_.check_every;
      return every > 0 ? done_ % every == 0 : course_.place == 0;
    };
    do {
      stop_if_asked(number);
      if (course_.place == 0) {
        try {
          algorithm_->begin_epoch(course_.pass);
        } catch (const Interrupted&) {
          stop_if_asked(number);  // which says where it goes on from
          throw;
        }
        set_.begin_epoch(course_.pass);
      }
      Minibatches batches = set_.minibatches(course_.place);
      batches.steps = options_.steps;
      if (options_.steps == 0)  // so many there are without an early stop
        batches.steps = done_ - course_.place + (options_.epochs + 1 - course_.pass) * set_.steps();
      batches.step = ++done_;
      batches.rate = schedule_.factor(batches.step, batches.steps, course_.pass);
      const Step step = algorithm_->update(batches);
      if (++course_.place == set_.steps()) course_.place = 0, ++course_.pass;
      if (!std::isfinite(step.loss)) {
        remove_made(state_.parent_path(), state_);  // the same command would end here again
        throw std::runtime_error(
            fmt::format("train: the loss became {} in epoch {}: lower the learning rate", step.loss, number));
      }
      const auto weight = static_cast<double>(batches.labelled.rows.size());
      if (step.zero_gradients) zero_gradients = zero_gradients.value_or(0) + *step.zero_gradients;
      for (const auto& [name, value] : step.parts) parts[name] += value * weight;
      rows += weight;
      loss += step.loss * weight;
      right += static_cast<double>(step.right);
      if (progress_)
        progress_->update("training", batches.step, batches.steps,
                          fmt::format("epoch {}, loss {:.3f}", batches.epoch, step.loss));
    } while (!is_time() && !finished());
    Epoch epoch;
    epoch.number = number;
    epoch.steps = done_;
    epoch.loss = loss / rows;
    epoch.accuracy = right / rows;
    epoch.accuracy_interval =
        clopper_pearson(static_cast<std::size_t>(right), static_cast<std::size_t>(rows));
    epoch.parts = std::move(parts);
    for (auto& [name, value] : epoch.parts) value /= rows;
    if (zero_gradients) epoch.zero_gradient = static_cast<double>(*zero_gradients) / rows;
    algorithm_->set_training(false);
    if (!set_.validation().empty()) validate(epoch);
    if (selection_) selection_->score(epoch, algorithm_->predict());
    if (test_) test(epoch, *test_, algorithm_->predict(), device_from_name(options_.device));
    epoch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    return epoch;
  }

  [[nodiscard]] bool finished() const {
    return options_.steps > 0 ? done_ >= options_.steps : course_.pass > options_.epochs;
  }

  // Without validation every epoch is better than those before it.
  [[nodiscard]] double score(const Epoch& epoch) const {
    if (options_.select == last_epoch) return static_cast<double>(epoch.number);
    if (options_.select == worst_group) return *epoch.validation_worst_group_accuracy;
    if (options_.select != "accuracy") return *epoch.selection_score;
    return accuracy_score(epoch).value_or(static_cast<double>(epoch.number));
  }

  void validate(Epoch& epoch) {
    const auto attack_options = algorithm_->selection_attack();
    const ForwardFunction forward = algorithm_->predict();
    const std::span<const std::int64_t> all = set_.validation();
    std::vector<std::uint8_t> right(all.size()), held(all.size());
    for_shards(all.size(), "validation", nullptr, [&](std::size_t begin, std::size_t end) {
      const auto rows = all.subspan(begin, end - begin);
      const Batch batch = set_.batch(rows);
      const std::vector<std::uint64_t> keys(rows.begin(), rows.end());
      const Classifier classifier = batch_classifier(forward, batch.x, info_.classes);
      const attack::Points clean = points_of(batch.x);
      const std::vector<std::int64_t> classes = values_of(batch.y);
      const attack::Problem problem{classifier, clean, classes, keys};
      const auto note_hits = [&](const attack::Points& x, std::vector<std::uint8_t>& hits) {
        const std::vector<std::uint8_t> missed = evaluate(problem, x).success;
        for (std::size_t i = 0; i < rows.size(); ++i) hits[begin + i] = missed[i] == 0;
      };
      note_hits(clean, right);
      if (attack_options)
        note_hits(attack::attack_named(attack_options->attack).run(problem, *attack_options).x, held);
    });
    put_share(right, epoch.validation_accuracy, epoch.validation_accuracy_interval);
    if (attack_options)
      put_share(held, epoch.validation_robust_accuracy, epoch.validation_robust_accuracy_interval);
    if (const auto groups = set_.validation_groups(); !groups.empty())
      put_share(worst_of(attack_options ? held : right, groups), epoch.validation_worst_group_accuracy,
                epoch.validation_worst_group_accuracy_interval);
  }

  // As a file of weights has it: without times, so that equal trainings give equal files.
  [[nodiscard]] std::string text() const {
    if (!options_.text.given()) return {};
    Training training = course_;
    for (Epoch& epoch : training.epochs) epoch.seconds = std::nan("");
    return options_.text.write(training);
  }

  void keep_weights() {
    if (options_.keep_epochs.empty()) return;
    ModelInfo info = info_;
    info.path = epoch_path(options_.keep_epochs, course_.epochs.size()).string();
    info.training = text();
    save_weights(info.path, info, algorithm_->network());
  }

  void stop_if_asked(std::size_t epoch) const {
    if (!progress_ || !progress_->stop_requested()) return;
    if (course_.epochs.empty() || !options_.text.given())
      throw Interrupted(fmt::format("train: stopped in {}; nothing was saved",
                                    epoch == 1 ? "the first epoch" : fmt::format("epoch {}", epoch)));
    throw Interrupted(
        fmt::format("train: stopped in epoch {}; {} holds epoch {}; the same command resumes from there",
                    epoch, display_name(state_), course_.epochs.size()));
  }

  [[nodiscard]] TrainResult finish() {
    std::shared_ptr<Network> network =
        make_network(architecture(info_.architecture), info_.input, info_.classes);
    copy_weights(course_.best, *network, display_name(out_));
    network->eval();
    TrainResult result{course_};
    result.resumed_after = resumed_after_;
    result.notes = notes_;
    for (const Epoch& epoch : result.epochs)
      if (epoch.number == result.best_epoch && epoch.zero_gradient.value_or(0) > attack::most_zero_gradients)
        result.notes.push_back(
            fmt::format("train: in epoch {1}, whose weights were kept, the gradient was exactly 0 for "
                        "{0:.1f}% of the rows, which could not be attacked",
                        100 * *epoch.zero_gradient, epoch.number));
    if (auto note = maximization_note(result)) result.notes.push_back(std::move(*note));
    info_.training = text();
    save_weights(out_, info_, *network);
    remove_made(state_.parent_path(), state_);
    if (base_)
      for (const char* const what : {"", ".state"})
        remove_made(out_.parent_path(), base_path().string() + what);
    result.model = make_model(info_, network, device_from_name(options_.device));
    return result;
  }

  const data::TrainingData& data_;
  const TrainOptions& options_;
  const AlgorithmMember& member_;
  std::map<std::string, double> parameters_;
  std::optional<BaseStage> base_;
  Schedule schedule_;
  TrainingSet set_;
  std::filesystem::path out_, state_;
  Progress* progress_;
  int threads_;
  TorchThreads torch_threads_;
  std::optional<ShiftedValidation> selection_;
  std::optional<Images> test_;
  ModelInfo info_;
  std::shared_ptr<Network> base_network_;
  std::unique_ptr<Algorithm> algorithm_;
  Course course_;
  std::size_t done_ = 0;  // steps
  std::size_t resumed_after_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace

TrainResult train_model(const data::TrainingData& data, const TrainOptions& options,
                        const std::filesystem::path& out, Progress* progress) {
  check_training(data, options);
  return translated("train", [&] {
    if (options.reuse)
      if (auto before = reuse(data, options, out)) return std::move(*before);
    return TrainingLoop(data, options, out, progress).run();
  });
}

}  // namespace leeway::nn
