// Training algorithms: a family. algorithm.cpp holds the visible list; every member is one file with its
// objective, its parameters with their defaults, and its source. The loop around them (train.h) is the same
// for all.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "leeway/nn/model.h"
#include "leeway/nn/session.h"

namespace leeway::nn {

struct Batch {
  torch::Tensor x, y;                  // images in [0,1] and labels
  std::span<const std::int64_t> rows;  // where in the data they stand
  std::size_t epoch = 0;               // from 1
};

struct Objective {
  torch::Tensor loss;    // scalar, to be minimised
  torch::Tensor logits;  // of the images trained on, for the accuracy shown
  std::optional<std::size_t> zero_gradients =
      {};  // of adversarial training: rows whose gradient is exactly 0
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  [[nodiscard]] virtual Objective objective(const Batch& batch) = 0;
  // The attack under which validation accuracy selects the epoch; none: clean accuracy selects.
  [[nodiscard]] virtual std::optional<AttackOptions> selection_attack() const { return {}; }
};

struct AlgorithmSetting {
  ForwardFunction forward;
  std::map<std::string, double> parameters;  // all of the member's, defaults filled in
  Norm norm = Norm::linf;
  std::uint64_t seed = 0;
};

struct AlgorithmMember {
  std::string_view name, summary, source;
  std::vector<Parameter> parameters;
  std::unique_ptr<Algorithm> (*make)(const AlgorithmSetting& setting);
};

[[nodiscard]] std::span<const AlgorithmMember> algorithms();
[[nodiscard]] const AlgorithmMember& algorithm(
    std::string_view name);  // Error that lists the names there are

// The member's parameters with `given` ones replaced; Error for a name it does not have or a value outside
// its range.
[[nodiscard]] std::map<std::string, double> complete_parameters(const AlgorithmMember& member,
                                                                const std::map<std::string, double>& given);

[[nodiscard]] AlgorithmMember erm();
[[nodiscard]] AlgorithmMember gradient_norm();
[[nodiscard]] AlgorithmMember pgd_training();

}  // namespace leeway::nn
