// Inputs that several commands open, opened once.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "apps/leeway/command.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/core/array.h"
#include "leeway/core/shards.h"

namespace leeway::app {

// read_shards; its files are noted as inputs of the record, its warnings told. Errors (Error): as there.
[[nodiscard]] OutputsShards open_shards(Context& context, const std::string& text,
                                        const OutputsOptions& options);

// The set that `shifted` names, which must be alike to `clean` (columns.h): a difference is an Error before any
// warning is told.
[[nodiscard]] OutputsShards open_beside(Context& context, const OutputsShards& clean,
                                        const std::string& shifted, const OutputsOptions& options);

// For commands that compare row i with row i: what shows that they are the same samples. Nothing where the sets
// differ in length. `labels`: of the clean rows, where the outputs hold none.
struct PairedRows {
  const Rows* logits = nullptr;
  const Outputs* rest = nullptr;
  std::span<const std::int64_t> labels;
};
[[nodiscard]] std::optional<agreement::PairEvidence> evidence_of(const PairedRows& clean,
                                                                 const PairedRows& shifted);

// "rows of noise.npz need not be those of clean.npz, ...", where something speaks against it: labels or ids that
// differ, or predictions of rows that are enough to tell. Else empty: the caller of such a command says that they
// are pairs.
[[nodiscard]] std::string pair_doubt(const std::optional<agreement::PairEvidence>& evidence,
                                     const std::string& clean, const std::string& shifted);

// The single array of a file, a bare .npy or the only one of an archive, as floats; noted as an input. Error where
// there are more.
[[nodiscard]] Array only_array(Context& context, const std::string& path);

}  // namespace leeway::app
