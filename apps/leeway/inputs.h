// Inputs that several commands open, opened once.
#pragma once

#include <string>

#include "apps/leeway/command.h"
#include "leeway/core/shards.h"

namespace leeway::app {

// read_shards; its files are noted as inputs of the record, its warnings told. Errors (Error): as there.
[[nodiscard]] OutputsShards open_shards(Context& context, const std::string& text,
                                        const OutputsOptions& options);

}  // namespace leeway::app
