// Tensors as PyTorch stores them: a block and a view of it (offset, sizes, strides). Checks precede
// allocations and reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/file.h"

namespace leeway::nn {

struct StorageType {
  std::string_view name;          // as in a checkpoint: "torch.FloatStorage"
  ElementType type;               // of the array it becomes
  std::size_t size;               // bytes of an element in the file
  float (*widen)(std::uint16_t);  // float16 and bfloat16 to float32; null: taken as it is
};

// Null for unsupported types (complex, quantized).
[[nodiscard]] const StorageType* find_storage_type(std::string_view name);

// Element (i_1, ..., i_r) is number offset + i_1 strides_1 + ... + i_r strides_r of the block.
struct StridedView {
  std::int64_t offset = 0;
  std::vector<std::int64_t> sizes, strides;
};

// Bytes left for copies of all tensors of a file.
struct CopyBudget {
  std::size_t left = 0;
};

// The view as an array in C order, without a copy if it is contiguous, aligned and not widened. Error, opened
// by `where`: negative sizes or strides, elements outside the block, a copy beyond the budget.
[[nodiscard]] Array make_strided(const StridedView& view, const StorageType& type, const MappedFile& block,
                                 CopyBudget& budget, std::string_view where);

}  // namespace leeway::nn
