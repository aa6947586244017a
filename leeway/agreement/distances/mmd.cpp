// MMD^2 = mean Kxx + mean Kyy - 2 mean Kxy, K(x,y) = sum over a in {10,15,20,50} of exp(-|x-y|^2 / (2a)).
// Maximum mean discrepancy (Gretton et al., JMLR 2012), biased estimate (pairs of a row with itself count),
// hence never negative. Kernel and estimate as in Jiménez Rodríguez 2024, section 4.2.2. The widths are
// fixed: features with distances far above 10 cannot be told apart.
#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <numeric>

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

// Sum of K over row i of `x` in [begin, end) and the rows of `y` from first(i) on.
template <class First>
double kernel_sum(const Matrix& x, std::size_t begin, std::size_t end, const Matrix& y, const First& first) {
  constexpr std::size_t lanes = RowTile::lanes;
  std::vector<std::vector<double>> rows;
  for (std::size_t i = begin; i < end; ++i) rows.push_back(x.row(i));
  std::vector<double> sums(rows.size());
  for (std::size_t tile = first(begin) / lanes * lanes; tile < y.rows(); tile += lanes) {
    std::vector<std::size_t> columns(std::min(lanes, y.rows() - tile));
    std::iota(columns.begin(), columns.end(), tile);
    const RowTile block(y, columns);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const std::size_t start = first(begin + r);
      if (start >= tile + columns.size()) continue;
      const auto squares = block.squared_distances(rows[r]);
      for (std::size_t lane = 0; lane < columns.size(); ++lane)
        if (tile + lane >= start) sums[r] += kernel(squares[lane]);
    }
  }
  return std::accumulate(sums.begin(), sums.end(), 0.);
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
double kernel_sum(const Matrix& x, const Matrix& y, const First& first, Told& told) {
  constexpr std::size_t chunk = 32;
  const auto sum = [&](std::size_t begin, std::size_t end) {
    const double part = kernel_sum(x, begin, end, y, first);
    told.add(end - begin);
    return part;
  };
  return reduce_chunks<double>(x.rows(), chunk, sum, std::plus<>());
}

double mean_within(const Matrix& x, Told& told) {
  const auto n = static_cast<double>(x.rows());
  const double above = kernel_sum(
      x, x, [](std::size_t i) { return i + 1; }, told);
  return (2 * above / n + kernel_of_equals) / n;
}

double mmd_distance(const MatrixPair& sets, Progress* progress) {
  const auto& [x, y] = sets;
  Told told(progress, 2 * x.rows() + y.rows());
  const double between = kernel_sum(
                             x, y, [](std::size_t) { return std::size_t{0}; }, told) /
                         static_cast<double>(x.rows()) / static_cast<double>(y.rows());
  return std::max(0., mean_within(x, told) + mean_within(y, told) - 2 * between);
}

}  // namespace

Distance mmd() {
  return {{"mmd", "squared maximum mean discrepancy of the features, Gaussian kernels of variance 10 to 50",
           "Gretton et al., JMLR 2012; kernel as Jiménez Rodríguez 2024, section 4.2.2"},
          Compared::features,
          /*paired=*/false,
          mmd_distance};
}

}  // namespace leeway::agreement
