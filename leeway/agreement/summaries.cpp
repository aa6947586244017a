#include "leeway/agreement/summaries.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "leeway/agreement/detail/pairs.h"
#include "leeway/agreement/detail/posterior.h"
#include "leeway/core/bounded_mean.h"
#include "leeway/core/parallel.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t summaries_chunk_rows = 4096;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct EntropySums {
  std::size_t samples = 0;
  std::array<std::vector<double>, 2> sorted, plain;  // of clean, of shifted

  void add(std::size_t set, std::vector<double>& p) {
    if (plain[set].empty()) plain[set].resize(p.size()), sorted[set].resize(p.size());
    std::ranges::transform(p, plain[set], plain[set].begin(), std::plus<>());
    std::ranges::sort(p, std::greater<>());
    std::ranges::transform(p, sorted[set], sorted[set].begin(), std::plus<>());
  }
};

EntropySums join_entropies(EntropySums a, EntropySums b) {
  if (a.samples == 0) return b;
  if (b.samples == 0) return a;
  for (const std::size_t set : {0, 1}) {
    std::ranges::transform(a.sorted[set], b.sorted[set], a.sorted[set].begin(), std::plus<>());
    std::ranges::transform(a.plain[set], b.plain[set], a.plain[set].begin(), std::plus<>());
  }
  a.samples += b.samples;
  return a;
}

double bits(const std::vector<double>& sums, std::size_t samples) {
  if (samples == 0) return nan;
  double entropy = 0;
  for (const double sum : sums)
    if (const double q = sum / static_cast<double>(samples); q > 0) entropy -= q * std::log2(q);
  return std::max(0., entropy);
}

// Mean and sum of squared deviations: confidences near 1 differ in digits that sums of squares would lose.
struct Spread {
  std::size_t n = 0;
  double mean = 0, squares = 0;

  void add(double x) {
    ++n;
    const double step = x - mean;
    mean += step / static_cast<double>(n);
    squares += step * (x - mean);
  }
};

Spread join_spreads(const Spread& a, const Spread& b) {
  if (a.n == 0) return b;
  if (b.n == 0) return a;
  const double n = static_cast<double>(a.n + b.n), step = b.mean - a.mean;
  const double share = static_cast<double>(b.n) / n;
  return {a.n + b.n, a.mean + step * share,
          a.squares + b.squares + step * step * static_cast<double>(a.n) * share};
}

void append(ConfidenceSummary& summary, double beta, const Spread& spread) {
  const double n = static_cast<double>(spread.n);
  summary.n = spread.n;
  summary.at.push_back(
      {beta, spread.n > 0 ? spread.mean : nan, spread.n > 1 ? std::sqrt(spread.squares / (n - 1) / n) : nan});
}

struct Groups {
  Spread right, moved;
};

enum ResponseGroup : std::uint8_t { stays_right, stays_wrong, changes, no_group };
using RankSums = std::array<std::vector<double>, no_group>;

RankSums join_ranks(RankSums a, const RankSums& b) {
  for (std::size_t g = 0; g < a.size(); ++g) std::ranges::transform(a[g], b[g], a[g].begin(), std::plus<>());
  return a;
}

// Of the group, whose posteriors by rank have these sums.
Response response_of(std::span<const double> confidences, std::span<const ResponseGroup> groups,
                     ResponseGroup group, std::vector<double> sums, double level) {
  std::vector<double> own;
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i] == group) own.push_back(confidences[i]);
  Response response{own.size(), {}, {}, {}};
  if (own.empty()) return response;
  response.confidence = mean_and_error(own).mean;
  response.confidence_interval = bounded_mean_interval(own, 0, 1, level);
  for (double& sum : sums) sum /= static_cast<double>(own.size());
  response.by_rank = std::move(sums);
  return response;
}

}  // namespace

Entropies entropies(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
                    std::span<const double> betas) {
  require_pairs("entropies", clean, shifted, labels, betas);
  const Rows clean_rows(clean), shifted_rows(shifted);
  Entropies result;
  result.right_only = !labels.empty();
  for (const double beta : betas) {
    const EntropySums sums = reduce_chunks<EntropySums>(
        clean.shape[0], summaries_chunk_rows,
        [&](std::size_t begin, std::size_t end) {
          EntropySums s;
          std::vector<double> p(clean.shape[1]);
          for (std::size_t i = begin; i < end; ++i) {
            const std::size_t top = prediction_of(clean_rows, i, beta, p.data()).top;
            if (result.right_only && static_cast<std::int64_t>(top) != labels[i]) continue;
            ++s.samples;
            s.add(0, p);
            prediction_of(shifted_rows, i, beta, p.data());
            s.add(1, p);
          }
          return s;
        },
        join_entropies);
    result.samples = sums.samples;
    result.at.push_back({beta, bits(sums.sorted[0], sums.samples), bits(sums.sorted[1], sums.samples),
                         bits(sums.plain[0], sums.samples), bits(sums.plain[1], sums.samples)});
  }
  return result;
}

Confidences confidences(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
                        std::span<const double> betas) {
  require_pairs("confidences", clean, shifted, labels, betas);
  Confidences result;
  if (!labels.empty()) result.clean_right.emplace();
  for (const double beta : betas) {
    const Groups groups = reduce_chunks<Groups>(
        clean.shape[0], summaries_chunk_rows,
        [&](std::size_t begin, std::size_t end) {
          Groups g;
          for (std::size_t i = begin; i < end; ++i) {
            const Prediction before = prediction_of(clean, i, beta), after = prediction_of(shifted, i, beta);
            if (!labels.empty() && static_cast<std::int64_t>(before.top) == labels[i])
              g.right.add(before.confidence);
            if (before.top != after.top) g.moved.add(after.confidence);
          }
          return g;
        },
        [](const Groups& a, const Groups& b) {
          return Groups{join_spreads(a.right, b.right), join_spreads(a.moved, b.moved)};
        });
    if (result.clean_right) append(*result.clean_right, beta, groups.right);
    append(result.moved, beta, groups.moved);
  }
  return result;
}

Responses responses(const Array& clean, const Array& shifted, std::span<const std::int64_t> labels,
                    double beta, double level, std::size_t ranks) {
  require_pairs("responses", clean, shifted, labels, std::span(&beta, 1));
  const std::size_t n = clean.shape[0], k = clean.shape[1], kept = std::min(ranks, k);
  const Rows clean_rows(clean), shifted_rows(shifted);
  std::vector<ResponseGroup> groups(n, no_group);
  std::vector<double> confidences(n);
  RankSums sums = reduce_chunks<RankSums>(
      n, summaries_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        RankSums s;
        s.fill(std::vector<double>(kept));
        std::vector<double> p(k), after_p(k);
        for (std::size_t i = begin; i < end; ++i) {
          const Prediction before = prediction_of(clean_rows, i, beta, p.data()),
                           after = prediction_of(shifted_rows, i, beta, after_p.data());
          const bool moved = before.top != after.top;
          if (!moved && (labels.empty() || labels[i] < 0)) continue;
          groups[i] = moved                                                ? changes
                      : static_cast<std::int64_t>(before.top) == labels[i] ? stays_right
                                                                           : stays_wrong;
          confidences[i] = std::min(1., (moved ? after : before).confidence);
          std::vector<double>& shown = moved ? after_p : p;
          std::ranges::partial_sort(shown, shown.begin() + static_cast<std::ptrdiff_t>(kept),
                                    std::greater<>());
          for (std::size_t r = 0; r < kept; ++r) s[groups[i]][r] += shown[r];
        }
        return s;
      },
      join_ranks);
  const auto found = [&](ResponseGroup group) {
    return response_of(confidences, groups, group, std::move(sums[group]), level);
  };
  Responses all{beta, {}, {}, {}};
  if (!labels.empty()) all.right = found(stays_right), all.wrong = found(stays_wrong);
  all.moved = found(changes);
  return all;
}

std::optional<Interval> beta_interval(const Array& clean, const Array& shifted, double beta, double level) {
  require_pairs("beta_interval", clean, shifted, {}, std::span(&beta, 1));
  constexpr std::size_t fewest = 20;
  constexpr double step = 1e-3;  // of log beta
  const Pairs pairs(clean, shifted, {}, {"clean", "shifted"});
  if (!(beta > 0 && std::isfinite(beta)) || pairs.facts().disagreeing < fewest) return std::nullopt;
  const std::vector<double> below = pairs.per_row(beta * std::exp(-step)), at = pairs.per_row(beta),
                            above = pairs.per_row(beta * std::exp(step));
  const double n = static_cast<double>(at.size());
  const auto mean = [&](const auto& term) { return sum_of_rows(at.size(), term) / n; };
  const double square = mean([&](std::size_t i) { return std::pow((above[i] - below[i]) / (2 * step), 2); });
  const double curvature =
      mean([&](std::size_t i) { return ((above[i] - at[i]) - (at[i] - below[i])) / (step * step); });
  const double half = normal_quantile(.5 * (1 + level)) * std::sqrt(square / n) / std::abs(curvature);
  if (!std::isfinite(half)) return std::nullopt;
  return Interval{beta * std::exp(-half), beta * std::exp(half)};
}

}  // namespace leeway::agreement
