// Part of the record of leeway assess: what moved between source and target, labels aside (tasks/assess/detail/drift.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"

namespace leeway::tasks {

// A value of a column whose share of rows moved.
struct MovedValue {
  std::string name, kind;  // "new": the source has none; "vanished": the target has none; "grown", "shrunk"
  std::size_t source_n = 0, n = 0;
  Measured change;  // of its share
};

// One column, tested.
struct DriftTest {
  std::string name;  // "predicted class", "confidence", or of the group
  std::string test;  // "chi-square", "permutation", "Kolmogorov-Smirnov"
  double statistic = 0, p_alone = 1, p_value = 1;
  Measured distance;  // total variation of the shares; of confidences the largest gap of their distributions
  Measured mean_change;            // of confidences
  std::vector<MovedValue> values;  // that moved, largest change first
  std::size_t moved = 0;           // how many there are
};

struct AssessDrift {
  DriftTest classes, confidence;
  std::vector<DriftTest> groups;      // least p-value first
  std::vector<std::string> left_out;  // groups that only one of the two has
  std::size_t tests = 0;
  double p_value = 1;  // the least, adjusted

  [[nodiscard]] const DriftTest* worst_group() const { return groups.empty() ? nullptr : &groups.front(); }
};

void fields(AssessDrift& drift, Fields& f);

// "0.031", "< 0.0001"
[[nodiscard]] std::string p_words(double p);
// "p = 0.031", "p < 0.0001"
[[nodiscard]] std::string p_sentence(double p);
// "Shirt 10% to 17%, new snow 3%": the leading ones of the values that moved; empty where none did.
[[nodiscard]] std::string moved_words(const DriftTest& test, std::size_t source_n, std::size_t n,
                                      std::size_t most = 3);

}  // namespace leeway::tasks
