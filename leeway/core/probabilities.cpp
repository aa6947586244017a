#include "leeway/core/probabilities.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"

namespace leeway {
namespace {

constexpr double tolerance = 1e-3;
constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

std::size_t chunk_rows(std::size_t k) { return std::max<std::size_t>(1, (std::size_t{1} << 15) / k); }

bool is_probability(double p) { return p >= 0 && p <= 1 + tolerance; }

template <class T>
bool is_distribution(std::span<const T> row) {
  double sum = 0;
  bool sound = true;
  for (const T p : row) {
    sum += static_cast<double>(p);
    sound = sound && is_probability(static_cast<double>(p));
  }
  return sound && std::abs(sum - 1) <= tolerance;
}

template <class T>
[[noreturn]] void refuse_row(std::span<const T> row, std::size_t index, std::string_view where) {
  double sum = 0;
  for (std::size_t j = row.size(); j-- > 0;) {  // of one score, 1 - p is the first
    const auto p = static_cast<double>(row[j]);
    if (!is_probability(p))
      refuse(where, p > 1.5 && p <= 100 ? "probabilities, not percentages" : "probabilities in [0,1]",
             fmt::format("{:.6g} at row {}, class {}", p, index, j));
    sum += p;
  }
  refuse(where, "probabilities that sum to 1", fmt::format("a sum of {:.6g} at row {}", sum, index));
}

// Whether all entries are multiples of 10^-decimals within [0,1], and all sums within what rounding them permits.
template <class T>
bool are_rounded(std::span<const T> probs, std::size_t k, int decimals) {
  constexpr double most_off = .1, slack = 1e-6;
  const double unit = std::pow(10., -decimals),
               allowed = std::min(most_off, static_cast<double>(k) * unit / 2) + slack;
  double sum = 0;
  for (std::size_t i = 0; i < probs.size(); ++i) {
    const auto p = static_cast<double>(probs[i]);
    if (!(p >= 0 && p <= 1) || std::abs(p / unit - std::round(p / unit)) > slack / unit) return false;
    sum = i % k == 0 ? p : sum + p;
    if (i % k == k - 1 && std::abs(sum - 1) > allowed) return false;
  }
  return !probs.empty();
}

// Decimals that all entries are rounded to; 0: they are not.
template <class T>
int rounded_to(std::span<const T> probs, std::size_t k) {
  for (const int decimals : {2, 3, 4})
    if (are_rounded(probs, k, decimals)) return decimals;
  return 0;
}

struct Shares {
  Array rows;  // float64, divided by their sums
  double least_sum = 1, most_sum = 1;
};

template <class T>
Shares divided_by_sums(std::span<const T> probs, const std::vector<std::size_t>& shape) {
  std::vector<double> values(probs.begin(), probs.end());
  Shares shares;
  for (std::size_t begin = 0; begin < values.size(); begin += shape[1]) {
    const std::span<double> row(values.data() + begin, shape[1]);
    const double sum = std::accumulate(row.begin(), row.end(), 0.);
    shares.least_sum = std::min(shares.least_sum, sum), shares.most_sum = std::max(shares.most_sum, sum);
    for (double& p : row) p /= sum;
  }
  shares.rows = make_array(shape, std::move(values));
  return shares;
}

struct Part {
  std::size_t first_bad = none, zeros = 0;
};

template <class T>
LogProbabilities logarithms(std::span<const T> probs, const Array& array, std::string_view where) {
  const std::size_t n = array.shape[0], k = array.shape[1];
  const auto block = allocate_bytes(probs.size() * sizeof(double), where);
  auto* logs = reinterpret_cast<double*>(block.get());
  const auto map = [&](std::size_t begin, std::size_t end) {
    Part part;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = probs.subspan(i * k, k);
      if (!is_distribution(row)) return Part{i, 0};
      for (std::size_t j = 0; j < k; ++j) {
        part.zeros += row[j] == 0 ? 1 : 0;
        logs[i * k + j] = std::max(log_of_zero, std::log(static_cast<double>(row[j])));
      }
    }
    return part;
  };
  const auto join = [](const Part& a, const Part& b) {
    return Part{std::min(a.first_bad, b.first_bad), a.zeros + b.zeros};
  };
  const Part whole = reduce_chunks<Part>(n, chunk_rows(k), map, join);
  if (whole.first_bad == none) return {{ElementType::f64, array.shape, block, {}}, whole.zeros};
  const int decimals = rounded_to(probs, k);
  if (decimals == 0) refuse_row(probs.subspan(whole.first_bad * k, k), whole.first_bad, where);
  const Shares shares = divided_by_sums(probs, array.shape);
  LogProbabilities result = logarithms(shares.rows.view<double>(), shares.rows, where);
  result.decimals = decimals, result.least_sum = shares.least_sum, result.most_sum = shares.most_sum;
  return result;
}

struct ProbabilityRows {
  std::size_t distributions = 0,
              others = 0;  // others: of finite numbers; from the first on, a chunk is not read
};

template <class T>
bool all_distributions(std::span<const T> scores, std::size_t n, std::size_t k) {
  constexpr std::size_t first = 16;
  const auto count = [&](std::size_t begin, std::size_t end) {
    ProbabilityRows rows;
    for (std::size_t i = begin; i < end && rows.others == 0; ++i) {
      const auto row = scores.subspan(i * k, k);
      if (is_distribution(row))
        ++rows.distributions;
      else if (std::ranges::all_of(row, [](T value) { return std::isfinite(value); }))
        ++rows.others;
    }
    return rows;
  };
  if (count(0, std::min(n, first)).others > 0) return false;
  const ProbabilityRows rows =
      reduce_chunks<ProbabilityRows>(n, chunk_rows(k), count, [](ProbabilityRows a, ProbabilityRows b) {
        return ProbabilityRows{a.distributions + b.distributions, a.others + b.others};
      });
  return rows.others == 0 && rows.distributions > 0;
}

}  // namespace

bool are_probabilities(const Array& scores) {
  const std::size_t n = scores.shape[0], k = scores.shape[1];
  return scores.type == ElementType::f32 ? all_distributions(scores.view<float>(), n, k)
                                         : all_distributions(scores.view<double>(), n, k);
}

bool are_rounded_probabilities(const Array& scores) {
  const std::size_t k = scores.shape[1];
  return (scores.type == ElementType::f32 ? rounded_to(scores.view<float>(), k)
                                          : rounded_to(scores.view<double>(), k)) > 0;
}

void refuse_percentages(const Array& scores, std::string_view where) {
  if (scores.shape[0] == 0) return;
  const std::vector<std::size_t> first{0};
  const std::vector<double> row = to_f64(Rows(scores).take(first), where);
  if (!(std::abs(std::accumulate(row.begin(), row.end(), -100.)) <= 1)) return;
  std::vector<double> shares = to_f64(scores, where);
  for (double& share : shares) share /= 100;
  const Array divided = make_array(scores.shape, std::move(shares));
  if (are_probabilities(divided) || are_rounded_probabilities(divided))
    refuse(where, "probabilities or logits (divide percentages by 100; --as logits reads them as logits)",
           "rows that sum to 100");
}

LogProbabilities log_probabilities(const Array& probs, std::string_view where) {
  if (probs.type == ElementType::f32) return logarithms(probs.view<float>(), probs, where);
  return logarithms(probs.view<double>(), probs, where);
}

}  // namespace leeway
