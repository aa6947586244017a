// Tensors of ONNX files as arrays; see onnx_file.h.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "leeway/core/array.h"

namespace leeway::nn::onnx {

// "float32" for TensorProto::FLOAT; "" for a number that is no type. float16 and bfloat16 go by their own names.
[[nodiscard]] std::string_view type_name(std::int32_t type);

// Checks the claims of `tensor` against what it holds, then copies. `where` opens error messages.
[[nodiscard]] Array array_of(const ::onnx::TensorProto& tensor, const std::string& where,
                             const std::optional<std::filesystem::path>& folder);

}  // namespace leeway::nn::onnx
