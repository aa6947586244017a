// Partners of rows by label and environment, for algorithms that mix images. No LibTorch here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/core/random.h"

namespace leeway::nn {

class Partners {
 public:
  // Of these rows; labels and environments of all rows of the data.
  Partners(std::span<const std::int64_t> rows, const std::vector<std::int64_t>& labels,
           const std::vector<std::int32_t>& environments);

  // Whether any row has a partner of that kind.
  [[nodiscard]] bool any(bool same_label) const;
  // With same_label, a row of the same label and another environment; else one of another label and the same environment. The pair of
  // label and environment is uniform among those there are, then the row. Nothing where there is none.
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
