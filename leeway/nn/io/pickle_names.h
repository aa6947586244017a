// Names in pickles: functions that rebuild tensors, and modules that no tensor file needs.
#pragma once

#include <optional>
#include <string_view>

namespace leeway::nn::pickle {

enum class Function { ordered_dict, size, device, tensor, tensor_v2, parameter };

// "torch.Size" and the others that pickle.h lists.
[[nodiscard]] std::optional<Function> known_function(std::string_view name);

// Whether a module's member acts on the machine: "os.system", but not "builtins.set" or getattr (used for
// enumerations; calls of its result are refused). Nothing is called, but files with such names are refused.
[[nodiscard]] bool acts(std::string_view module, std::string_view member);

}  // namespace leeway::nn::pickle
