// Posterior agreement of one or more models under one or more shifts.
//
// Sets are opened in turn; two are in memory (or mapped) at a time. Rows are pairs as they stand
// (PaOptions::pairing "given"; the record then gives the evidence for pairs), by another pairing, or by given
// pairs. Labels are those given, else the clean set's, else the shifted one's. PaOptions::binary and ::as are
// only recorded here; the caller that opens sets applies them.
// Errors (Error): no model, models with different numbers of shifted sets, two models of one name; sets that
// differ (core/columns.h); those of opening sets and of leeway/agreement. Interrupted on request. An open gap
// of a maximum is no error: `converged` is false. Cost and determinism: agreement/agreement.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leeway/agreement/pairing.h"
#include "leeway/core/progress.h"
#include "leeway/record/pa.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

struct PaModel {
  std::string name;
  NamedOutputs clean;
  std::vector<NamedOutputs> shifted;  // under the same shifts, in the same order, in every model
};

struct PaTask {
  std::vector<PaModel> models;
  // Labels of the n clean samples of k classes, and pairs of rows; else of the outputs and PaOptions.
  GivenLabels labels = {};
  std::function<std::vector<agreement::RowPair>(std::size_t clean_rows, std::size_t shifted_rows)> pairs = {};
  std::function<void(std::span<const agreement::RowPair>)> save_pairs =
      {};  // is given the pairs of every set
  record::PaOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::Pa pa(const PaTask& task, Progress* progress = nullptr);

// A line for each set, and each ratio, whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const record::Pa& record);

}  // namespace leeway::tasks
