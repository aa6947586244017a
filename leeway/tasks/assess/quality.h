// Part of the record of leeway assess: what labels say beside accuracy (tasks/assess/detail/quality.h), and the weakest
// sub-groups (tasks/assess/detail/subgroups.h).
#pragma once

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

// Of one labelled set.
struct AssessQuality {
  std::size_t n = 0;
  Measured balanced_accuracy, macro_f1, auroc, log_loss, brier, ece;
  std::vector<ClassQuality> classes;  // by index
  std::vector<ReliabilityBin> reliability;
  std::vector<std::vector<std::size_t>> confusion;  // counts[label][predicted]; none beyond 100 classes
};

// Target minus source.
struct QualityChange {
  Measured balanced_accuracy, macro_f1, auroc, log_loss, brier, ece;
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

// What a key of not_computed is about, where it is an end of an interval in quality, source_quality or
// quality_change: "interval of log loss on the source". Else empty.
[[nodiscard]] std::string quality_gap_words(const std::string& key);

// "weather = fog, time = night"
[[nodiscard]] std::string subgroup_name(const Subgroup& group);

void fields(AssessQuality& quality, Fields& f);
void fields(QualityChange& change, Fields& f);
void fields(AssessSubgroups& subgroups, Fields& f);

}  // namespace leeway::tasks
