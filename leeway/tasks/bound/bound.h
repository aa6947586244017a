// leeway bound: the error on an unlabelled target, bounded by Dis2 and estimated (leeway/error_bound). Keys:
// leeway schema bound.
//
// Estimates use all rows of both sets; Dis2 uses the held-out rows. Source labels are those given, else those
// of its outputs. Target labels affect only the keys that describe them. BoundOptions::binary and ::as are
// only recorded here; the caller that opens sets applies them.
// Errors (Error): a representation of another form, sets that differ (io/columns.h), those of opening sets
// and of leeway/error_bound. Interrupted on request. Cost and determinism: error_bound/dis2.h, estimator.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/likely_error.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view bound_schema = "leeway.bound/3";

// Of Dis2, the bound among the methods (error_bound/dis2.h).
struct Dis2Settings {
  std::string representation = "logits";  // or features, pca:COMPONENTS, pca:1/F, pca:range
  double least_validity = .9;             // of the components that pca:range keeps
  double delta = .01, holdout = .5;
  bool stratified = false;
  std::optional<std::size_t> training_rows;
  std::size_t restarts = 30;
  std::string loss = "disagreement", search = "maximum";
};

struct BoundOptions : OutputsReading {
  std::vector<std::string> methods;  // empty: all
  std::string temperature = "on";
  std::size_t bootstrap = 200;
  double level = .95;
  Dis2Settings dis2;
};

struct BoundSource {
  std::size_t n = 0, k = 0;
  double error = 0;
  Interval interval;
};

struct BoundTarget {
  std::size_t n = 0;
  std::optional<double> error;
};

struct Dis2Bound {
  std::string representation;  // "logits", "features" or "pca:16", fractions and ranges worked out
  error_bound::Dis2 dis2;
  std::optional<error_bound::ComponentRange> range;  // of pca:range, where `dis2` is the chosen one
  std::optional<error_bound::Divergences> divergences = {};
};

struct Bound {
  Envelope envelope = envelope_of(bound_schema);
  BoundOptions options;
  std::vector<MethodError> results;
  BoundSource source;
  BoundTarget target;
  double inverse_temperature = 1;
  std::optional<Dis2Bound> dis2;
};

void fields(Dis2Settings& settings, Fields& f);
void general_fields(BoundOptions& options, Fields& f);  // all but those of Dis2
void fields(BoundOptions& options, Fields& f);
void fields(Bound& record, Fields& f);

// Error: a chosen bound that there is not.
void check(const Bound& record, const std::string& name);

// The bound, the range of the estimates, and what the target's labels say, where there are any.
[[nodiscard]] std::string headline_of(const Bound& record);
// A critic that hardly agrees with the classifier; what the target's labels say of the bound's assumption.
[[nodiscard]] std::vector<std::string> findings_of(const Bound& record);

struct BoundTask {
  NamedOutputs source, target;
  // Labels of the n source rows of k classes; where it is not set, those of the outputs.
  GivenLabels labels = {};
  BoundOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] Bound bound(const BoundTask& task, Progress* progress = nullptr);

inline constexpr std::string_view representation_forms =
    "logits, features, kernel:logits, kernel:features, pca:COMPONENTS, pca:1/F or pca:range";
// None where the text is of another form. pca:range is read as pca:1/1.
[[nodiscard]] std::optional<error_bound::Representation> representation_of(std::string_view text);

[[nodiscard]] View view(const Bound& record);

}  // namespace leeway::tasks
