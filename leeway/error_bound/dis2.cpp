#include "leeway/error_bound/dis2.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/concentration.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/discrepancy_search.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/detail/lifted_class.h"

namespace leeway::error_bound {
namespace {

constexpr double lowest = -std::numeric_limits<double>::infinity();
constexpr std::size_t many_parameters = std::size_t{1}
                                        << 19;  // restarts one by one: less memory, a quick stop

// A critic on the held-out rows.
struct Measured {
  double discrepancy = lowest, agreement_source = 0, agreement_target = 0;
};

struct Restart {
  Measured best;
  std::array<double, 3> bounds = {lowest, lowest, lowest};  // the largest: Hoeffding, Bernstein, betting
  double training_discrepancy = lowest;                     // of the critic that trains best ...
  double verdict_discrepancy = 0;                           // ... and its D on held-out rows
  std::optional<double> validity_score;
};

class Measuring {
 public:
  Measuring(const Sample& source, const CriticData& data, double delta) : data_(data), delta_(delta) {
    const auto right = [&](std::span<const std::size_t> rows, std::span<const std::int32_t> y) {
      std::vector<std::uint8_t> is(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) is[i] = source.labels[rows[i]] == y[i];
      return is;
    };
    right_holdout_ = right(data.source.holdout, data.holdout.y);
    right_training_ = right(data.source.training, data.training.y);
  }

  void add(const FoundCritic& critic, Restart& restart) const {
    add(critic.agreed, agreeing_rows(data_.holdout, critic.theta, data_.holdout.n()), restart);
  }

  // The critic that predicts what h predicts.
  void add_classifier(Restart& restart) const {
    add(std::vector<std::uint8_t>(data_.training.n(), 1), std::vector<std::uint8_t>(data_.holdout.n(), 1),
        restart);
  }

  [[nodiscard]] double source_error() const {
    const auto right = std::accumulate(right_holdout_.begin(), right_holdout_.end(), std::size_t{0});
    return 1 - static_cast<double>(right) / static_cast<double>(right_holdout_.size());
  }

  // Share of held-out source rows on which the critic agrees.
  [[nodiscard]] double source_agreement(std::span<const float> theta) const {
    return static_cast<double>(
               std::ranges::count(agreeing_rows(data_.holdout, theta, data_.holdout.n_source), 1)) /
           static_cast<double>(data_.holdout.n_source);
  }

 private:
  template <class SomeRows>
  static Counts count(const SomeRows& rows, std::span<const std::uint8_t> right,
                      std::span<const std::uint8_t> agreed) {
    Counts counts{rows.n_source, rows.n_target};
    for (std::size_t i = 0; i < rows.n_source; ++i) {
      counts.wrong_agreed += !right[i] && agreed[i];
      counts.right_disagreed += right[i] && !agreed[i];
    }
    for (std::size_t i = rows.n_source; i < rows.n(); ++i) counts.target_disagreed += !agreed[i];
    return counts;
  }

  void add(const std::vector<std::uint8_t>& training, const std::vector<std::uint8_t>& holdout,
           Restart& restart) const {
    const Agreement agreed = agreement_of(data_.holdout.n_source, holdout);
    const double found = discrepancy(agreed, data_.holdout);
    if (found > restart.best.discrepancy)
      restart.best = {found, static_cast<double>(agreed.source) / static_cast<double>(data_.holdout.n_source),
                      static_cast<double>(agreed.target) / static_cast<double>(data_.holdout.n_target)};
    const double trained = discrepancy(agreement_of(data_.training.n_source, training), data_.training);
    if (trained > restart.training_discrepancy)
      restart.training_discrepancy = trained, restart.verdict_discrepancy = found;
    const Counts counts = count(data_.holdout, right_holdout_, holdout);
    const double bounds[] = {hoeffding_bound(counts, delta_), empirical_bernstein_bound(counts, delta_),
                             betting_bound(counts, count(data_.training, right_training_, training), delta_)};
    for (std::size_t i = 0; i < restart.bounds.size(); ++i)
      restart.bounds[i] = std::max(restart.bounds[i], bounds[i]);
  }

  const CriticData& data_;
  double delta_;
  std::vector<std::uint8_t> right_holdout_, right_training_;
};

void check(const Dis2Options& options) {
  if (!(options.delta > 0 && options.delta < 1))
    refuse("delta", "a probability between 0 and 1", fmt::format("{}", options.delta));
  if (!(options.holdout >= 0 && options.holdout < 1))
    refuse("holdout", "a share of at least 0 and below 1", fmt::format("{}", options.holdout));
  if (options.restarts < 1) refuse("restarts", "1 or more", "0");
  if (options.representation.kernel && options.search == Search::reference)
    refuse("representation", "linear critics, because the papers' recipe trains only these",
           "kernel critics");
}

// Constant critics: the class whose share shrinks most from source to target, by the training rows.
std::vector<float> best_constant(const CriticRows& rows) {
  std::vector<float> theta(rows.parameters());
  theta[rows.at(rows.d, classes_by_fall(rows).front())] = 1;
  return theta;
}

// Runs `one(r)` for every restart and reports each as it ends.
std::vector<Restart> run_restarts(const Dis2Options& options, const CriticRows& rows, std::mutex& reporting,
                                  const std::function<Restart(std::size_t)>& one) {
  std::vector<Restart> restarts(options.restarts);
  std::size_t done = 0;
  double best = lowest;
  const auto run = [&](std::size_t r) {
    restarts[r] = one(r);
    const std::lock_guard lock(reporting);
    best = std::max(best, restarts[r].best.discrepancy);
    if (!options.progress) return;
    options.progress->update(options.representation.kernel ? "kernel critics" : "critics", ++done,
                             options.restarts, fmt::format("discrepancy {:.3f}", best));
    if (options.progress->stop_requested() && done < options.restarts)
      throw Interrupted("stopped between critics; nothing was saved");
  };
  if (rows.parameters() < many_parameters)
    parallel_for(options.restarts, run);
  else
    for (std::size_t r = 0; r < options.restarts; ++r) run(r);
  return restarts;
}

std::vector<Restart> search_maximum(const CriticData& data, const Measuring& measuring,
                                    std::vector<float> imitation, const Dis2Options& options) {
  std::vector<double> agreements;
  std::mutex reporting;  // Progress hears one thread at a time
  const DiscrepancySearch search(
      data.training, data.centre, data.scale, options.loss, options.seed,
      [&](std::span<const float> theta) {
        agreements.push_back(measuring.source_agreement(theta));
        if (options.progress == nullptr) return;
        options.progress->update("surrogate", std::min(agreements.size(), plain_iterations), plain_iterations,
                                 fmt::format("source agreement {:.3f}", agreements.back()));
        stop_if_asked(options.progress, "stopped before critics; nothing was saved");
      },
      std::move(imitation));
  return run_restarts(options, data.training, reporting, [&](std::size_t r) {
    Restart restart;
    if (!agreements.empty()) restart.validity_score = validity_score(agreements);
    search.restart(r, [&](const FoundCritic& critic) {
      measuring.add(critic, restart);
      const std::lock_guard lock(reporting);
      stop_if_asked(options.progress, "stopped between critics; nothing was saved");
    });
    if (r > 0) return restart;
    measuring.add(found_critic(data.training, best_constant(data.training)), restart);
    if (options.representation.kind == Representation::Kind::logits) measuring.add_classifier(restart);
    return restart;
  });
}

std::vector<Restart> search_reference(const CriticData& data, const Measuring& measuring,
                                      const Dis2Options& options) {
  std::mutex reporting;
  return run_restarts(options, data.training, reporting, [&](std::size_t r) {
    Restart restart;
    std::vector<double> agreements;
    train_reference(data.training, options.loss, options.seed, r, [&](std::span<const float> theta) {
      measuring.add(found_critic(data.training, {theta.begin(), theta.end()}), restart);
      agreements.push_back(measuring.source_agreement(theta));
    });
    restart.validity_score = validity_score(agreements);
    return restart;
  });
}

Verdict verdict(const Sample& target, const CriticData& data, const Dis2& result, double found,
                double delta) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < result.n_target; ++i)
    wrong += target.labels[data.target.holdout[i]] != data.holdout.y[result.n_source + i];
  const double n_source = static_cast<double>(result.n_source),
               n_target = static_cast<double>(result.n_target);
  Verdict verdict;
  verdict.target_error = static_cast<double>(wrong) / n_target;
  verdict.threshold = result.source_error + found -
                      std::sqrt(2 * (n_source + n_target) * -std::log(delta) / (n_source * n_target));
  verdict.holds = verdict.target_error <= verdict.threshold;
  return verdict;
}

}  // namespace

double validity_score(std::span<const double> agreements) {
  double last = 0, best = 0, path = 0, path_to_best = 0;
  for (const double agreement : agreements) {
    path += std::abs(agreement - last);  // the path starts at 0, hence with a_1
    if (agreement > best) best = agreement, path_to_best = path;
    last = agreement;
  }
  return path_to_best > 0 ? best / path_to_best : 0;
}

Assumption dis2_assumption(std::string_view name) {
  const bool kernel = name.starts_with("kernel:");
  if (kernel) name.remove_prefix(7);
  const std::string columns =
      name.starts_with("pca:")
          ? fmt::format("leading {} principal components of the features", name.substr(4))
          : std::string(name);
  return {fmt::format("the true labels' disagreement with the classifier grows from source to target by at "
                      "most the discrepancy of the {} critics found on the {}",
                      kernel ? "linear and kernel" : "linear", columns),
          fmt::format("no {} critic on the {} approximates the true labels, as under an attack, or if "
                      "features were trained to hide the shift",
                      kernel ? "linear or kernel" : "linear", columns)};
}

std::string critic_warning(const Dis2& dis2) {
  if (dis2.agreement_source >= least_source_agreement) return "";
  return fmt::format(
      "The critic behind the bound agrees with the classifier on {:.1f}% of the held-out source rows, less "
      "than {:g}%: larger discrepancies may have been missed, and the bound may be too low.",
      100 * dis2.agreement_source, 100 * least_source_agreement);
}

Dis2 dis2_bound(const Sample& source, const Sample& target, const Dis2Options& options) {
  check(source, target);
  check(options);
  const bool maximum = options.search == Search::maximum;
  std::vector<Restart> restarts;
  const auto search = [&](const CriticData& data, const Measuring& measuring, const Dis2Options& chosen) {
    for (Restart& one :
         maximum ? search_maximum(data, measuring,
                                  imitation(data, source, target, chosen.representation.kind), chosen)
                 : search_reference(data, measuring, chosen))
      restarts.push_back(one);
  };
  if (options.representation.kernel) {
    Dis2Options linear = options;
    linear.representation.kernel = false;
    const CriticData data = critic_data(source, target, linear, Scaling::standard);
    search(data, Measuring(source, data, options.delta), linear);
  }
  const CriticData data = critic_data(source, target, options, maximum ? Scaling::standard : Scaling::none);
  const Measuring measuring(source, data, options.delta);
  search(data, measuring, options);

  Dis2 result;
  result.n_source = data.holdout.n_source, result.n_target = data.holdout.n_target;
  result.training_source = data.training.n_source, result.training_target = data.training.n_target;
  result.source_error = measuring.source_error();
  Restart all = restarts.front();
  for (const Restart& restart : restarts) {
    result.restarts.push_back(restart.best.discrepancy);
    if (restart.best.discrepancy > all.best.discrepancy) all.best = restart.best;
    if (restart.training_discrepancy > all.training_discrepancy)
      all.training_discrepancy = restart.training_discrepancy,
      all.verdict_discrepancy = restart.verdict_discrepancy;
    for (std::size_t i = 0; i < all.bounds.size(); ++i)
      all.bounds[i] = std::max(all.bounds[i], restart.bounds[i]);
    if (restart.validity_score) all.validity_score = std::min(all.validity_score, restart.validity_score);
  }
  result.discrepancy = all.best.discrepancy;
  result.agreement_source = all.best.agreement_source, result.agreement_target = all.best.agreement_target;
  result.concentration = hoeffding_term(result.n_source, result.n_target, options.delta);
  const double sum = result.source_error + result.discrepancy;
  result.bound = std::clamp(sum + result.concentration, 0., 1.);
  result.estimate = std::clamp(sum, 0., 1.);
  if (all.validity_score)
    result.validity_score =
        *all.validity_score * std::clamp(result.agreement_source / least_source_agreement, 0., 1.);
  for (std::size_t i = 0; i < all.bounds.size(); ++i)
    result.concentrations.push_back(
        {concentration_names[i], all.bounds[i] - sum, std::clamp(all.bounds[i], 0., 1.)});
  if (!target.labels.empty() && options.holdout > 0)
    result.corollary = verdict(target, data, result, all.verdict_discrepancy, options.delta);
  return result;
}

}  // namespace leeway::error_bound
