// The record of leeway shift corrupt: a model's results on images under the common corruptions.
// shift/corruption_error.h defines the errors; docs/schema/corruptions.md lists the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/statistics.h"
#include "leeway/record/corruption.h"
#include "leeway/record/envelope.h"
#include "leeway/record/model_reading.h"

namespace leeway::record {

inline constexpr std::string_view corruptions_schema = "leeway.corruptions/3";

struct CorruptionsOptions {
  std::vector<std::string> corruptions;  // empty: all
  std::vector<std::size_t> severities = {1, 2, 3, 4, 5};
  CorruptionChoice how;
  std::optional<std::string> reference;  // "alexnet", or the record of a baseline
  double level = .95;                    // of intervals
};

// What the model makes of one set of images.
struct CorruptedAccuracy {
  std::size_t n = 0;
  Measured accuracy, error;  // of images with labels
};

struct CorruptedSet {
  std::string corruption, group;
  std::size_t severity = 1;
  std::string left_out;               // why there is nothing else; empty: there is
  std::optional<double> mean_change;  // of a pixel
  CorruptedAccuracy judged;
  Measured pa, afr_pred;  // against the images as they are
  std::optional<double> pa_normalized, beta, gap;
};

struct CorruptionErrorRow {
  std::string corruption, group;
  bool counted = true;  // one of the benchmark's 15
  Measured error, ce, relative_ce;
  std::optional<double> reference_error;
};

struct MeanCorruptionError {
  std::size_t corruptions = 0;  // that are counted
  std::string variant;          // of the corruptions: "corrected", "published", or "files"
  Measured mean_error;          // unnormalised
  std::string reference;        // whose errors the two below are divided by; empty: nobody's
  Measured mce, relative_mce;
  std::vector<std::string> not_comparable;  // what keeps these from being compared with published tables
};

struct Corruptions {
  Envelope envelope = envelope_of(corruptions_schema);
  CorruptionsOptions options;
  std::string model, data;  // files, as they were given
  std::string published;    // folder that the corrupted images were read from; empty: they were made
  std::optional<ModelReading> reading;  // of the model's file
  std::optional<ModelVariation> stochastic;
  std::vector<std::size_t> shape;    // n, channels, height, width
  std::optional<std::size_t> k;      // classes
  std::optional<CorruptionUse> use;  // none: published files
  std::optional<CorruptedAccuracy> clean;
  std::vector<CorruptedSet> results;       // by corruption, in the family's order, then by severity
  std::vector<CorruptionErrorRow> errors;  // empty without labels
  std::optional<MeanCorruptionError> mean;
};

void fields(CorruptionsOptions& options, Fields& f);
void fields(Corruptions& record, Fields& f);
void fields(CorruptedSet& set, Fields& f);
void fields(CorruptedAccuracy& judged, Fields& f);

// "corrected variant", "published files": printed with every mean.
[[nodiscard]] std::string variant_text(const MeanCorruptionError& mean);
// How far accuracy falls, and under what most.
[[nodiscard]] std::string headline_of(const Corruptions& record);
// The mean corruption errors and what they may be compared with, where PA is lowest, what was left out.
[[nodiscard]] std::vector<std::string> findings_of(const Corruptions& record);

// Of sets that have accuracies, the one with the least; null where there is none.
[[nodiscard]] const CorruptedSet* worst_of(const Corruptions& record);

}  // namespace leeway::record
