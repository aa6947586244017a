// Labels from a file of their own, and how it numbers them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "leeway/core/label_coding.h"
#include "leeway/core/outputs.h"

namespace leeway {

struct ClassLabels {
  std::vector<std::int64_t> values;  // from 0
  LabelCoding coding = LabelCoding::none;
};

// As read_labels (outputs.h).
[[nodiscard]] ClassLabels read_class_labels(const std::string& text, std::size_t n, std::size_t k,
                                            const OutputsOptions& options = {});

}  // namespace leeway
