#include "leeway/tasks/bound/bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using error_bound::Sample;

class Bounding {
 public:
  Bounding(const BoundTask& task, Progress* progress) : task_(task), progress_(progress) {}

  Bound run() {
    record_.options = task_.options;
    const auto critics = wanted("dis2") ? std::optional(dis2_options()) : std::nullopt;
    const auto [source, target] = open();
    record_.source.n = source.n(), record_.source.k = source.k();
    record_.target.n = target.n();
    estimate(source, target);
    const std::string reason =
        critics && options().methods.empty() ? error_bound::out_of_reach(source, target, *critics) : "";
    if (!reason.empty())
      record_.envelope.warnings.push_back(fmt::format("The bound is omitted. {}", reason));
    else if (critics)
      add_dis2(source, target, *critics);
    if (labelled_) {
      const Sample& known = *labelled_;
      record_.target.error = 1 - error_bound::collect(known, known, {}).source_accuracy;
    }
    return clock_.finished(std::move(record_), task_.seed);
  }

 private:
  [[nodiscard]] const BoundOptions& options() const { return task_.options; }
  [[nodiscard]] bool wanted(std::string_view method) const {
    return options().methods.empty() ||
           std::ranges::find(options().methods, method) != options().methods.end();
  }

  static Sample sample_of(const std::string& name, OutputsShards shards) {
    Sample sample{name, std::move(shards.logits), {}, std::move(shards.rest.features)};
    if (shards.rest.labels) sample.labels = std::move(*shards.rest.labels);
    return sample;
  }

  // The rows whose label is known; all, where there are no labels.
  static OutputsShards with_labels(OutputsShards set) {
    const auto& labels = set.rest.labels;
    if (!labels || count_labels(*labels) == set.n()) return set;
    return take(set, rows_with_labels(*labels));
  }

  std::pair<Sample, Sample> open() {
    std::vector<std::string>& warnings = record_.envelope.warnings;
    OutputsShards known = task_.source.open();
    give_labels(known, task_.labels, warnings);
    number_first(known, {task_.target}, warnings);
    OutputsShards unknown =
        opened_like(known, task_.target, warnings, !options().dis2.representation.ends_with("logits"));
    const bool some = unknown.rest.labels && count_labels(*unknown.rest.labels) < unknown.n();
    if (unknown.rest.labels) labelled_ = sample_of(task_.target.name, with_labels(unknown));
    if (some) unknown.rest.labels.reset();  // the corollary of Dis2 takes all rows
    Sample source = sample_of(task_.source.name, with_labels(std::move(known)));
    Sample target = sample_of(task_.target.name, std::move(unknown));
    error_bound::check(source, target);
    return {std::move(source), std::move(target)};
  }

  void estimate(const Sample& source, const Sample& target) {
    error_bound::EstimateOptions chosen{.methods = {options().methods.begin(), options().methods.end()},
                                        .temperature = options().temperature == "on",
                                        .bootstrap = options().bootstrap,
                                        .level = options().level,
                                        .seed = task_.seed,
                                        .progress = progress_};
    std::erase(chosen.methods, "dis2");
    const bool none = chosen.methods.empty() && !options().methods.empty();
    if (none) chosen.methods = {"ac"}, chosen.bootstrap = 0;  // for the error on the source
    const error_bound::Estimates estimates = error_bound::estimate_error(source, target, chosen);
    if (!none) record_.results = errors_of(estimates);
    record_.source.error = estimates.source_error;
    record_.source.interval = estimates.source_error_interval;
    record_.inverse_temperature = estimates.inverse_temperature;
  }

  [[nodiscard]] error_bound::Dis2Options dis2_options() const {
    const Dis2Settings& settings = options().dis2;
    const auto representation = representation_of(settings.representation);
    if (!representation)
      refuse("bound: representation", representation_forms, in_quotes(settings.representation));
    error_bound::Dis2Options chosen;
    chosen.representation = *representation;
    chosen.loss = find_member(std::span<const error_bound::NamedLoss>(error_bound::losses), "bound: loss",
                              settings.loss)
                      .loss;
    chosen.search = find_member(std::span<const error_bound::NamedSearch>(error_bound::searches),
                                "bound: search", settings.search)
                        .search;
    chosen.restarts = settings.restarts;
    chosen.delta = settings.delta;
    chosen.holdout = settings.holdout;
    chosen.stratified = settings.stratified;
    chosen.most_training = settings.training_rows.value_or(0);
    chosen.seed = task_.seed;
    chosen.progress = progress_;
    return chosen;
  }

  void add_dis2(const Sample& source, const Sample& target, const error_bound::Dis2Options& chosen) {
    Dis2Bound found{options().dis2.representation, {}, std::nullopt};
    if (found.representation == "pca:range") {
      found.range = error_bound::dis2_over_components(source, target, chosen, options().dis2.least_validity);
      found.dis2 = found.range->best().dis2;
      found.representation = fmt::format("pca:{}", found.range->best().components);
    } else {
      found.dis2 = error_bound::dis2_bound(source, target, chosen);
      found.divergences = error_bound::divergences(source, target, chosen.representation);
      if (const std::size_t fraction = chosen.representation.fraction; fraction > 0)
        found.representation = fmt::format("pca:{}", source.features->shape[1] / fraction);
    }
    const auto [assumes, fails] = error_bound::dis2_assumption(found.representation);
    const std::string summary = fmt::format("upper bound with probability {:g}%", 100 * (1 - chosen.delta));
    record_.results.insert(record_.results.begin(),
                           {{{"dis2", summary, assumes, fails}, found.dis2.bound, std::nullopt, true},
                            {{"dis2-estimate", "dis2 without the concentration term", assumes, fails},
                             found.dis2.estimate,
                             {},
                             false}});
    record_.dis2 = std::move(found);
  }

  const TaskClock clock_;
  const BoundTask& task_;
  Progress* progress_;
  Bound record_;
  std::optional<Sample> labelled_;  // rows of the target with labels
};

}  // namespace

Bound bound(const BoundTask& task, Progress* progress) { return Bounding(task, progress).run(); }

std::optional<error_bound::Representation> representation_of(std::string_view text) {
  using Kind = error_bound::Representation::Kind;
  if (text == "kernel:logits") return error_bound::Representation{Kind::logits, 0, 0, true};
  if (text == "kernel:features") return error_bound::Representation{Kind::features, 0, 0, true};
  if (text == "logits") return error_bound::Representation{Kind::logits, 0, 0};
  if (text == "features") return error_bound::Representation{Kind::features, 0, 0};
  if (text == "pca:range") return error_bound::Representation{Kind::pca, 0, 1};
  if (!text.starts_with("pca:")) return std::nullopt;
  const bool share = text.starts_with("pca:1/");
  const std::string_view digits = text.substr(share ? 6 : 4);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number == 0) return std::nullopt;
  return share ? error_bound::Representation{Kind::pca, 0, number}
               : error_bound::Representation{Kind::pca, number, 0};
}

}  // namespace leeway::tasks
