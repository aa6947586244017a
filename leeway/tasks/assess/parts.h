// Parts of the record of leeway assess: changes between source and target, labels excluded
// (tasks/assess/detail/drift.h); measures from labels other than accuracy (tasks/assess/detail/quality.h);
// the weakest sub-groups (tasks/assess/detail/cells.h); mean results over seeds.
//
// A model or target called NAME#NUMBER is one of several seeds of NAME. For m >= 2 seeds of one model and
// target, a quantity with mean x̄ and standard deviation s (denominator m - 1) has the interval x̄ ± t s /
// sqrt(m), t from Student's distribution with m - 1 degrees of freedom, cut to the quantity's range. The
// interval covers the mean over further seeds on the same rows, if seeds scatter normally; each result's own
// interval covers the sampling of rows.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
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

struct DriftTest {
  std::string name;  // "predicted class", "confidence", "features", or of the group
  std::string test;  // "chi-square", "permutation", "Kolmogorov-Smirnov", "MMD permutation", "MMD sign flip"
  double statistic = 0, p_alone = 1, p_value = 1;
  Measured distance;  // total variation of the shares; of confidences the largest gap of their distributions
  Measured mean_change;            // of confidences
  std::vector<MovedValue> values;  // that moved, largest change first
  std::size_t moved = 0;           // how many there are
};

struct FeatureRow {
  std::size_t row = 0;
  double score = 0;
};

struct FeatureTest : DriftTest {  // agreement/feature_drift.h
  std::vector<FeatureRow> rows;   // of the target, largest score first
};

struct AssessDrift {
  DriftTest classes, confidence;
  std::optional<FeatureTest> features;  // where both have them
  std::vector<DriftTest> groups;        // least p-value first
  std::vector<std::string> left_out;    // groups that only one of the two has
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
// "rows 17, 403 and 12 most"
[[nodiscard]] std::string moved_words(const FeatureTest& test);

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
  const char *key = "", *words = "", *meaning = "";
  Range range;
  Measured QualityMeasures::*value = nullptr;
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

struct AssessResult;

struct SeedsOfOne {
  std::string model, target;  // without their numbers
  std::vector<std::size_t> results;
  Measured accuracy, accuracy_change, afr_pred, pa;  // those that every seed has
};

struct AssessSeeds {
  std::vector<SeedsOfOne> sets;
};

void fields(AssessSeeds& seeds, Fields& f);

// In the order of the first result of each; those of a single seed are left out, and nothing where there are no others.
[[nodiscard]] std::optional<AssessSeeds> over_seeds(const std::vector<AssessResult>& results, double level);

}  // namespace leeway::tasks
