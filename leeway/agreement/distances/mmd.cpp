// MMD^2 = mean Kxx + mean Kyy - 2 mean Kxy, K(x,y) = sum over a in {10,15,20,50} of exp(-|x-y|^2 / (2a)).
// Maximum mean discrepancy (Gretton et al., JMLR 2012), biased estimate (pairs of a row with itself count),
// hence never negative. Kernel and estimate as in Jiménez Rodríguez 2024, section 4.2.2. The widths are
// fixed: features with distances far above 10 cannot be told apart.
#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>

#include "leeway/agreement/distances/detail/family.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

constexpr double kernel_of_equals = 4;

// The four terms are powers 30, 20, 15 and 6 of t = exp(-s/600): one exponential for all.
double kernel(double s) {
  const double t = std::exp(s / -600), t2 = t * t, t3 = t2 * t, t6 = t3 * t3, t15 = t6 * t6 * t3;
  return t15 * t15 + t15 * t3 * t2 + t15 + t6;
}

// |u - v|^2 by the product, or by the difference where the product would lose more than six digits.
double squared_distance(const RowBlock& x, std::size_t i, const RowBlock& y, std::size_t j, double product) {
  const double squares = x.squares(i, y, j), distance = squares - 2 * product;
  return distance > 1e-6 * squares ? distance : x.squared_distance(i, y, j);
}

// Sum of K over row i of `x` in [begin, end) and the rows of `y` from first(i) on.
template <class First>
double kernel_sum(const Matrix& x, std::size_t begin, std::size_t end, const Matrix& y, const First& first,
                  std::span<const double> means) {
  const std::size_t most = RowBlock::rows_of_block(y.columns());
  const std::vector<std::size_t> numbers = all_rows(std::max(x.rows(), y.rows()));
  const auto block_of = [&](const Matrix& matrix, std::size_t from, std::size_t to) {
    return RowBlock(matrix, std::span(numbers).subspan(from, to - from), means);
  };
  const RowBlock rows = block_of(x, begin, end);
  double sum = 0;
  for (std::size_t from = first(begin); from < y.rows(); from += most) {
    const RowBlock others = block_of(y, from, std::min(from + most, y.rows()));
    const std::vector<double> products = rows.products(others);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = std::max(first(begin + i), from) - from; j < others.size(); ++j)
        sum += kernel(squared_distance(rows, i, others, j, products[i * others.size() + j]));
  }
  return sum;
}

// Rows done of the three sums, told by whichever thread is done with some.
class Told {
 public:
  Told(Progress* progress, std::size_t rows) : progress_(progress), rows_(rows) {}
  void add(std::size_t rows) {
    if (progress_ == nullptr) return;
    const std::lock_guard lock(telling_);
    stop_if_asked(progress_, "mmd stopped: nothing was written");
    progress_->update("mmd", done_ += rows, rows_, "");
  }

 private:
  Progress* progress_;
  std::size_t rows_, done_ = 0;
  std::mutex telling_;
};

template <class First>
double kernel_sum(const Matrix& x, const Matrix& y, const First& first, std::span<const double> means,
                  Told& told) {
  constexpr std::size_t chunk = 256;
  const auto sum = [&](std::size_t begin, std::size_t end) {
    const double part = kernel_sum(x, begin, end, y, first, means);
    told.add(end - begin);
    return part;
  };
  return reduce_chunks<double>(x.rows(), chunk, sum, std::plus<>());
}

double mean_within(const Matrix& x, std::span<const double> means, Told& told) {
  const auto n = static_cast<double>(x.rows());
  const double above = kernel_sum(
      x, x, [](std::size_t i) { return i + 1; }, means, told);
  return (2 * above / n + kernel_of_equals) / n;
}

double mmd_distance(const MatrixPair& sets, Progress* progress) {
  const auto& [x, y] = sets;
  Told told(progress, 2 * x.rows() + y.rows());
  const std::vector<double> means = column_means(x);
  const double between = kernel_sum(
                             x, y, [](std::size_t) { return std::size_t{0}; }, means, told) /
                         static_cast<double>(x.rows()) / static_cast<double>(y.rows());
  return std::max(0., mean_within(x, means, told) + mean_within(y, means, told) - 2 * between);
}

}  // namespace

Distance mmd() {
  return {
      {"mmd", "squared maximum mean discrepancy of the features, Gaussian kernels with variances 10 to 50",
       "Gretton et al., JMLR 2012; kernel as in Jiménez Rodríguez 2024, section 4.2.2"},
      Compared::features,
      /*paired=*/false,
      mmd_distance};
}

}  // namespace leeway::agreement
