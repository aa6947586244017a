// Part of the record of leeway assess: what labels say beside accuracy (tasks/assess/detail/quality.h), and the weakest
// sub-groups (tasks/assess/detail/cells.h).
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/describe/fields.h"

namespace leeway::tasks {

// One class against the rest.
struct ClassQuality {
  std::size_t index = 0, n = 0, predicted_n = 0;
  Measured precision, recall, f1, auroc;
};

// Rows whose confidence lies in one bin of equal width.
struct ReliabilityBin {
  double low = 0, high = 0;
  std::size_t n = 0;
  std::optional<double> confidence;  // mean
  Measured accuracy;
};

struct QualityMeasures {
  Measured balanced_accuracy, macro_f1, auroc, log_loss, brier, ece;
};
using QualityChange = QualityMeasures;  // target minus source

// A measure of the quality, for those who compute, describe or show all of them.
struct QualityMeasure {
  const char *key, *words, *meaning;
  Range range;
  Measured QualityMeasures::*value;
};
inline constexpr std::size_t quality_metrics = 6;
extern const std::array<QualityMeasure, quality_metrics> quality_measures;  // in the order of the record

// Of one labelled set.
struct AssessQuality : QualityMeasures {
  std::size_t n = 0;
  std::vector<ClassQuality> classes;  // by index
  std::vector<ReliabilityBin> reliability;
  std::vector<std::vector<std::size_t>> confusion;  // counts[label][predicted]; none beyond 100 classes
};

struct Subgroup {
  std::vector<std::string> columns, values;
  std::size_t n = 0;         // rows of the half that measures it
  std::size_t search_n = 0;  // of the half that found it
  Measured accuracy;         // on the measuring half, its interval for all that are listed at once
  Measured difference;       // to the other rows of that half, likewise
  bool clear = false;        // the difference is clearly below 0
};

struct AssessSubgroups {
  std::size_t searched = 0;  // cells with enough rows
  std::size_t columns = 0, least_rows = 0;
  std::vector<Subgroup> list;  // weakest in the search first

  [[nodiscard]] const Subgroup* weakest() const { return list.empty() ? nullptr : &list.front(); }
};

// "weather = fog, time = night"
[[nodiscard]] std::string subgroup_name(const Subgroup& group);

void fields(AssessQuality& quality, Fields& f);
void fields(QualityChange& change, Fields& f);
void fields(AssessSubgroups& subgroups, Fields& f);

}  // namespace leeway::tasks
