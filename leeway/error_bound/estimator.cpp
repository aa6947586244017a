#include "leeway/error_bound/estimator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/error_bound/detail/near_scores.h"
#include "leeway/error_bound/detail/temperature.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t estimator_least_rows = 1000, replicates_at_once = 8;

using Errors = std::vector<double>;  // of the methods asked for
using Methods = std::vector<const Estimator*>;

Methods chosen(const EstimateOptions& options) {
  Methods methods;
  for (const std::string_view name : options.methods) methods.push_back(&estimator(name));
  if (methods.empty())
    for (const Estimator& member : estimators()) methods.push_back(&member);
  return methods;
}

// Both sets, or both resampled, to the errors of all methods.
class Estimation {
 public:
  Estimation(const Sample& source, const Sample& target, const Methods& methods, bool temperature)
      : source_(source), target_(target), methods_(methods), scaled_(temperature) {
    for (const Estimator* method : methods)
      transport_ = transport_ || method->transport, movement_ = movement_ || method->movement;
    if (scaled_) inverse_temperature_ = fit_temperature(source.logits, source.labels).inverse;
    if (transport_) self_ = self_transport(source, inverse_temperature_, target.n());
  }

  // Before resampled().
  void prepare_replicates() { near_ = NearEstimates::at(source_, target_, inverse_temperature_, scaled_); }

  [[nodiscard]] double inverse_temperature() const { return inverse_temperature_; }

  [[nodiscard]] Evidence evidence() const {
    return collect(source_, target_, {inverse_temperature_, transport_, movement_, self_});
  }

  [[nodiscard]] Errors errors(const Evidence& evidence) const {
    Errors errors;
    for (const Estimator* method : methods_) errors.push_back(std::clamp(method->error(evidence), 0., 1.));
    return errors;
  }

  [[nodiscard]] Errors resampled(std::size_t replicate, double ratio, std::uint64_t seed) const {
    const auto source = draw(source_.n(), ratio, Random(seed, stream("bootstrap source"), replicate));
    const auto target = draw(target_.n(), ratio, Random(seed, stream("bootstrap target"), replicate));
    EvidenceOptions options{1, transport_, movement_, self_, source, target};
    if (const std::optional<double> t = near_ ? near_->temperature(source) : std::nullopt) {
      options.inverse_temperature = *t;
      options.source_scores = std::make_shared<Scores>(near_->source().at(*t, source));
      options.target_scores = std::make_shared<Scores>(near_->target().at(*t, target));
    } else if (scaled_) {
      const double start = std::isfinite(inverse_temperature_) ? inverse_temperature_ : 0;
      options.inverse_temperature =
          fit_temperature(source_.logits, source_.labels, {1e-6, start, source}).inverse;
    }
    return errors(collect(source_, target_, options));
  }

 private:
  static std::vector<std::size_t> draw(std::size_t n, double ratio, Random random) {
    const auto wanted = static_cast<std::size_t>(std::ceil(ratio * static_cast<double>(n)));
    return drawn_rows(std::clamp<std::size_t>(wanted, 1, n), n, random);
  }

  const Sample& source_;
  const Sample& target_;
  const Methods& methods_;
  bool scaled_, transport_ = false, movement_ = false;
  double inverse_temperature_ = 1;
  SelfTransport self_;
  std::optional<NearEstimates> near_;
};

// Replicates of cot are too high on average, because resampling adds noise: their mean is moved to the estimate.
Interval interval_of(std::vector<double> replicates, double error, double ratio, double level) {
  double mean = 0;
  for (const double value : replicates) mean += value / static_cast<double>(replicates.size());
  for (double& value : replicates) value = error + std::sqrt(ratio) * (value - mean);
  std::sort(replicates.begin(), replicates.end());
  return replicate_interval(replicates, level);
}

double share_drawn(const Sample& source, const Sample& target, std::size_t most) {
  const auto larger = static_cast<double>(std::max(source.n(), target.n()));
  const auto smaller = static_cast<double>(std::min(source.n(), target.n()));
  return std::min(
      1., std::max(static_cast<double>(most) / larger, static_cast<double>(estimator_least_rows) / smaller));
}

std::vector<Errors> replicate(const Estimation& estimation, double ratio, const EstimateOptions& options) {
  std::vector<Errors> all(options.bootstrap);
  for (std::size_t begin = 0; begin < all.size(); begin += replicates_at_once) {
    const std::size_t count = std::min(replicates_at_once, all.size() - begin);
    parallel_for(
        count, [&](std::size_t i) { all[begin + i] = estimation.resampled(begin + i, ratio, options.seed); });
    if (options.progress == nullptr) continue;
    options.progress->update("intervals", begin + count, all.size(), "");
    if (begin + count < all.size()) stop_if_asked(options.progress);
  }
  return all;
}

}  // namespace

// Each is defined in estimators/, in the file of its equation.
Estimator combined();
Estimator ac();
Estimator doc();
Estimator atc_conf();
Estimator atc_ne();
Estimator cot();
Estimator cot_published();
Estimator cot_corrected();

std::span<const Estimator> estimators() {
  static const Estimator list[] = {combined(), ac(),  doc(),           atc_conf(),
                                   atc_ne(),   cot(), cot_published(), cot_corrected()};
  return list;
}

std::span<const Estimator> answer_estimators() {
  constexpr std::size_t first = 1, published = 2;  // at the end of the list
  return estimators().subspan(first, estimators().size() - first - published);
}

const Estimator& estimator(std::string_view name) { return find_member(estimators(), "estimator", name); }

Interval sampling_interval(double error, std::size_t n, double source_error, std::size_t source_n,
                           double level) {
  const auto of = [&](double share, std::size_t rows) {
    return wilson(static_cast<std::size_t>(std::llround(share * static_cast<double>(rows))), rows, level);
  };
  const Interval target = of(error, n), source = of(source_error, source_n);
  const double below = std::hypot(std::max(0., error - target.low), std::max(0., source_error - source.low)),
               above =
                   std::hypot(std::max(0., target.high - error), std::max(0., source.high - source_error));
  return {std::max(0., error - below), std::min(1., error + above)};
}

Estimates estimate_error(const Sample& source, const Sample& target, const EstimateOptions& options) {
  if (!(options.level > 0 && options.level < 1))
    refuse("estimate_error: level", "a number within (0, 1)", fmt::format("{}", options.level));
  const Methods methods = chosen(options);
  check(source, target);
  Estimation estimation(source, target, methods, options.temperature);
  const Evidence evidence = estimation.evidence();
  const Errors errors = estimation.errors(evidence);
  const double ratio = share_drawn(source, target, options.most_rows);
  if (options.bootstrap > 0) estimation.prepare_replicates();
  const std::vector<Errors> replicates = replicate(estimation, ratio, options);
  const std::size_t wrong = source.n() - evidence.n_correct;
  Estimates result;
  result.inverse_temperature = estimation.inverse_temperature();
  result.source_error = static_cast<double>(wrong) / static_cast<double>(source.n());
  result.source_error_interval = clopper_pearson(wrong, source.n(), options.level);
  if (evidence.profile) result.combined = combined_answer(evidence), result.movement = evidence.movement;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    Estimate estimate{methods[m], errors[m], std::nullopt};
    if (!replicates.empty()) {
      std::vector<double> values;
      for (const Errors& one : replicates) values.push_back(one[m]);
      const Interval drawn = interval_of(std::move(values), errors[m], ratio, options.level);
      const Interval shares =
          sampling_interval(errors[m], target.n(), result.source_error, source.n(), options.level);
      estimate.interval =
          Interval{std::clamp(drawn.low, 0., shares.low), std::clamp(drawn.high, shares.high, 1.)};
    }
    result.estimates.push_back(estimate);
  }
  return result;
}

SourceEstimates::SourceEstimates(const Sample& source) : source_(&source) {
  check(source, source);
  inverse_temperature_ = fit_temperature(source.logits, source.labels).inverse;
  known_ = collect_source(source, {.inverse_temperature = inverse_temperature_, .movement = true});
}

SelfTransport SourceEstimates::self(std::size_t target_rows) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = selves_.find(target_rows); known != selves_.end()) return known->second;
  }
  const SelfTransport found = self_transport(*source_, inverse_temperature_, target_rows);
  const std::lock_guard lock(mutex_);
  return selves_.emplace(target_rows, found).first->second;
}

CombinedAnswer SourceEstimates::answer(const Sample& target, std::span<const std::size_t> target_rows) const {
  if (target_rows.empty()) check(*source_, target);
  Evidence evidence = known_;
  add_target(evidence, *source_, target,
             {.inverse_temperature = inverse_temperature_,
              .transport = true,
              .self = self(target_rows.empty() ? target.n() : target_rows.size()),
              .target_rows = target_rows});
  return combined_answer(evidence);
}

}  // namespace leeway::error_bound
