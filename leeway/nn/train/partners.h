// Finds partners by label and environment for algorithms that mix images. No LibTorch here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn {

class Partners {
 public:
  // `rows`: candidates; labels and environments: of all rows of the data.
  Partners(std::span<const std::int64_t> rows, const std::vector<std::int64_t>& labels,
           const std::vector<std::int32_t>& environments);

  [[nodiscard]] bool any(bool same_label) const;
  // A row of the same label and another environment (same_label), else of another label and the same
  // environment: first a uniform (label, environment) pair, then a uniform row. Nothing if there is none.
  [[nodiscard]] std::optional<std::int64_t> draw(std::int64_t label, std::int32_t environment,
                                                 bool same_label, Random& random) const;

 private:
  struct Pool {
    std::int64_t label = 0;
    std::int32_t environment = 0;
    std::vector<std::int64_t> rows = {};
  };
  std::vector<Pool> pools_;
};

}  // namespace leeway::nn
