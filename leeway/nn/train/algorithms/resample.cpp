#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {
namespace {

// The mean cross-entropy of batches that sample every group equally often. A group is the label with the attributes, or the label
// alone. Rows of small groups occur several times in an epoch, some rows of large groups not at all.
class Resample : public LossAlgorithm {
 public:
  using LossAlgorithm::LossAlgorithm;
  Objective objective(const Minibatches& batches) override { return plain(batches.labelled); }
};

}  // namespace

AlgorithmMember resample() {
  return {{"resample",
           "plain training on batches that sample every group, or class, equally often",
           "Buda et al., Neural Networks 2018 (by class); RWG and RWY of Idrissi et al., CLeaR 2022",
           {{"by-class", 0, 0, 1, "1: sample classes equally often; 0: groups", true}}},
          [](const std::map<std::string, double>& parameters) {
            Requirements needs;
            needs.groups = parameters.at("by-class") == 0;
            needs.balanced = true;
            return needs;
          },
          make_algorithm<Resample>};
}

}  // namespace leeway::nn
