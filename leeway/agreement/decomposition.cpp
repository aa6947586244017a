#include "leeway/agreement/decomposition.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/detail/posterior.h"
#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t decomposition_chunk_rows = 512;
enum Group : std::size_t { err, mis, adv, rest, groups };

struct DecompositionSums {
  std::size_t n[groups] = {}, moved = 0;
  double sum[groups] = {}, confidence[groups] = {}, moved_confidence = 0;
};

DecompositionSums join_sums(DecompositionSums a, const DecompositionSums& b) {
  for (std::size_t g = 0; g < groups; ++g)
    a.n[g] += b.n[g], a.sum[g] += b.sum[g], a.confidence[g] += b.confidence[g];
  a.moved += b.moved, a.moved_confidence += b.moved_confidence;
  return a;
}

std::optional<double> weighted_log(double weight, double argument) {
  if (!(argument > 0)) return std::nullopt;
  return weight == 0 ? 0 : weight * std::log(argument);
}

}  // namespace

Decomposition decompose(const Rows& clean, const Rows& shifted, std::span<const std::int64_t> labels,
                        double beta) {
  if (!(beta >= 0)) throw Error(fmt::format("decompose: beta: expected at least 0, found {}", beta));
  const std::vector<double> a = agreement_per_row(clean, shifted, beta);
  const std::size_t n = a.size();
  if (labels.size() != n)
    throw Error(fmt::format("decompose: labels: expected {} labels, found {}", n, labels.size()));
  const DecompositionSums sums = reduce_chunks<DecompositionSums>(
      n, decomposition_chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        DecompositionSums s;
        for (std::size_t i = begin; i < end; ++i) {
          if (labels[i] < 0) continue;  // unknown
          const Prediction before = prediction_of(clean, i, beta), after = prediction_of(shifted, i, beta);
          const bool right = static_cast<std::int64_t>(before.top) == labels[i];
          const bool moved = before.top != after.top;
          const Group g = moved ? (right ? adv : rest) : (right ? err : mis);
          ++s.n[g];
          s.sum[g] += a[i];
          s.confidence[g] += before.confidence;
          if (moved) ++s.moved, s.moved_confidence += after.confidence;
        }
        return s;
      },
      join_sums);

  Decomposition d;
  const double count = static_cast<double>(sums.n[err] + sums.n[mis] + sums.n[adv] + sums.n[rest]);
  d.tau = static_cast<double>(sums.n[err] + sums.n[adv]) / count;
  d.rho = static_cast<double>(sums.n[err] + sums.n[mis]) / count;
  constexpr std::string_view names[groups] = {"err", "mis", "adv", "rest"};
  for (std::size_t g = 0; g < groups; ++g)
    d.groups[g] = {names[g], sums.n[g], sums.sum[g], std::nullopt, std::nullopt};
  for (const Group g : {err, mis}) {
    if (sums.n[g] == 0) continue;
    const double delta = 1 - sums.confidence[g] / static_cast<double>(sums.n[g]);
    const double share = g == err ? d.tau : 1 - d.tau;
    d.groups[g].delta = delta;
    d.groups[g].approximation = weighted_log(count * share * d.rho, 1 - 2 * delta);
  }
  if (sums.moved > 0) {
    const double delta = 1 - sums.moved_confidence / static_cast<double>(sums.moved);
    d.groups[adv].delta = delta;
    d.groups[adv].approximation = weighted_log(count * d.tau * (1 - d.rho), delta);
  }
  return d;
}

}  // namespace leeway::agreement
