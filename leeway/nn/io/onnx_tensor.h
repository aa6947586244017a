// Tensors of ONNX files as arrays; see onnx_file.h.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway::nn::onnx {

// "float32" for TensorProto::FLOAT; "" for unknown types. float16 and bfloat16 keep their names.
[[nodiscard]] std::string_view type_name(std::int32_t type);

// Checks `tensor`, then copies it. `where` opens error messages; `folders`: see parse_onnx.
[[nodiscard]] Array array_of(const ::onnx::TensorProto& tensor, const std::string& where,
                             const std::vector<std::filesystem::path>& folders);

}  // namespace leeway::nn::onnx
