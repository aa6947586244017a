// Inputs that several commands open, opened once.
#pragma once

#include <string>

#include "apps/leeway/command.h"
#include "leeway/core/array.h"
#include "leeway/core/shards.h"
#include "leeway/record/reading.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::app {

// read_shards; its files are noted as inputs of the record, its warnings told. Errors (Error): as there.
[[nodiscard]] OutputsShards open_shards(Context& context, const std::string& text,
                                        const OutputsOptions& options);

// The set that `text` names, to be opened by a task: its files are noted as inputs the first time. `check_finite`: as in
// OutputsOptions; false where the task reads every logit and names the row that is not finite.
[[nodiscard]] tasks::NamedOutputs named_outputs(Context& context, const std::string& text,
                                                const record::OutputsReading& reading,
                                                bool check_finite = false);

// The set that `shifted` names, which must be alike to `clean` (columns.h): a difference is an Error before any
// warning is told.
[[nodiscard]] OutputsShards open_beside(Context& context, const OutputsShards& clean,
                                        const std::string& shifted, const OutputsOptions& options);

// The single array of a file, a bare .npy or the only one of an archive, as floats; noted as an input. Error where
// there are more.
[[nodiscard]] Array only_array(Context& context, const std::string& path);

}  // namespace leeway::app
