// The record of leeway select: which of several checkpoints posterior agreement and accuracy choose
// (agreement/selection.h). One result for each checkpoint, in order. docs/schema/select.md lists the keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "leeway/agreement/pair_evidence.h"
#include "leeway/agreement/selection.h"
#include "leeway/record/envelope.h"
#include "leeway/record/reading.h"

namespace leeway::record {

inline constexpr std::string_view select_schema = "leeway.select/2";

struct SelectOptions : OutputsReading {};

struct SelectCheckpoint {
  std::string checkpoint;  // its name
  agreement::Checkpoint measured;
  agreement::PairEvidence pairing;
  std::string doubt;  // why the rows of its two sets need not be pairs; empty where nothing speaks against it
};

// What one criterion chooses.
struct Chosen {
  std::size_t index = 0;   // into the results
  std::string checkpoint;  // its name
};

struct Selected {
  Chosen pa;
  std::optional<Chosen> accuracy, accuracy_shifted;  // where there are labels
  // PA of the first minus that of the second, where they are two checkpoints.
  std::optional<agreement::Estimate> pa_difference;
};

struct Select {
  Envelope envelope = envelope_of(select_schema);
  SelectOptions options;
  std::vector<SelectCheckpoint> results;
  Selected selected;
};

void fields(SelectOptions& options, Fields& f);
void fields(Select& record, Fields& f);

// Error: a choice that is none of the results.
void check(const Select& record, const std::string& name);

// What agreement and accuracy choose, and how often those are right under the shift.
[[nodiscard]] std::string headline_of(const Select& record);
// By how much the agreement of the two choices differs, in a sentence; empty where they are one, and without labels.
[[nodiscard]] std::string difference_words(const Select& record);
// Rows that need not be pairs; the difference.
[[nodiscard]] std::vector<std::string> findings_of(const Select& record);

}  // namespace leeway::record
