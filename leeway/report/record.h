// A record of schema "leeway.assess/1" as the page uses it: typed, checked, with a reason for everything
// absent.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/result.h"
#include "leeway/record/average_case.h"
#include "leeway/record/conds.h"
#include "leeway/report/bounds.h"
#include "leeway/report/json_view.h"

namespace leeway::report {

struct Point {
  double beta = 0, value = 0;
};

// A class or a group.
struct Member {
  std::size_t index = 0;    // of a class
  std::string group, name;  // the attribute (groups only), and the class name or the level
  std::size_t n = 0;
  std::optional<double> source;
  Measured accuracy;
  std::optional<double> afr_pred;
};

struct Confidence {
  std::vector<double> edges, clean, shifted;  // counts
  std::optional<double> clean_mean, shifted_mean;
};

struct TopFlip {
  std::size_t from = 0, to = 0, count = 0;
};

struct Flip {
  std::size_t row = 0;
  std::optional<std::size_t> label;
  std::size_t clean_pred = 0, shifted_pred = 0;
  std::optional<double> clean_confidence, shifted_confidence, agreement;
};

struct Result {
  std::string model, target;
  std::size_t n = 0, source_n = 0;
  bool paired = false, labelled = false;
  std::string pairing;  // why they are pairs, or not
  Measured accuracy, source_accuracy, afr_pred, pa;
  Measured change;  // accuracy minus source accuracy
  std::optional<double> pa_normalized, beta, gap, error_bound;
  std::optional<BoundTerms> terms;  // of error_bound
  std::vector<Estimate> estimates;
  std::vector<Point> curve, local_maxima;
  std::optional<Confidence> confidence;
  std::vector<Member> classes, groups;
  bool classes_by_prediction = false;
  std::vector<std::vector<std::size_t>> confusion;  // counts[clean][shifted]; empty where there is none
  std::vector<TopFlip> top_flips;
  std::vector<Flip> flips;
  std::vector<double> clean_shares, shifted_shares;
  std::vector<std::string> warnings;
  std::map<std::string, std::string> not_computed;

  // Why `key` is absent, in words for the reader.
  [[nodiscard]] std::string reason(std::string_view key) const;
  // What to sort by, the worst having the lowest: results with labels by accuracy; then pairs by AFR; then those
  // with a bound by that and by the middle of the estimates, with estimates alone, by mean confidence.
  [[nodiscard]] std::array<double, 3> rank() const;
};

struct Input {
  std::string path, shape, digest;
  std::optional<std::size_t> bytes;
};

struct Envelope {
  std::vector<std::vector<std::string>> commands;  // one of each joined record
  std::vector<Input> inputs;
  std::string version, instruction_set;  // empty where not said
  std::optional<double> seconds;
  std::optional<std::size_t> seed;
};

// Two models on the same samples: accuracy of `model` minus that of `other`.
struct Comparison {
  std::string target, model, other;
  std::size_t n = 0;
  Measured difference;
  std::optional<double> p;  // McNemar's exact test
};

// A condition under which the run counts as failed.
struct Gate {
  std::string text;
  struct Violation {
    std::string model, target;
    std::optional<double> value;
  };
  std::vector<Violation> violations;
  std::size_t undecided = 0;  // results without the value
};

// Shifts of labels and groups that these models met.
struct ShiftsOfGroups {
  std::vector<std::string> models;
  std::string target;  // empty: the source alone
  record::DescribedShifts shifts;
  std::vector<std::string> left_out;  // groups of too many values
};

struct Record {
  Envelope envelope;
  double level = .95;  // of every interval
  std::string headline;
  std::string assumption;                    // of the bounds, in a sentence
  std::vector<record::ErrorMethod> methods;  // that estimate errors
  std::vector<std::string> findings, models, targets, class_names;
  std::vector<Comparison> comparisons;
  std::vector<Gate> gates;
  std::vector<record::ModelUnderNoise> noise;  // predictions under noise, one a model
  std::vector<ShiftsOfGroups> shifts;
  std::vector<Result> results;

  [[nodiscard]] std::string class_name(std::size_t index) const;
  [[nodiscard]] std::size_t k() const { return class_names.size(); }
  [[nodiscard]] std::size_t model_index(std::string_view model) const;
  [[nodiscard]] const Result* find(std::string_view model, std::string_view target) const;
  // Indices of `results` by rank.
  [[nodiscard]] std::vector<std::size_t> worst_first() const;
};

// Errors (Error): a value of another type than docs/assess-record.md says (named by its path in the record),
// lists whose lengths do not fit, no results.
[[nodiscard]] Record read_assessment(const Json& record, const std::string& name);
[[nodiscard]] Envelope read_envelope(const Json& record, const std::string& name);

// Members `key`, `key`_low and `key`_high; shares are from 0 to 1.
[[nodiscard]] Measured read_shares(const JsonView& object, const std::string& key);
[[nodiscard]] Measured read_numbers(const JsonView& object, const std::string& key);
// Why nothing shows that rows are pairs; empty where something does, and of records without the key "pairing".
[[nodiscard]] std::string read_doubt(const JsonView& pairing);
// A list of {"beta", "value"}, sorted by beta.
[[nodiscard]] std::vector<Point> read_points(const JsonView& list);

// `text` at the end of `list`, unless it stands there already.
void append_new(std::vector<std::string>& list, const std::string& text);

}  // namespace leeway::report
