#include <fmt/format.h>

#include "leeway/describe/json.h"
#include "leeway/tasks/bound/bound.h"

namespace leeway::tasks {

void fields(Dis2Settings& settings, Fields& f) {
  f("representation", settings.representation,
    "input of the critics: logits, features, kernel:logits, kernel:features (linear and kernel critics: "
    "slower, a higher bound that holds more often), pca:COMPONENTS, pca:1/F (share of the components), or "
    "pca:range (1/1 to 1/128: lowest bound with a sufficient validity score)");
  f("least_validity", settings.least_validity, a_share, "minimum validity score of a bound from pca:range");
  f("delta", settings.delta, from_to(1e-12, .5), "failure probability of the bound, given its assumption");
  f("holdout", settings.holdout, from_to(0, .95),
    "share of rows held out for the bound (0: none; the bound is then not valid)");
  f("stratified", settings.stratified,
    "stratify held-out source rows by label; the proof of the bound requires independent rows");
  f("training_rows", settings.training_rows, from_to(1, 1e9),
    "maximum number of rows from each set to train critics on (default: 65,536, or 64 per critic parameter "
    "if larger)");
  f("restarts", settings.restarts, from_to(1, 1e5),
    "random restarts of the search for a critic; the largest discrepancy counts");
  std::vector<Choice> losses;
  for (const error_bound::NamedLoss& one : error_bound::losses) losses.push_back({std::string(one.name), ""});
  f.choice("loss", settings.loss, std::move(losses), "disagreement loss of the critics");
  f.choice("search", settings.search, choices_of(error_bound::searches), "how the critics are trained");
}

void general_fields(BoundOptions& options, Fields& f) {
  std::vector<Choice> methods = choices_of(error_bound::estimators());
  methods.insert(methods.begin(), {"dis2", "the upper bound"});
  f.choice("methods", options.methods, std::move(methods), "methods to compute (default: all)");
  f.choice("temperature", options.temperature, {{"on", "calibrated on the source"}, {"off", "unchanged"}},
           "temperature scaling of the confidences");
  f("bootstrap", options.bootstrap, from_to(0, 1e6),
    "bootstrap replicates for the intervals of the estimates; 0: no intervals");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
  fields(static_cast<OutputsReading&>(options), f);
}

void fields(BoundOptions& options, Fields& f) {
  general_fields(options, f);
  fields(options.dis2, f);
}

static void fields(BoundSource& source, Fields& f) {
  f("n", source.n, at_least(1), "number of rows");
  f("k", source.k, at_least(2), "number of classes");
  f.measured("error", source.error, source.interval, a_share,
             "share of all rows whose prediction differs from the label");
}

static void fields(BoundTarget& target, Fields& f) {
  f("n", target.n, at_least(1), "number of rows");
  f("error", target.error, a_share,
    "error according to the target's labels, which no method uses; null without labels");
}

static void fields(Dis2Bound& bound, Fields& f) {
  f("representation", bound.representation,
    "input of the critics: logits, features, kernel:logits, kernel:features or pca:COMPONENTS (a number)");
  fields(bound.dis2, f);
  f("range", bound.range, "bounds of pca:range; null for other representations");
  f("divergences", bound.divergences,
    "divergences by enumeration of half-planes; null except for two classes, linear critics on one or two "
    "columns and at most 64 rows in each set");
}

void fields(Bound& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one result for each method; two for dis2: the bound and its estimate");
  f("source", record.source, "labeled source");
  f("target", record.target, "target");
  f("inverse_temperature", record.inverse_temperature, at_least(0),
    "inverse temperature of the estimates: fitted on the source, or 1; inf if every source row is classified "
    "correctly");
  f("dis2", record.dis2, "terms of the bound; null if not requested");
}

void check(const Bound& record, const std::string& name) {
  if (record.dis2 && record.dis2->range && record.dis2->range->chosen >= record.dis2->range->bounds.size())
    refuse(name, "one of dis2.range.bounds at dis2.range.chosen", record.dis2->range->chosen);
}

std::string headline_of(const Bound& record) {
  std::string text;
  const std::optional<double> truth = record.target.error;
  if (record.dis2) {
    const std::string bound = percent(record.dis2->dis2.bound, 1);
    if (record.dis2->dis2.bound >= 1)
      text = "The bound is not informative: it reaches 100%.";
    else if (record.options.dis2.holdout > 0)
      text = fmt::format(
          "The error on the target is at most {} with probability {:g}%, if the bound's assumption holds.",
          bound, 100 * (1 - record.options.dis2.delta));
    else
      text = fmt::format("The bound would be {}, but it was measured on the rows that selected it.", bound);
  }
  std::vector<double> estimates;
  for (const MethodError& one : record.results)
    if (one.likely_low && one.likely_high)
      text += fmt::format("{}Without labels the error is estimated at {} (likely range {}).",
                          text.empty() ? "" : " ", percent(one.error, 1),
                          percent_range(std::vector<double>{*one.likely_low, *one.likely_high}));
    else if (!one.is_bound && !one.method.method.starts_with("dis2"))
      estimates.push_back(one.error);
  if (!estimates.empty())
    text += fmt::format("{}Individual estimates: {}.", text.empty() ? "" : " ", percent_range(estimates));
  if (truth)
    text += fmt::format(" According to the target's labels, the error is {}{}", percent(*truth, 1),
                        record.dis2 && *truth > record.dis2->dis2.bound
                            ? ", more than the bound: its assumption fails."
                            : ".");
  return text;
}

std::vector<std::string> findings_of(const Bound& record) {
  std::vector<std::string> findings;
  if (!record.dis2) return findings;
  const error_bound::Dis2& dis2 = record.dis2->dis2;
  if (std::string warning = error_bound::critic_warning(dis2); !warning.empty())
    findings.push_back(std::move(warning));
  for (const MethodError& one : record.results)
    if (one.likely_low && one.likely_high && one.margins_moved)
      if (std::string warning =
              bound_warning(dis2.bound, {*one.likely_low, *one.likely_high}, *one.margins_moved,
                            record.dis2->representation.starts_with("kernel:"));
          !warning.empty())
        findings.push_back(std::move(warning));
  if (dis2.corollary)
    findings.push_back(fmt::format(
        "According to the target's labels, the error on the held-out rows is {}; the assumption is proved if "
        "that error is at most {} (Corollary E.2). {}",
        percent(dis2.corollary->target_error, 1), percent(dis2.corollary->threshold, 1),
        dis2.corollary->holds
            ? fmt::format("It is proved, except with probability {:g}%.", 100 * record.options.dis2.delta)
            : "It is not proved, which does not disprove it."));
  return findings;
}

}  // namespace leeway::tasks
