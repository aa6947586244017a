#include <stdexcept>

#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/parts.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Adversarial data augmentation (Volpi et al., NeurIPS 2018, algorithm 1). Before epochs m + 1, 2 m + 1, ...,
// `rounds` times, as many images as the data has are drawn from the current set, moved by ascent (parts.h,
// in evaluation mode) and appended with their labels. ME-ADA (Zhao et al., NeurIPS 2020) adds entropy.
class Ada : public Algorithm {
 public:
  using Algorithm::Algorithm;

  void attach(TrainingSet& set) override {
    set_ = &set;
    set.clear_appended();
    first_rows_ = set.training().size();
  }

  void begin_epoch(std::size_t epoch) override {
    const auto every = static_cast<std::size_t>(parameter("every-epochs"));
    const std::size_t round = (epoch - 1) / every;
    if (epoch - 1 == round * every && round >= 1 && round <= static_cast<std::size_t>(parameter("rounds")))
      grow(round);
  }

  Objective objective(const Minibatches& batches) override {
    Objective found = plain(batches.labelled);
    if (images_.defined()) found.parts[rose] = rose_.item<double>();
    return found;
  }

  // Besides weights: the images made so far, their source rows, and the share of the last round's images whose
  // objective rose.
  void archive(Archive& state) override {
    Algorithm::archive(state);
    if (!state.has("appended", images_)) return;
    std::vector<std::int64_t> sizes = sizes_of(1, set_->shape());
    sizes.front() = -1;
    state.add("appended", images_, sizes, torch::kFloat32, 0, 1);
    // a parent may itself have been appended before
    const auto last = static_cast<double>(set_->labels().size()) + static_cast<double>(images_.size(0)) - 1;
    state.add("parents", parents_, {images_.size(0)}, torch::kInt64, 0, last);
    state.add("rose", rose_, {}, torch::kFloat64, 0, 1);
    if (state.fills()) append(images_, parents_);
  }

 private:
  void append(const torch::Tensor& images, const torch::Tensor& parents) {
    set_->append(images, {parents.data_ptr<std::int64_t>(), static_cast<std::size_t>(parents.numel())});
  }

  void grow(std::size_t round) {
    std::vector<std::int64_t> rows = set_->training();
    Random random(setting().seed, stream("rows of a round"), round);
    for (std::size_t i = 0; i < first_rows_; ++i) std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
    rows.resize(first_rows_);
    Ascent ascent{static_cast<std::size_t>(parameter("steps")), parameter("rate"), parameter("gamma"), 0};
    if (const auto entropy = setting().parameters.find("entropy"); entropy != setting().parameters.end())
      ascent.entropy = entropy->second;
    set_training(false);
    RowBuffer made(rows.size()), rise(rows.size());
    for_shards(rows.size(), shard_rows, "adversarial images", setting().progress,
               [&](std::size_t begin, std::size_t end) {
                 const Batch batch = set_->batch(std::span(rows).subspan(begin, end - begin));
                 const Ascended found = ascended(forward_function(), batch.x, batch.y, ascent);
                 made.put(begin, found.images), rise.put(begin, found.rose);
               });
    set_training(true);
    const torch::Tensor images = made.all(), parents = torch::tensor(rows);
    if (!images.isfinite().all().item<bool>())
      throw std::runtime_error("ada: the images became infinite: lower the parameter rate");
    append(images, parents);
    rose_ = rise.all().to(torch::kFloat64).mean();
    images_ = images_.defined() ? torch::cat({images_, images}) : images;
    parents_ = parents_.defined() ? torch::cat({parents_, parents}) : parents;
  }

  TrainingSet* set_ = nullptr;
  std::size_t first_rows_ = 0;
  torch::Tensor images_, parents_, rose_;  // of all rounds, rose_ of the last; undefined before the first
};

std::vector<Parameter> ada_parameters() {
  return {{"rounds", 2, 0, 1000, "number of rounds that enlarge the training set; 0: plain training", true},
          {"every-epochs", 10, 1, 1e6, "epochs before each round", true},
          {"steps", 15, 0, 10000, "number of ascent steps", true},
          {"rate", 20. / 128, 0, 1e6, "step size of the ascent"},
          {"gamma", 1, 0, 1e9, "weight of the mean squared feature distance from the original image"}};
}

Requirements ada_needs(const Parameters& /*parameters*/) { return {.features = true}; }

}  // namespace

AlgorithmMember ada() {
  return {{"ada", "adversarial data augmentation: harder images are added to the training set",
           "Volpi et al., NeurIPS 2018, algorithm 1", ada_parameters()},
          ada_needs,
          make_algorithm<Ada>};
}

AlgorithmMember me_ada() {
  AlgorithmMember member{{"me-ada", "adversarial data augmentation with maximum entropy",
                          "Zhao et al., NeurIPS 2020, section 3", ada_parameters()},
                         ada_needs,
                         make_algorithm<Ada>};
  member.parameters.push_back({"entropy", 1, 0, 1e6, "weight of the prediction's entropy in the ascent"});
  return member;
}

}  // namespace leeway::nn
