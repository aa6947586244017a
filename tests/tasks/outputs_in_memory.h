// Sets of outputs for tests of tasks.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/version.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::tasks {

inline NamedOutputs outputs(const std::string& name, std::size_t k, std::vector<double> logits,
                            std::vector<std::int64_t> labels = {}, std::vector<double> norms = {}) {
  return {name, [=] {
            OutputsShards shards{Rows(make_array<double>({logits.size() / k, k}, logits)), {}, {}};
            shards.rest.path = name;
            if (!labels.empty()) shards.rest.labels = labels;
            if (!norms.empty()) shards.rest.norms = norms;
            return shards;
          }};
}

using Labels = std::vector<std::int64_t>;

// Of a task whose labels are given beside those of its sets.
inline GivenLabels given(Labels labels, std::size_t n) {
  return [=](std::size_t rows, std::size_t k, const std::vector<std::string>&) {
    EXPECT_EQ(std::pair(rows, k), std::pair(n, std::size_t{2}));
    return ClassLabels{labels, LabelCoding::from_zero};
  };
}

template <class Record>
void expect_envelope(const Record& record) {
  EXPECT_EQ(record.envelope.seed, 5u);
  EXPECT_EQ(record.envelope.version, version);
  EXPECT_GT(record.envelope.seconds, 0);
  EXPECT_EQ(record.envelope.headline, headline_of(record));
  EXPECT_THAT(record.envelope.warnings, ::testing::IsEmpty());
}

// n rows of d features along the first or the second axis, small values on the others; the class is the sign. `turned`: with its
// classes in the other order.
inline NamedOutputs along(const std::string& name, std::size_t n, bool first, std::size_t d = 2,
                          bool turned = false) {
  Outputs set;
  std::vector<double> logits, features;
  Labels labels;
  for (std::size_t i = 0; i < n; ++i) {
    const double at = i % 2 == 0 ? 2 : -2;
    logits.insert(logits.end(), {turned ? 0 : at, turned ? at : 0});
    features.insert(features.end(), {first ? at : .01 * static_cast<double>(i), first ? 0 : at});
    for (std::size_t j = 2; j < d; ++j) features.push_back(.1 * std::sin(static_cast<double>(i * j)));
    labels.push_back(static_cast<std::int64_t>((turned ? i + 1 : i) % 2));
  }
  set.logits = make_array(std::vector<std::size_t>{n, 2}, logits);
  set.features = make_array(std::vector<std::size_t>{n, d}, features);
  set.labels = labels;
  set.class_names = {turned ? "nine" : "four", turned ? "four" : "nine"};
  return in_memory(name, set);
}

}  // namespace leeway::tasks
