#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/shards.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/ascent.h"
#include "leeway/nn/train/training_set.h"

namespace leeway::nn {
namespace {

// Plain training on a set that grows: before the epochs m + 1, 2 m + 1, ..., or with early before m, 2 m, ..., `rounds` times, as many
// images as there were at first are drawn of the set as it is, and each is appended as the network finds it harder (ascent.h), with its
// label. The network is in evaluation mode then, its weights as they are. With bytes the images are of 8-bit levels. With after-a-step
// the epoch first takes a step on the set as it was, and begins anew when it has grown; likewise after every so many steps.
class Ada : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;

  void attach(TrainingSet& set) override {
    set_ = &set;
    set.clear_appended();
    first_rows_ = set.training().size();
    if (parameter("drop-last") != 0 && parameter("batch-rows") == 0)
      refuse(name(), "rows of a batch (batch-rows), as drop-last is 1", "none");
    if (parameter("every-steps") > 0 && (parameter("after-a-step") != 0 || parameter("early") != 0))
      refuse(name(), "after-a-step 0 and early 0, as rounds come every so many steps", "1");
  }

  void begin_epoch(std::size_t epoch) override {
    if (stepped_ > grown_) return grow(static_cast<std::size_t>(stepped_));
    if (parameter("every-steps") > 0) return;
    const auto every = static_cast<std::size_t>(parameter("every-epochs"));
    const std::size_t before = parameter("early") != 0 ? epoch : epoch - 1, round = before / every;
    if (before != round * every || round < 1 || round > static_cast<std::size_t>(parameter("rounds"))) return;
    parameter("after-a-step") == 0 ? grow(round) : await(round);
  }

  [[nodiscard]] bool repeats_pass() override {
    if (awaited_ == 0) return false;
    stepped_ = std::exchange(awaited_, 0);
    return true;
  }

  Objective objective(const Minibatches& batches) override {
    const auto every = static_cast<std::size_t>(parameter("every-steps"));
    if (every > 0 && batches.step % every == 0 &&
        batches.step / every <= static_cast<std::size_t>(parameter("rounds")))
      await(batches.step / every);
    return plain(batches.labelled);
  }

  // Besides weights, the images that were made, as bytes where they are some, and the rows that they are of.
  [[nodiscard]] Tensors state() const override {
    Tensors state = LossAlgorithm::state();
    if (within_passes()) state["stepped"] = torch::tensor({stepped_, grown_});
    if (!images_.defined()) return state;
    state["appended"] = bytes() ? (255 * images_).round().to(torch::kUInt8) : images_;
    state["parents"] = parents_;
    return state;
  }

  void restore(const Tensors& state, const std::string& name) override {
    LossAlgorithm::restore(state, name);
    if (within_passes()) {
      const torch::Tensor rounds =
          take_numbers(state, "stepped", {2}, torch::kInt64, 0, parameter("rounds"), name);
      stepped_ = rounds[0].item<std::int64_t>(), grown_ = rounds[1].item<std::int64_t>();
    }
    if (!state.contains("appended")) return;
    const torch::Tensor one = set_->batch(std::span(set_->training()).first(1)).x;
    const double low = cut() ? 0 : -largest, high = bytes() ? 255 : cut() ? 1 : largest;
    images_ = take_numbers(state, "appended", {-1, one.size(1), one.size(2), one.size(3)}, torch::kFloat32,
                           low, high, name);
    if (bytes()) images_ = images_ / 255;
    // a parent may itself have been appended before
    const auto last = static_cast<double>(set_->labels().size()) + static_cast<double>(images_.size(0)) - 1;
    parents_ = take_numbers(state, "parents", {images_.size(0)}, torch::kInt64, 0, last, name);
    append(images_, parents_);
  }

 private:
  static constexpr double largest = std::numeric_limits<float>::max();

  [[nodiscard]] bool bytes() const { return parameter("bytes") != 0; }
  [[nodiscard]] bool cut() const { return bytes() || parameter("clamp") != 2; }

  void append(const torch::Tensor& images, const torch::Tensor& parents) {
    set_->append(images, {parents.data_ptr<std::int64_t>(), static_cast<std::size_t>(parents.numel())});
  }

  [[nodiscard]] std::string name() const {
    return setting().parameters.contains("entropy") ? "algorithm me-ada" : "algorithm ada";
  }
  [[nodiscard]] bool within_passes() const {
    return parameter("after-a-step") != 0 || parameter("every-steps") != 0;
  }
  void await(std::size_t round) { awaited_ = static_cast<std::int64_t>(round); }

  void grow(std::size_t round) {
    grown_ = static_cast<std::int64_t>(round);
    std::vector<std::int64_t> rows = set_->training();
    if (parameter("grow") == 0) {
      Random random(setting().seed, stream("rows of a round"), round);
      for (std::size_t i = 0; i < first_rows_; ++i)
        std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
      rows.resize(first_rows_);
    } else if (parameter("batch-rows") > 0) {
      Random random(setting().seed, stream("rows of a round"), round);
      shuffle(rows, random);
    }
    Ascent ascent;
    ascent.steps = static_cast<std::size_t>(parameter("steps"));
    ascent.rate = parameter("rate");
    ascent.gamma = parameter("gamma");
    ascent.mean_distance = parameter("mean-distance") != 0;
    ascent.clamp = static_cast<Ascent::Clamp>(static_cast<int>(parameter("clamp")));
    if (const auto entropy = setting().parameters.find("entropy"); entropy != setting().parameters.end())
      ascent.entropy = entropy->second;
    const auto batch_rows = static_cast<std::size_t>(parameter("batch-rows"));
    if (parameter("drop-last") != 0) {
      if (rows.size() < 2 * batch_rows)
        refuse(name(), fmt::format("rows of two batches of {}, as drop-last is 1", batch_rows),
               std::to_string(rows.size()));
      rows.resize((rows.size() / batch_rows - 1) * batch_rows);
    }
    const std::size_t whole = batch_rows > 0 ? rows.size() / batch_rows * batch_rows : rows.size();
    Ascent longer = ascent;  // of the rows beyond whole batches
    if (whole < rows.size())
      longer.rate *= static_cast<double>(batch_rows) / static_cast<double>(rows.size() - whole);
    set_training(false);
    std::vector<torch::Tensor> made((rows.size() + shard_rows - 1) / shard_rows);
    for_shards(rows.size(), shard_rows, "adversarial images", setting().progress,
               [&](std::size_t begin, std::size_t end) {
                 std::vector<torch::Tensor> parts;
                 const auto make = [&](std::size_t from, std::size_t to, const Ascent& how) {
                   if (from >= to) return;
                   const Batch batch = set_->batch(std::span(rows).subspan(from, to - from));
                   parts.push_back(ascended(forward_function(), batch.x, batch.y, how).cpu());
                 };
                 make(begin, std::min(end, whole), ascent);
                 make(std::max(begin, whole), end, longer);
                 made[begin / shard_rows] = torch::cat(parts);
               });
    set_training(true);
    torch::Tensor images = torch::cat(made);
    if (!images.isfinite().all().item<bool>())
      throw std::runtime_error(name() + ": the images became infinite: lower rate");
    if (bytes()) images = (255 * images.clamp(0, 1)).round() / 255;
    const torch::Tensor parents = torch::tensor(rows);
    append(images, parents);
    images_ = images_.defined() ? torch::cat({images_, images}) : images;
    parents_ = parents_.defined() ? torch::cat({parents_, parents}) : parents;
  }

  TrainingSet* set_ = nullptr;
  std::size_t first_rows_ = 0;
  // The round that comes after this step, the latest that was to come so, the latest that came
  std::int64_t awaited_ = 0, stepped_ = 0, grown_ = 0;
  torch::Tensor images_, parents_;  // of all rounds; undefined before the first
};

std::vector<Parameter> ada_parameters() {
  return {
      {"rounds", 2, 0, 1000, "how often the set grows; 0: plain training", true},
      {"every-epochs", 10, 1, 1e6, "epochs before each", true},
      {"steps", 15, 0, 10000, "of the ascent", true},
      {"rate", 20. / 128, 0, 1e6, "step length of the ascent, for each image by itself"},
      {"batch-rows", 0, 0, 1e9,
       "images of a batch by which a program divides that length: the last batch of a round, with fewer, "
       "has steps longer by as much; 0: all have the same",
       true},
      {"gamma", 1, 0, 1e9, "weight of the distance from where the ascent began"},
      {"mean-distance", 0, 0, 1,
       "1: the mean square over features, as programs have it; 0: half the sum of squares", true},
      {"clamp", 0, 0, 2,
       "1: pixels are cut to [0,1] after every step; 0: after the last one; 2: never, as in the program "
       "of Volpi et al.",
       true},
      {"early", 0, 0, 1,
       "1: rounds come an epoch earlier, as in the program of ConDS, whose epochs count from 0", true},
      {"every-steps", 0, 0, 1e9,
       "steps before each in place of epochs; the epoch begins anew then; 0: by epochs. The programs of both "
       "papers have 100 on digits",
       true},
      {"drop-last", 0, 0, 1,
       "1: the last whole batch of a round and the rows beyond it are left out, as in the program of Volpi "
       "et al.",
       true},
      {"after-a-step", 0, 0, 1,
       "1: a round comes one step into its epoch, which then begins anew, as in the program of ConDS", true},
      {"bytes", 0, 0, 1, "1: images made have 8-bit levels, as in a program of Zhao et al.; states are small",
       true},
      {"grow", 0, 0, 1, "1: each round appends a version of every image; 0: as many as there were at first",
       true}};
}

Requirements ada_needs(const std::map<std::string, double>& /*parameters*/) {
  Requirements needs;
  needs.features = true;
  return needs;
}

}  // namespace

AlgorithmMember ada() {
  return {{"ada", "images that the network finds harder, near to those there are, join the set",
           "Volpi et al., NeurIPS 2018, algorithm 1", ada_parameters()},
          ada_needs,
          make_algorithm<Ada>};
}

AlgorithmMember me_ada() {
  AlgorithmMember member{{"me-ada", "as ada, with images about which the network is less sure",
                          "Zhao et al., NeurIPS 2020, section 3", ada_parameters()},
                         ada_needs,
                         make_algorithm<Ada>};
  member.parameters.push_back(
      {"entropy", 1, 0, 1e6, "weight of the entropy of the prediction in the ascent"});
  return member;
}

}  // namespace leeway::nn
