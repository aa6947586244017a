#include "leeway/error_bound/detail/imitation.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t imitation_least_chunk = 512, imitation_most_chunks = 8, imitation_least_rows = 4096,
                      imitation_rows_a_column = 4, all_mixed = 64, few_mixed = 16,
                      imitation_most_columns = 8192, imitation_most_doubles = std::size_t{1} << 26;
constexpr double imitation_ridge = 1e-6, imitation_farthest = 1e18;

std::vector<float> identity(const CriticData& data) {
  std::vector<float> theta(data.training.parameters());
  for (std::size_t c = 0; c < data.training.k; ++c) {
    theta[data.training.at(c, c)] = static_cast<float>(data.scale[c]);
    theta[data.training.at(data.training.d, c)] = static_cast<float>(data.centre[c]);
  }
  return theta;
}

// Row `row` of the logits, less its mean.
void centred(const Rows& logits, std::size_t row, double* to) {
  const std::size_t k = logits.shape()[1];
  double total = 0;
  for (std::size_t c = 0; c < k; ++c)
    total += to[c] = std::clamp(logits.at(row, c), -imitation_farthest, imitation_farthest);
  for (std::size_t c = 0; c < k; ++c) to[c] -= total / static_cast<double>(k);
}

// The normal equations: sums over rows of (x, 1) (x, 1)^T and of (x, 1) logits^T.
struct Normal {
  Dense<double> squares, products;
};

class Regression {
 public:
  Regression(const CriticData& data, const Sample& source, const Sample& target)
      : rows_(data.training), most_(std::max(imitation_least_rows, imitation_rows_a_column * (rows_.d + 1))) {
    add(source.logits, data.source.training, 0);
    add(target.logits, data.target.training, rows_.n_source);
  }

  [[nodiscard]] std::vector<float> solve() const {
    const std::size_t columns = rows_.d + 1;
    const std::size_t chunks = std::clamp<std::size_t>(
        imitation_most_doubles / (columns * (columns + rows_.k)), 1, imitation_most_chunks);
    Normal all = reduce_chunks<Normal>(
        used_.size(), std::max(imitation_least_chunk, used_.size() / chunks + 1),
        [&](std::size_t begin, std::size_t end) { return part(begin, end); },
        [](Normal a, const Normal& b) {
          std::ranges::transform(a.squares.values, b.squares.values, a.squares.values.begin(), std::plus<>{});
          std::ranges::transform(a.products.values, b.products.values, a.products.values.begin(),
                                 std::plus<>{});
          return a;
        });
    double trace = 0;
    for (std::size_t j = 0; j < columns; ++j) trace += all.squares(j, j);
    for (std::size_t j = 0; j < columns; ++j)
      all.squares(j, j) += imitation_ridge * trace / static_cast<double>(columns);
    const Dense<double> solution = solve_symmetric(all.squares, all.products);
    std::vector<float> theta(rows_.parameters());
    for (std::size_t c = 0; c < rows_.k; ++c)
      for (std::size_t j = 0; j <= rows_.d; ++j) theta[rows_.at(j, c)] = static_cast<float>(solution(j, c));
    return theta;
  }

 private:
  struct Used {
    const Rows* logits;
    std::size_t row, training;  // of the logits, of the training rows
  };

  void add(const Rows& logits, const std::vector<std::size_t>& training, std::size_t first) {
    const std::size_t n = training.size(), count = std::min(n, most_);  // evenly spread
    for (std::size_t i = 0; i < count; ++i)
      used_.push_back({&logits, training[i * n / count], first + i * n / count});
  }

  [[nodiscard]] Normal part(std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin, columns = rows_.d + 1, k = rows_.k;
    std::vector<double> x(n * columns), logits(n * k);
    for (std::size_t i = 0; i < n; ++i) {
      const Used& used = used_[begin + i];
      for (std::size_t j = 0; j < columns; ++j) x[i * columns + j] = rows_.at_row(used.training, j);
      centred(*used.logits, used.row, logits.data() + i * k);
    }
    const RowMajor<double> inputs{x.data(), n, columns};
    Normal part{Dense<double>(columns, columns), transposed_times(inputs, {logits.data(), n, k})};
    add_gram(part.squares, inputs);
    return part;
  }

  const CriticRows& rows_;
  std::size_t most_;
  std::vector<Used> used_;
};

}  // namespace

std::vector<float> imitation(const CriticData& data, const Sample& source, const Sample& target,
                             Representation::Kind representation) {
  if (representation == Representation::Kind::logits) return identity(data);
  if (data.training.d > imitation_most_columns) return {};
  return Regression(data, source, target).solve();
}

std::vector<float> neighbour(const CriticRows& rows, std::span<const float> theta, double c, Random& random) {
  const std::size_t k = rows.k, mixed = k <= all_mixed ? k : few_mixed;
  const double size = c / std::sqrt(static_cast<double>(mixed));
  std::vector<float> found(theta.begin(), theta.end());
  for (std::size_t to = 0; to < k; ++to)
    for (std::size_t i = 0; i < mixed; ++i) {
      const std::size_t from = mixed == k ? i : static_cast<std::size_t>(random.below(k));
      const auto weight = static_cast<float>(size * random.normal());
      for (std::size_t j = 0; j <= rows.d; ++j) found[rows.at(j, to)] += weight * theta[rows.at(j, from)];
    }
  return found;
}

}  // namespace leeway::error_bound
