// Training algorithms. algorithm.cpp lists the members; each is one file in algorithms/ with its objective,
// parameters and source. The loop (train.cpp) handles data, steps, validation and checkpoints. An algorithm
// owns its networks, optimizers and step.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/model/heads.h"
#include "leeway/nn/train.h"
#include "leeway/nn/train/optimizer.h"

namespace leeway::nn {

using Parameters = std::map<std::string, double>;  // of a member, by name

struct Batch {
  torch::Tensor x = {}, y = {};  // images (b,c,h,w) in [0,1] and labels (b); unlabelled: no labels
  // Mixed images: the second label (b) and the share of the first (b), float32, at least 1/2
  torch::Tensor other = {}, share = {};
  torch::Tensor group = {};                 // (b), the number of each row's group; where the data have groups
  std::vector<torch::Tensor> views = {};    // as Requirements asks for, each of x's shape
  std::span<const std::int64_t> rows = {};  // where in the data they stand

  [[nodiscard]] Batch slice(std::int64_t begin, std::int64_t end) const;
  // Copies of the rows with these numbers (int64); `rows` stays empty.
  [[nodiscard]] Batch select(const torch::Tensor& numbers) const;
};

// -log softmax(logits)_y per row, (b), and its mean; mixed: share * that of y + (1 - share) * that of other.
[[nodiscard]] torch::Tensor losses(const torch::Tensor& logits, const Batch& batch);
[[nodiscard]] torch::Tensor mean_loss(const torch::Tensor& logits, const Batch& batch);
// Labels as probabilities (b,k), float32: one-hot or two shares.
[[nodiscard]] torch::Tensor targets(const Batch& batch, std::int64_t classes);

// Input of one step.
struct Minibatches {
  Batch labelled;  // all rows of the step, one environment after the other where they are asked for
  std::vector<Batch> environments = {};  // its parts, one an environment in order, where they are asked for
  Batch unlabelled = {};                 // where asked for
  std::size_t epoch = 1;                 // from 1
  std::size_t step = 1,
              steps = 1;  // from 1, over all epochs, and how many there would be without an early stop
  double rate = 1;        // factor of the learning rate
};

struct Step {
  double loss = 0;        // that was minimised
  std::size_t right = 0;  // labelled rows whose class was predicted, as trained on
  std::optional<std::size_t> zero_gradients =
      {};                                    // of adversarial training: rows whose gradient is exactly 0
  std::map<std::string, double> parts = {};  // named numbers for the record
};

// The part of members with an inner maximization: the share of rows whose objective it raised.
inline constexpr const char* rose = "rose";
inline constexpr double least_rose = .5;  // a smaller share in every epoch is noted

class TrainingSet;  // training_set.h: the rows, and batches made of any of them

struct AlgorithmSetting {
  std::shared_ptr<Network> network;                        // with the weights that training starts from
  std::function<std::shared_ptr<Network>()> another = {};  // of the same architecture, without weights
  InputShape input = {};                                   // of images
  Normalization normalization = {};
  Parameters parameters = {};  // all of the member's, defaults filled in
  attack::Norm norm = attack::Norm::linf;
  OptimizerOptions optimizer = {};
  bool frozen_statistics = false;      // batch normalisation never passes in training mode
  bool frozen_backbone = false;        // all but the last layer: their weights ask for no gradients
  std::shared_ptr<Network> base = {};  // of an algorithm of two stages: what the first one trained
  bool pretrained = false;             // the weights were given
  std::string head = {};               // how the names of the last layer's weights begin: "7."
  std::int64_t features = 0;           // numbers of the last hidden layer; 0: the network has none
  std::int64_t classes = 0;
  std::uint64_t seed = 0;
  torch::Device device = torch::kCPU;  // of networks and batches
  Progress* progress = nullptr;        // of long work between steps, which it may stop (Interrupted)
};

// One loss per step, minimized over the network and additional modules; a member may override any part.
class Algorithm : public Stateful {
 public:
  explicit Algorithm(AlgorithmSetting setting);

  struct Objective {
    torch::Tensor loss;    // scalar, to be minimised
    torch::Tensor logits;  // of the labelled rows, in order, as trained on
    std::map<std::string, double> parts = {};
    std::optional<std::size_t> zero_gradients = {};
  };
  [[nodiscard]] virtual Objective objective(const Minibatches& batches) { return plain(batches.labelled); }

  // Called first in every training; the set outlives the algorithm.
  virtual void attach(TrainingSet& /*set*/) {}
  // Before the first epoch of a new training. Its results belong to the state: a resumed training skips it.
  virtual void prepare(TrainingSet& /*set*/) {}
  virtual void begin_epoch(std::size_t /*epoch*/) {}  // from 1; before the set draws its order
  // One step: passes, gradients, new weights.
  [[nodiscard]] virtual Step update(const Minibatches& batches);
  // Batch statistics and dropout of all networks.
  virtual void set_training(bool on);
  // All that the next epoch depends on: weights, moments, counters.
  void archive(Archive& state) override;

  // The network to save, and its prediction.
  [[nodiscard]] virtual Network& network() { return *setting_.network; }
  [[nodiscard]] virtual ForwardFunction predict() { return forward_; }
  // The attack for validation accuracy; none: clean accuracy.
  [[nodiscard]] virtual std::optional<attack::AttackOptions> selection_attack() const { return {}; }

 protected:
  // Plain training: the mean cross-entropy.
  [[nodiscard]] Objective plain(const Batch& batch) const;
  // For constructors: also trains `module`, with `rate` times the network's learning rate.
  void train_beside(const std::string& name, std::shared_ptr<torch::nn::Module> module, double rate);
  // Scales the learning rate of all but the last layer (or head).
  void scale_features(double rate);
  void forget_moments();  // the optimizer as before the first step

  [[nodiscard]] double parameter(const std::string& name) const { return setting_.parameters.at(name); }
  [[nodiscard]] const AlgorithmSetting& setting() const { return setting_; }
  [[nodiscard]] Forward forward(const torch::Tensor& images) const { return forward_(images); }
  [[nodiscard]] const ForwardFunction& forward_function() const { return forward_; }
  // All trained weights, the network's first.
  [[nodiscard]] std::vector<torch::Tensor> weights() const;
  // Gradients by weights(), undefined if the loss does not depend on them. Override for several losses.
  [[nodiscard]] virtual std::vector<torch::Tensor> gradients(const Objective& found);

 private:
  struct Beside {
    std::string name;
    std::shared_ptr<torch::nn::Module> module;
    double rate;
  };
  // Whether the weight `name` belongs to the last layer or head.
  [[nodiscard]] bool is_new(const std::string& name) const;

  AlgorithmSetting setting_;
  ForwardFunction forward_;
  std::vector<Beside> beside_;
  double feature_rate_ = 1;
  std::unique_ptr<Optimizer> optimizer_;
};

// Sets batch statistics and dropout of a network; frozen ones stay off.
void set_training(torch::nn::Module& network, const AlgorithmSetting& setting, bool on);

// Error if maps have a single cell: batch statistics of one row need more.
void check_single_row(const AlgorithmSetting& setting, const std::string& architecture);

// The weights with gradients, in the order of construction.
[[nodiscard]] std::vector<torch::Tensor> trained_weights(const torch::nn::Module& module);

// Copies the tensors of a module into another one of the same architecture.
void copy_tensors(const torch::nn::Module& from, torch::nn::Module& to);

// The first of two stages: a training with its own options on the same data.
struct BaseStage {
  std::string algorithm = "erm";
  Parameters parameters = {};
  std::size_t epochs = 50, patience = 10;
};
// Plain training with base-epochs and base-patience.
[[nodiscard]] std::optional<BaseStage> plain_stage(const Parameters& parameters);

struct AlgorithmMember : Member {
  Requirements (*requirements)(const Parameters& parameters);  // null: labelled images suffice
  std::unique_ptr<Algorithm> (*make)(const AlgorithmSetting& setting);
  std::string_view head = {};  // that replaces the last layer ("occamnet", heads.h); empty: none
  // The first stage; null or nothing: random or given weights.
  std::optional<BaseStage> (*base)(const Parameters& parameters) = nullptr;

  [[nodiscard]] Requirements needs(const Parameters& complete) const {
    return requirements ? requirements(complete) : Requirements{};
  }
  // The network to train: "HEAD:ARCHITECTURE" or the architecture.
  [[nodiscard]] std::string network_of(const std::string& architecture) const {
    const std::string prefix = std::string(head) + ":";
    return head.empty() || architecture.starts_with(prefix) ? architecture : prefix + architecture;
  }
  [[nodiscard]] std::optional<BaseStage> base_of(const Parameters& complete) const {
    return base ? base(complete) : std::nullopt;
  }
};

template <class Member>
std::unique_ptr<Algorithm> make_algorithm(const AlgorithmSetting& setting) {
  return std::make_unique<Member>(setting);
}

[[nodiscard]] std::span<const AlgorithmMember> algorithms();
[[nodiscard]] const AlgorithmMember& algorithm(
    std::string_view name);  // Error that lists the names there are

// The member's parameters replaced by `given`; Error for an unknown name or a value out of range.
[[nodiscard]] Parameters complete_parameters(const AlgorithmMember& member, const Parameters& given);

}  // namespace leeway::nn
