#include "leeway/nn/train/algorithm.h"

namespace leeway::nn {

// Mean cross-entropy of batches with equal groups (label with attributes, or label alone). In an epoch, rows
// of small groups repeat and some of large groups are left out.
AlgorithmMember resample() {
  return {{"resample",
           "plain training on batches that sample every group, or class, equally often",
           "Buda et al., Neural Networks 2018 (by class); RWG and RWY of Idrissi et al., CLeaR 2022",
           {{"by-class", 0, 0, 1, "1: sample classes equally often; 0: groups", true}}},
          [](const Parameters& parameters) {
            return Requirements{.groups = parameters.at("by-class") == 0, .balanced = true};
          },
          make_algorithm<Algorithm>};
}

}  // namespace leeway::nn
