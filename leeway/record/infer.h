// The record of leeway infer: what a model says about images, written as an outputs file. docs/schema/infer.md lists the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/record/envelope.h"
#include "leeway/record/model_reading.h"

namespace leeway::record {

inline constexpr std::string_view infer_schema = "leeway.infer/2";

// The rows of an index,split file that one of its words names.
struct InferredSplit {
  std::string split;  // train, val or test
  std::size_t n = 0;
  Measured accuracy;  // of images with labels
};

struct InferredSet {
  std::string model, data, out;  // files, as they were given; empty: none
  std::size_t n = 0, k = 0;
  std::size_t parameters = 0;           // numbers that the model holds
  std::optional<std::size_t> features;  // their dimension
  Measured accuracy;                    // of images with labels
  std::optional<ModelVariation> stochastic;
  std::string index, split;           // the rows alone that were asked for; empty: all
  std::vector<InferredSplit> splits;  // of --index without --split
};

struct Infer {
  Envelope envelope = envelope_of(infer_schema);
  ModelReading options;
  std::vector<InferredSet> results;  // by model, by data
};

void fields(Infer& record, Fields& f);

// What was computed, and the accuracy where there are labels; of several sets where it is least. The accuracies of several sets.
[[nodiscard]] std::string headline_of(const Infer& record);
[[nodiscard]] std::vector<std::string> findings_of(const Infer& record);

}  // namespace leeway::record
