// What leeway pa computes: posterior agreement of one or more models under one or more shifts.
//
// Each set of outputs is opened when its turn comes, and let go after it: two sets are in memory (or mapped) at a time.
// Rows are taken as pairs as they stand (PaOptions::pairing "given"), or put together by another pairing or by pairs that
// are given; where they are taken as they stand, the record says what shows that they are pairs. Labels are those given,
// those of the clean set, or those of the shifted one. PaOptions::binary and ::as say how sets were read; they are
// recorded here and heeded by those who open sets.
//
// Errors (Error): no model, models with other numbers of shifted sets, two models of one name; sets that are not alike
// (core/columns.h); those of what opens sets, and of the functions of leeway/agreement. Interrupted, where `progress` asks to
// stop. A maximum whose gap was not closed is no error: `converged` is false. Cost and determinism: agreement/agreement.h.
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
  // Labels of the n clean samples of k classes, and pairs of rows; where they are not set, those of the outputs, and
  // those of PaOptions::pairing.
  std::function<std::vector<std::int64_t>(std::size_t n, std::size_t k)> labels = {};
  std::function<std::vector<agreement::RowPair>(std::size_t clean_rows, std::size_t shifted_rows)> pairs = {};
  std::function<void(std::span<const agreement::RowPair>)> save_pairs =
      {};  // is given the pairs of every set
  record::PaOptions options = {};
  std::uint64_t seed = 0;
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Pa pa(const PaTask& task, Progress* progress = nullptr);

// A line for each set, and each ratio, whose maximum is not proved to the accuracy that was asked for.
[[nodiscard]] std::vector<std::string> unproved_maxima(const record::Pa& record);

}  // namespace leeway::tasks
