#include "leeway/average_case/ordering.h"

#include <algorithm>
#include <cmath>

#include "leeway/average_case/kernel.h"
#include "leeway/average_case/normal.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t block = 32;  // columns after which the rest of the matrix is brought up to date
constexpr double least_coefficient = 1e-7;  // of a singular row; below it is rounding

// Limits on the way may be far from where the mass is; weights relative to their value would overflow.
constexpr double least_log_factor = -8;

// Column by column within a block (left-looking), the remaining matrix block by block: each step needs the next
// column alone.
class Elimination {
 public:
  Elimination(const Problem& problem, const CommonFactor* factor)
      : d_(problem.d()),
        upper_(problem.upper),
        a_(problem.correlation),
        variance_(d_, 1.),
        limit_(problem.upper),
        rest_(d_) {
    triangle_.c.assign(d_ * d_, 0);
    for (std::size_t i = 0; i < d_; ++i) rest_[i] = i;
    if (factor == nullptr) return;
    for (std::size_t i = 0; i < d_; ++i) {
      const double l = factor->loadings[i];
      for (std::size_t j = 0; j < d_; ++j) a_[i * d_ + j] -= l * factor->loadings[j];
      variance_[i] -= l * l, limit_[i] -= l * factor->centre;
    }
  }

  Triangle run() {
    while (!rest_.empty()) {
      std::size_t best = rest_.size();
      double lowest = 0;
      for (std::size_t r = 0; r < rest_.size(); ++r) {
        const std::size_t i = rest_[r];
        if (variance_[i] <= singular) continue;
        const double z = limit_[i] / std::sqrt(variance_[i]);
        if (best == rest_.size() || z < lowest) best = r, lowest = z;
      }
      if (best == rest_.size()) break;
      const std::size_t pivot = rest_[best];
      rest_[best] = rest_.back(), rest_.pop_back();
      eliminate(pivot, lowest);
    }
    triangle_.singular_rows = rest_;
    measure_defect();
    return std::move(triangle_);
  }

 private:
  [[nodiscard]] double& c(std::size_t i, std::size_t k) { return triangle_.c[i * d_ + k]; }
  // Of the remaining matrix its lower half is kept.
  [[nodiscard]] double remaining(std::size_t i, std::size_t j) const {
    return a_[std::max(i, j) * d_ + std::min(i, j)];
  }

  void eliminate(std::size_t pivot, double z) {
    const std::size_t column = triangle_.rank++, first = column - column % block;
    const double scale = std::sqrt(variance_[pivot]), mean = -hazard(z);
    triangle_.pivots.push_back(pivot), triangle_.z.push_back(z), triangle_.mean.push_back(mean);
    c(pivot, column) = scale;
    const double* const own = &c(pivot, first);
    for (const std::size_t i : rest_) {
      const double* const other = &c(i, first);
      double value = remaining(i, pivot);
      for (std::size_t k = 0; k < column - first; ++k) value -= own[k] * other[k];
      value /= scale;
      c(i, column) = value;
      variance_[i] -= value * value;
      limit_[i] -= value * mean;
    }
    if (column + 1 - first == block && !rest_.empty()) update(first);
  }

  void update(std::size_t first) {
    columns_.resize(block * d_);
    for (std::size_t k = 0; k < block; ++k)
      for (std::size_t i = 0; i < d_; ++i) columns_[k * d_ + i] = c(i, first + k);
    for (const std::size_t i : rest_)
      kernel::subtract_products(&c(i, first), columns_.data(), d_, block, i + 1, &a_[i * d_]);
  }

  // What remains must be 0.
  void measure_defect() {
    const std::size_t first = triangle_.rank - triangle_.rank % block;
    for (const std::size_t i : rest_) {
      triangle_.defect = std::max(triangle_.defect, -variance_[i]);
      triangle_.blur += std::sqrt(std::max(0., variance_[i])) * (1 + std::abs(upper_[i]));
      for (const std::size_t j : rest_) {
        if (j == i) continue;
        const double left = remaining(i, j) - kernel::dot(&c(i, first), &c(j, first), triangle_.rank - first);
        triangle_.defect = std::max(triangle_.defect, std::abs(left));
      }
    }
  }

  std::size_t d_;
  const std::vector<double>& upper_;
  std::vector<double> a_, variance_, limit_, columns_;  // limit: of the constraint, less what is known
  std::vector<std::size_t> rest_;
  Triangle triangle_;
};

// A constraint on variable `last` given those before.
struct Attached {
  std::size_t constraint, last;
};

void add_row(Integrand& integrand, std::size_t variable, double limit, const double* c, std::size_t offset) {
  const double own = c[variable - offset];
  integrand.rows.push_back({static_cast<std::uint32_t>(variable), own < 0});
  integrand.limits.push_back(limit / own);
  const std::size_t begin = integrand.coefficients.size();
  integrand.coefficients.resize(begin + integrand.variables, 0);
  for (std::size_t k = offset; k < variable; ++k) integrand.coefficients[begin + k] = c[k - offset] / own;
}

}  // namespace

Triangle triangle_of(const Problem& problem, const CommonFactor* factor) {
  return Elimination(problem, factor).run();
}

Integrand integrand_of(const Problem& problem, const Triangle& triangle, const CommonFactor* factor) {
  const std::size_t d = problem.d(), offset = factor != nullptr;
  Integrand integrand;
  integrand.variables = triangle.rank + offset;
  std::vector<Attached> attached;
  for (const std::size_t i : triangle.singular_rows) {
    std::size_t last = triangle.rank - 1;
    while (last > 0 && std::abs(triangle.c[i * d + last]) <= least_coefficient) --last;
    attached.push_back({i, last});
  }
  std::ranges::stable_sort(attached, {}, &Attached::last);
  const auto add = [&](std::size_t i, std::size_t k) {
    add_row(integrand, k + offset, problem.upper[i], &triangle.c[i * d], offset);
    if (factor != nullptr)
      integrand.coefficients[integrand.coefficients.size() - integrand.variables] =
          factor->loadings[i] / triangle.c[i * d + k];
  };
  std::size_t next = 0;
  for (std::size_t k = 0; k < triangle.rank; ++k) {
    const std::size_t i = triangle.pivots[k];
    add(i, k);
    integrand.smallest_scale = std::min(integrand.smallest_scale, triangle.c[i * d + k]);
    for (; next < attached.size() && attached[next].last == k; ++next) add(attached[next].constraint, k);
  }
  integrand.tilt.assign(integrand.variables, 0);
  integrand.reference.assign(integrand.variables, 0);
  integrand.log_factor.assign(integrand.variables, 0);
  for (std::size_t k = 0; k < triangle.rank; ++k) {
    integrand.reference[k + offset] = triangle.mean[k];
    integrand.log_norm += integrand.log_factor[k + offset] =
        std::max(log_cdf(triangle.z[k]), least_log_factor);
  }
  if (factor != nullptr) {
    integrand.factor = true, integrand.centre = factor->centre, integrand.spread = factor->spread;
    constexpr double log_sqrt_two_pi = .9189385332046727;
    integrand.log_norm +=
        std::log(4 * factor->spread) - .5 * factor->centre * factor->centre - log_sqrt_two_pi;
  }
  return integrand;
}

}  // namespace leeway::average_case
