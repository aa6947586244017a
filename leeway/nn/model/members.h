// The members of the family of architectures, one file each.
#pragma once

#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

[[nodiscard]] Architecture linear();
[[nodiscard]] Architecture small_cnn();

}  // namespace leeway::nn
