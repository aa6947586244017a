// For tasks that compare row i of two sets: evidence that both rows are the same sample.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/core/rows.h"
#include "leeway/io/outputs.h"

namespace leeway::tasks {

// `labels`: of the rows, where the outputs hold none.
struct PairedRows {
  const Rows* logits = nullptr;
  const Outputs* rest = nullptr;
  std::span<const std::int64_t> labels;
};

// Nothing where the sets differ in length.
[[nodiscard]] std::optional<agreement::PairEvidence> evidence_of(const PairedRows& clean,
                                                                 const PairedRows& shifted);

// "rows of noise.npz need not be those of clean.npz, ...", if labels, ids or enough predictions contradict
// pairs; else empty, since the caller says that they are pairs.
[[nodiscard]] std::string pair_doubt(const std::optional<agreement::PairEvidence>& evidence,
                                     const std::string& clean, const std::string& shifted);

template <class Results>
[[nodiscard]] std::vector<std::string> doubts_of(const Results& results) {
  std::vector<std::string> doubts;
  for (const auto& result : results)
    if (!result.doubt.empty()) doubts.push_back(result.doubt);
  return doubts;
}

// Adds a line about the maximum of the set `name`, where it was looked for and not proved.
void note_unproved(std::vector<std::string>& lines, const std::string& name,
                   const agreement::Agreement& agreement);

}  // namespace leeway::tasks
