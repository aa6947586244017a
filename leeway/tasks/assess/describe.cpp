#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/describe/fields.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/likely_error.h"

namespace leeway::tasks {

std::string AssessGate::value_text(double value) const {
  return gate.ends_with('%') ? fmt::format("{:.6g}%", 100 * value) : fmt::format("{:.6g}", value);
}

std::string AssessGate::comparison(double value) const {
  return fmt::format("{} {} {} {}", key, value_text(value), op, value_text(threshold));
}

// "accuracy 0.61 < 0.65 (first in chunk 2026-03-07 of cnn under prod, in 3 of 12 chunks)"
static std::string over_time(const AssessGate& gate) {
  if (gate.chunks.empty()) return "";
  const AssessGate::Chunks& first = gate.chunks.front();
  return fmt::format(
      "{} (first in chunk {} of {} under {}, in {} of {} chunks{})", gate.comparison(first.value),
      first.first, first.model, first.target, first.violated, first.judged,
      gate.chunks.size() == 1 ? "" : fmt::format(" and in {} other targets", gate.chunks.size() - 1));
}

std::string gate_words(const AssessGate& gate, std::size_t results) {
  const auto& violations = gate.violations;
  const std::size_t missing = gate.not_computed.size();
  if (violations.empty() && !gate.chunks.empty()) return "failed over time: " + over_time(gate);
  if (violations.empty() && missing == results)
    return fmt::format("undecided: {} (no result has a value)", gate.gate);
  if (violations.empty() && missing > 0)
    return fmt::format("passed: {} ({} {} undecided)", gate.gate, missing,
                       missing == 1 ? "result" : "results");
  if (violations.empty()) return "passed: " + gate.gate;
  std::string text = fmt::format("failed: {} ({} under {})", gate.comparison(violations[0].value),
                                 violations[0].model, violations[0].target);
  if (violations.size() > 1)
    text += fmt::format(" and {} {}", violations.size() - 1, violations.size() == 2 ? "other" : "others");
  if (!gate.chunks.empty()) text += "; over time " + over_time(gate);
  return text;
}

namespace {

// Estimates by the names of their methods; each method has its keys, computed or not.
struct EstimatesByName {
  std::vector<error_bound::Estimate> list;
};

void fields(EstimatesByName& estimates, Fields& f) {
  std::vector<error_bound::Estimate> list;
  for (const error_bound::Estimator& member : error_bound::answer_estimators()) {
    std::optional<double> error;
    std::optional<Interval> interval;
    for (const error_bound::Estimate& one : estimates.list)
      if (one.estimator == &member) error = one.error, interval = one.interval;
    f.measured(member.name, error, interval, a_share, member.summary);
    if (error) list.push_back({&member, *error, interval});
  }
  estimates.list = std::move(list);
}

// "over_time": {"timelines": [...]}, null where the list is empty.
template <class Element>
struct OverTime {
  std::vector<Element> list;
};

void fields(OverTime<AssessGate::Chunks>& over_time, Fields& f) {
  f("timelines", over_time.list, "timelines with a chunk for which the condition holds");
}

void fields(OverTime<AssessTimeline>& over_time, Fields& f) {
  f("timelines", over_time.list, "timelines, for results that are split into chunks");
}

template <class Element>
void over_time_field(Fields& f, std::vector<Element>& list, std::string_view meaning) {
  std::optional<OverTime<Element>> held;
  if (!list.empty()) held = OverTime<Element>{std::move(list)};
  f("over_time", held, meaning);
  list = held ? std::move(held->list) : std::vector<Element>{};
}

const AssessCell* worst_of(const std::vector<AssessCell>& cells) {
  return cells.empty() || cells.front().n == 0 ? nullptr : &cells.front();
}

}  // namespace

static void fields(AssessBounds& bounds, Fields& f) {
  f("representation", bounds.representation, "input of the critics");
  f("delta", bounds.delta, a_share, "failure probability of the bound, given its assumption");
  f("restarts", bounds.restarts, "number of critics trained");
  f("bootstrap", bounds.bootstrap,
    "bootstrap replicates for the intervals of the estimates; 0: no intervals");
  f("assumption", bounds.assumption, "one sentence: the assumption of the bound and when it fails");
  f("likely", bounds.likely, "one sentence: how often the likely range contained the true error in tests");
  f("methods", bounds.methods, "methods that estimate errors");
}

static void fields(AssessComparison& comparison, Fields& f) {
  f("target", comparison.target, "name of the target");
  f("model", comparison.model, "first of the two models");
  f("other", comparison.other, "second of the two models");
  f("n", comparison.n, "number of samples that both models were evaluated on");
  measured(f, "difference", comparison.difference, from_to(-1, 1),
           "accuracy of model minus accuracy of other on these samples (Bonett and Price 2012)");
  f("mcnemar_p", comparison.mcnemar_p, a_share, "two-sided p-value of McNemar's exact test");
  f("clear", comparison.clear, "whether the interval excludes 0");
}

static void fields(AssessGate::Violation& violation, Fields& f) {
  f("model", violation.model, "name of the model");
  f("target", violation.target, "name of the target");
  f("value", violation.value, {}, "value for which the condition holds");
}

static void fields(AssessGate::Chunks& chunks, Fields& f) {
  f("model", chunks.model, "name of the model");
  f("target", chunks.target, "name of the target");
  f("first", chunks.first, "first chunk for which the condition holds");
  f("start", chunks.start, "start of that chunk; null for files");
  f("value", chunks.value, {}, "value in that chunk");
  f("violated", chunks.violated, "number of chunks for which the condition holds");
  f("judged", chunks.judged, "number of chunks with a value");
}

static void fields(AssessGate::Undecided& undecided, Fields& f) {
  f("model", undecided.model, "name of the model");
  f("target", undecided.target, "name of the target");
  f("reason", undecided.reason, "why the value was not computed");
}

static void fields(AssessGate& gate, Fields& f) {
  bool violated = gate.violated();
  f("gate", gate.gate, "condition as given");
  f("key", gate.key, "key of a result");
  f.choice("op", gate.op, {{"<", ""}, {"<=", ""}, {">", ""}, {">=", ""}, {"==", ""}, {"!=", ""}},
           "comparison");
  f("threshold", gate.threshold, {}, "number that the value is compared with");
  f("violated", violated, "whether the condition holds for a result or for a chunk of a result");
  f("violations", gate.violations, "results for which the condition holds");
  over_time_field(f, gate.chunks, "first chunks for which the condition holds; null if there are none");
  f("not_computed", gate.not_computed, "results without a value");
}

static void fields(AssessCell& cell, Fields& f) {
  f("class", cell.index, "index of the class; null for a group");
  f.unless_empty("group", cell.group,
                 "attribute, or class and attribute (class / background); null for a class");
  f("name", cell.name, "name of the class, or level of the attribute (snow; husky / snow)");
  f("n", cell.n, "number of target samples");
  f("source_n", cell.source_n, "number of source samples; 0 if unknown");
  measured(f, "accuracy", cell.accuracy, a_share, "accuracy; null without labels");
  measured(f, "source_accuracy", cell.source_accuracy, a_share, "accuracy on the source");
  measured(f, "afr_pred", cell.afr_pred, a_share, "share of unchanged predictions; null if not paired");
}

static void fields(AssessConfidence& confidence, Fields& f) {
  f("edges", confidence.edges, a_share, "edges of the bins [edge, next edge); the last bin includes 1");
  f("clean", confidence.clean, "number of source samples in each bin");
  f("shifted", confidence.shifted, "number of target samples in each bin");
  f.lengths({.alike = {"clean", "shifted"}});
  f("clean_mean", confidence.clean_mean, a_share, "mean confidence on the source");
  f("shifted_mean", confidence.shifted_mean, a_share, "mean confidence on the target");
}

static void fields(AssessShares& shares, Fields& f) {
  f("clean", shares.clean, a_share, "share of source samples predicted as each class");
  f("shifted", shares.shifted, a_share, "share of target samples predicted as each class");
  f.lengths({.alike = {"clean", "shifted"}});
}

static void fields(AssessTopFlip& flip, Fields& f) {
  f("from", flip.from, "clean prediction");
  f("to", flip.to, "shifted prediction");
  f("count", flip.count, "number of samples");
}

static void fields(AssessFlip& flip, Fields& f) {
  f("row", flip.row, "row in the target's file, from 0");
  f("label", flip.label, "label; null without labels");
  f("clean_pred", flip.clean_pred, "clean prediction");
  f("shifted_pred", flip.shifted_pred, "shifted prediction");
  f("clean_confidence", flip.clean_confidence, a_share, "softmax probability of clean_pred");
  f("shifted_confidence", flip.shifted_confidence, a_share, "softmax probability of shifted_pred");
  f("agreement", flip.agreement, {}, "log agreement a_i at the maximizing beta");
}

void fields(AssessResult& r, Fields& f) {
  EstimatesByName estimates{std::move(r.estimates)};
  std::optional<AssessCell> worst_class, worst_group;
  if (const AssessCell* cell = r.worst_class()) worst_class = *cell;
  if (const AssessCell* cell = r.worst_group()) worst_group = *cell;
  f("model", r.model, "name of the model");
  f("target", r.target, "name of the target");
  f("n", r.n, at_least(1), "number of target samples");
  f("source_n", r.source_n, at_least(1), "number of source samples");
  f("k", r.k, at_least(2), "number of classes");
  f("paired", r.paired, "whether row i of the target is row i of the source after the shift");
  f("labelled", r.labelled, "whether the target has labels");
  f("pairing", r.pairing, "evidence that rows are pairs, or why rows are treated as unpaired");
  measured(f, "accuracy", r.accuracy, a_share, "accuracy on the target; null without labels");
  measured(f, "source_accuracy", r.source_accuracy, a_share, "accuracy on the source");
  measured(f, "accuracy_change", r.accuracy_change, from_to(-1, 1),
           "accuracy minus source_accuracy; on the same samples if paired");
  measured(f, "afr_pred", r.afr_pred, a_share,
           "share of predictions unchanged by the shift; null if not paired");
  f("afr_true", r.afr_true, a_share, "accuracy of a paired target");
  measured(f, "pa", r.pa, at_least(0), "posterior agreement, 0 to log k; null if not paired");
  f("pa_normalized", r.pa_normalized, a_share, "pa / log k");
  f("log_pa_mean", r.log_pa_mean, Range{.most = 0}, "pa - log k");
  f("beta", r.beta, at_least(0), "inverse temperature at the maximum");
  f("gap", r.gap, at_least(0), "certified gap: no other beta raises the maximum by more than this");
  f("error_bound", r.error_bound, a_share,
    "upper bound on the error, without target labels: source_error + discrepancy + concentration, at most 1");
  f("error_bound_terms", r.error_bound_terms, "terms of the bound; null without a bound");
  f("estimates", estimates,
    "estimates of the error, without target labels, by method; intervals with --bootstrap");
  f("likely_error", r.likely_error,
    "error estimated without target labels, with its likely range; null without estimates");
  f("drift", r.drift, "tests for differences between source and target, excluding labels");
  f("source_quality", r.source_quality, "other quality measures from the source's labels");
  f("quality", r.quality, "other quality measures from the target's labels; null without labels");
  f("quality_change", r.quality_change, "quality minus source_quality; on the same samples if paired");
  f("subgroups", r.subgroups, "weakest groups and pairs of groups");
  f("curve", r.curve, "A(beta), sorted by beta; [] if not paired");
  f("local_maxima", r.local_maxima, "local maxima of A(beta), including the global one, sorted by beta");
  f("confidence", r.confidence, "distribution of the model's confidence");
  f("classes", r.classes,
    "classes by label (without labels: by clean prediction), worst first, empty classes last; [] without "
    "labels and pairs");
  f("groups", r.groups,
    "groups by level of each attribute; with labels, also by class and level; worst first, at most 1000 per "
    "attribute");
  f("worst_class", worst_class, "first element of classes; null if it has no samples");
  f("worst_group", worst_group, "first element of groups");
  f("confusion", r.confusion,
    "number of samples predicted as class i before and class j after the shift; [] with more than 100 "
    "classes");
  f.lengths({.square = "confusion"});
  f("top_flips", r.top_flips, "most frequent prediction changes, at most 50");
  f("flips", r.flips, "selected samples whose prediction changes, most confident change first");
  f("predicted_shares", r.shares, "share of samples predicted as each class");
  f("warnings", r.warnings, "warnings, as complete sentences");
  f("not_computed", r.not_computed, "why a key is null or empty");
  r.estimates = std::move(estimates.list);
}

static void fields(AssessShifts& shifts, Fields& f) {
  f("models", shifts.models, "models evaluated on these samples");
  f.unless_empty("target", shifts.target, "name of the target; null: only the source");
  f("left_out", shifts.left_out, "omitted groups, which have more than 2,000 cells");
  fields(shifts.shifts, f);
}

void fields(AssessOptions& options, Fields& f) {
  fields(static_cast<OutputsReading&>(options), f);
  f.choice("paired", options.paired, {{"auto", ""}, {"yes", ""}, {"no", ""}},
           "whether row i of the target is row i of the source: auto (detected from labels, ids or "
           "predictions), yes (labels and groups apply to both sets), no");
  f("unit", options.unit, "noun for rows in sentences, such as images or reviews (default: samples)");
  time_field(options, f);
  f("chunk", options.chunk,
    "chunk size: a time span such as 1d, 12h, 1w or 30min, or a number of rows in time order such as 1000");
  f.choice("undecided", options.undecided, {{"fail", ""}, {"pass", ""}},
           "result of a gate whose value was not computed: fail (exit 4) or pass");
  f("no_bounds", options.no_bounds, "skip the error bound and the error estimates");
  f("restarts", options.restarts, from_to(1, 100000),
    "random restarts of the search for the critic of the bound; more restarts can only raise the bound");
  f("delta", options.delta, from_to(1e-12, .5), "failure probability of the bound, given its assumption");
  f("bootstrap", options.bootstrap, from_to(0, 1000000),
    "bootstrap replicates for the intervals of the estimates; 0: no intervals");
}

void fields(Assess& record, Fields& f) {
  common_fields(record, f);
  f("models", record.models, "names of the models, in the order given");
  f("targets", record.targets, "names of the shifts, in the order given");
  f("class_names", record.class_names, "class names; class 0, ... if the inputs name none");
  f("level", record.level, a_share, "confidence level of every interval");
  f("bounds", record.bounds,
    "methods that bound and estimate errors without labels, and their assumptions; null with --no-bounds");
  f("shifts", record.shifts,
    "shifts of labels and groups between source and targets; [] if no source has labels and groups");
  f("comparisons", record.comparisons, "comparisons of two models on the same labeled samples of a target");
  f("seeds", record.seeds,
    "means over results whose model or target names differ only in a final #NUMBER; null without such names");
  f("average_case", record.average_case, "predictions under noise, one for each --model and --jacobian");
  f("gates", record.gates, "results of the gates, one for each --fail-if");
  std::optional<bool> passed;
  if (!record.gates.empty()) passed = record.passed();
  f("passed", passed, "whether all gates passed; null without gates");
  f("results", record.results, "one result for each model and target, model by model");
  over_time_field(f, record.timelines,
                  "timelines, with --chunk or a --target pattern of several files; null otherwise");
}

const AssessCell* AssessResult::worst_class() const { return worst_of(classes); }
const AssessCell* AssessResult::worst_group() const { return worst_of(groups); }

std::string AssessResult::reason(std::string_view key) const {
  const auto found = not_computed.find(std::string(key));
  if (found != not_computed.end()) return found->second;
  if (key == "accuracy" && !labelled) return "the target has no labels";
  if (!paired) return "the target is not paired with the source";
  return "the record does not say why";
}

std::array<double, 3> AssessResult::rank() const {
  if (accuracy.value) return {0, *accuracy.value, 0};
  if (afr_pred.value) return {1, *afr_pred.value, 0};
  double low = 1, high = 0;
  for (const error_bound::Estimate& estimate : estimates)
    low = std::min(low, estimate.error), high = std::max(high, estimate.error);
  const bool estimated = low <= high;
  const double right = estimated ? 1 - (low + high) / 2 : 0;
  if (error_bound) return {2, 1 - *error_bound, right};
  if (estimated) return {3, right, 0};
  return {4, confidence.shifted_mean, 0};
}

AssessComparison AssessComparison::turned() const {
  const auto minus = [](const std::optional<double>& value) {
    return value ? std::optional(-*value) : std::nullopt;
  };
  const Measured opposite{minus(difference.value), minus(difference.high), minus(difference.low)};
  return {target, other, model, n, opposite, mcnemar_p, clear};
}

double Assess::log_k() const { return std::log(static_cast<double>(std::max<std::size_t>(k(), 2))); }

std::string Assess::class_name(std::size_t index) const {
  return index < class_names.size() && !class_names[index].empty() ? class_names[index]
                                                                   : fmt::format("class {}", index);
}

bool Assess::passed() const {
  return std::ranges::none_of(gates, [&](const AssessGate& gate) {
    return gate.violated() || (options.undecided == "fail" && !gate.not_computed.empty());
  });
}

std::size_t Assess::model_index(std::string_view model) const {
  return static_cast<std::size_t>(std::ranges::find(models, model) - models.begin());
}

const AssessResult* Assess::find(std::string_view model, std::string_view target) const {
  for (const AssessResult& one : results)
    if (one.model == model && one.target == target) return &one;
  return nullptr;
}

std::vector<const AssessResult*> Assess::worst_first() const {
  std::vector<const AssessResult*> order;
  for (const AssessResult& result : results) order.push_back(&result);
  std::ranges::stable_sort(order, {}, &AssessResult::rank);
  return order;
}

void check(const Assess& record, const std::string& name) {
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const AssessConfidence& bins = record.results[i].confidence;
    const std::size_t expected = bins.edges.size() - (bins.edges.empty() ? 0 : 1);
    if (bins.clean.size() != expected)
      refuse(name, fmt::format("{} counts at results[{}].confidence.clean", expected, i), bins.clean.size());
  }
  for (std::size_t i = 0; i < record.average_case.size(); ++i)
    check(record.average_case[i].found, name, fmt::format(" at average_case[{}].results", i));
  for (const AssessShifts& shifts : record.shifts) check(shifts.shifts, name);
}

}  // namespace leeway::tasks
