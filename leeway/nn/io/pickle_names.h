// Names in pickles: the functions that rebuild tensors, and modules that no file of tensors names.
#pragma once

#include <optional>
#include <string_view>

namespace leeway::nn::pickle {

enum class Function { ordered_dict, size, device, tensor, tensor_v2, parameter };

// "torch.Size" and the others that pickle.h lists.
[[nodiscard]] std::optional<Function> known_function(std::string_view name);

// Whether the member of a module acts on the machine: "os.system", but not "builtins.set", nor getattr, by which enumerations are
// saved: what it would give is inert, and no call of that is taken. Nothing is called either way; a file that names what acts
// is refused, for it was made to be called.
[[nodiscard]] bool acts(std::string_view module, std::string_view member);

}  // namespace leeway::nn::pickle
