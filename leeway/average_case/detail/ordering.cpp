#include "leeway/average_case/detail/ordering.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/normal.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t block = 32;  // columns after which the rest of the matrix is brought up to date
constexpr double least_coefficient = 1e-7;  // of a singular row; below it is rounding

constexpr double rounding = 2.3e-16;  // of a variance, with every pivot
constexpr double mean_modulus = .8;   // at least that of a standard normal variable
constexpr double no_limit = 1e6;      // deviations

double density(double z) { return .3989422804014327 * std::exp(-.5 * z * z); }

// Limits on the way may be far from where the mass is; weights relative to their value would overflow.
constexpr double least_log_factor = -8;

// Left-looking within a block of columns; the remaining matrix is updated block by block.
class Elimination {
 public:
  Elimination(const Problem& problem, const CommonFactor* factor, bool copies, double floor)
      : d_(problem.d()),
        upper_(problem.upper),
        a_(problem.correlation),
        variance_(d_, 1.),
        limit_(problem.upper),
        rest_(d_),
        copies_(copies),
        floor_(floor) {
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
        if (variance_[i] <= floor_) continue;
        const double z = limit_[i] / std::sqrt(variance_[i]);
        if (best == rest_.size() || z < lowest) best = r, lowest = z;
      }
      if (best == rest_.size()) break;
      const std::size_t pivot = rest_[best];
      rest_[best] = rest_.back(), rest_.pop_back();
      eliminate(pivot, lowest);
      if (copies_) eliminate_copies(triangle_.rank - 1);
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

  // Variables that the pivot of `column` has almost used up, absolutely and relative to what it took. If
  // rounding left more of their products with others than of themselves, they count as singular.
  void eliminate_copies(std::size_t column) {
    for (std::size_t r = 0; r < rest_.size();) {
      const std::size_t i = rest_[r];
      const double taken = c(i, column);
      if (variance_[i] <= singular_copy || variance_[i] > copy_share * copy_share * taken * taken ||
          !consistent(i)) {
        ++r;
        continue;
      }
      rest_.erase(rest_.begin() + static_cast<std::ptrdiff_t>(r));
      eliminate(i, std::numeric_limits<double>::infinity());
    }
  }

  [[nodiscard]] bool consistent(std::size_t i) const {
    const std::size_t first = triangle_.rank - triangle_.rank % block;
    const double* const own = &triangle_.c[i * d_ + first];
    return std::ranges::all_of(rest_, [&](std::size_t j) {
      const double product =
          remaining(i, j) - kernel::dot(own, &triangle_.c[j * d_ + first], triangle_.rank - first);
      return j == i || product * product <= 1.01 * variance_[i] * std::max(variance_[j], singular_copy);
    });
  }

  void eliminate(std::size_t pivot, double z) {
    const std::size_t column = triangle_.rank++, first = column - column % block;
    const bool limited = std::isfinite(z);
    const double scale = std::sqrt(variance_[pivot]), mean = limited ? -hazard(z) : 0;
    triangle_.pivots.push_back(pivot), triangle_.copy.push_back(!limited);
    triangle_.z.push_back(z), triangle_.mean.push_back(mean);
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
      const double variance = std::max(0., variance_[i]) + rounding * static_cast<double>(triangle_.rank + 1);
      triangle_.blur += mean_modulus * std::sqrt(variance) * density(upper_[i]);
      triangle_.relative_blur += std::sqrt(variance) * (1 + std::abs(upper_[i]));
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
  bool copies_;   // near copies follow their original
  double floor_;  // of a conditional variance: below it counts as 0
  Triangle triangle_;
};

// A constraint as a row of the integrand.
struct Row {
  std::size_t constraint = 0, variable = 0;
};

class Assembly {
 public:
  Assembly(const Problem& problem, const Triangle& triangle, const CommonFactor* factor)
      : problem_(problem),
        triangle_(triangle),
        factor_(factor),
        places_(places_of(triangle, factor != nullptr)),
        pivot_at_(places_.size()) {
    for (std::size_t k = 0; k < places_.size(); ++k) pivot_at_[places_[k] - offset()] = k;
  }

  Integrand run() {
    integrand_.variables = triangle_.rank + offset();
    std::vector<Row> attached;
    for (std::size_t k = 0; k < triangle_.rank; ++k)
      if (triangle_.copy[k]) attached.push_back({triangle_.pivots[k], last_variable(triangle_.pivots[k])});
    for (const std::size_t i : triangle_.singular_rows) attached.push_back({i, last_variable(i)});
    std::ranges::stable_sort(attached, {}, &Row::variable);
    auto next = attached.begin();
    for (std::size_t place = offset(); place < integrand_.variables; ++place) {
      const std::size_t k = pivot_at_[place - offset()], i = triangle_.pivots[k];
      if (triangle_.copy[k]) {
        add_no_limit(place);
      } else {
        add({i, place});
        integrand_.smallest_scale = std::min(integrand_.smallest_scale, coefficient(i, place));
        if (triangle_.unparted)
          integrand_.smallest_attached = std::min(integrand_.smallest_attached, coefficient(i, place));
      }
      for (; next != attached.end() && next->variable == place; ++next) {
        add(*next);
        const double own = triangle_.copy[k] ? 1 : coefficient(i, place);
        integrand_.smallest_attached =
            std::min(integrand_.smallest_attached, std::abs(coefficient(next->constraint, place)) / own);
      }
    }
    weigh();
    return std::move(integrand_);
  }

 private:
  [[nodiscard]] std::size_t offset() const { return factor_ != nullptr; }
  [[nodiscard]] double coefficient(std::size_t i, std::size_t place) const {
    return triangle_.c[i * problem_.d() + pivot_at_[place - offset()]];
  }

  [[nodiscard]] std::size_t last_variable(std::size_t i) const {
    std::size_t place = integrand_.variables - 1;
    while (place > offset() && std::abs(coefficient(i, place)) <= least_coefficient) --place;
    return place;
  }

  void add(const Row& row) {
    const double own = coefficient(row.constraint, row.variable);
    integrand_.rows.push_back({static_cast<std::uint32_t>(row.variable), own < 0});
    integrand_.strips |= own < 0;
    integrand_.limits.push_back(problem_.upper[row.constraint] / own);
    double* const coefficients = add_coefficients();
    for (std::size_t place = offset(); place < row.variable; ++place)
      coefficients[place] = coefficient(row.constraint, place) / own;
    if (factor_ != nullptr) coefficients[0] = factor_->loadings[row.constraint] / own;
  }

  void add_no_limit(std::size_t variable) {
    integrand_.rows.push_back({static_cast<std::uint32_t>(variable), false});
    integrand_.limits.push_back(no_limit);
    add_coefficients();
  }

  double* add_coefficients() {
    const std::size_t begin = integrand_.coefficients.size();
    integrand_.coefficients.resize(begin + integrand_.variables, 0);
    return integrand_.coefficients.data() + begin;
  }

  // Weights are 1 where every variable is at its mean on the way.
  void weigh() {
    integrand_.tilt.assign(integrand_.variables, 0);
    integrand_.reference.assign(integrand_.variables, 0);
    integrand_.log_factor.assign(integrand_.variables, 0);
    for (std::size_t k = 0; k < triangle_.rank; ++k) {
      if (triangle_.copy[k]) continue;
      integrand_.reference[places_[k]] = triangle_.mean[k];
      integrand_.log_norm += integrand_.log_factor[places_[k]] =
          std::max(log_cdf(triangle_.z[k]), least_log_factor);
    }
    if (factor_ == nullptr) return;
    integrand_.factor = true, integrand_.centre = factor_->centre, integrand_.spread = factor_->spread;
    integrand_.log_norm +=
        std::log(4 * factor_->spread) - .5 * factor_->centre * factor_->centre - log_sqrt_two_pi;
  }

  const Problem& problem_;
  const Triangle& triangle_;
  const CommonFactor* factor_;
  std::vector<std::size_t> places_, pivot_at_;
  Integrand integrand_;
};

// Deviations, and the matrix scaled by them; rows of no deviation are 0.
struct Scaled {
  std::vector<double> deviation, matrix;
  double defect = 0;
};

Scaled scaled(std::span<const double> gram, std::size_t k) {
  Scaled out{std::vector<double>(k, 0), std::vector<double>(k * k, 0), 0};
  double largest = 0;
  for (std::size_t i = 0; i < k; ++i) {
    out.deviation[i] = std::sqrt(std::max(0., gram[i * k + i]));
    largest = std::max(largest, std::abs(gram[i * k + i]));
  }
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const double a = gram[i * k + j], b = gram[j * k + i], scale = out.deviation[i] * out.deviation[j];
      if (scale > 0) {
        out.matrix[i * k + j] = out.matrix[j * k + i] = .5 * (a + b) / scale;
        out.defect = std::max(out.defect, std::abs(a - b) / scale);
      } else if (a != 0 || b != 0) {
        out.defect = std::max(out.defect, largest > 0 ? std::max(std::abs(a), std::abs(b)) / largest : 1);
      }
    }
  return out;
}

}  // namespace

bool Triangle::any_copy() const { return std::ranges::find(copy, true) != copy.end(); }

Triangle triangle_of(const Problem& problem, const CommonFactor* factor) {
  constexpr double exact = 1e-7;  // a defect that double precision leaves
  Triangle triangle = Elimination(problem, factor, true, singular).run();
  if (triangle.any_copy() && triangle.defect > exact) return unparted_triangle_of(problem, singular, factor);
  return triangle;
}

Triangle unparted_triangle_of(const Problem& problem, double floor, const CommonFactor* factor) {
  Triangle triangle = Elimination(problem, factor, false, floor).run();
  triangle.unparted = true;
  return triangle;
}

std::vector<std::size_t> places_of(const Triangle& triangle, std::size_t offset) {
  std::vector<std::size_t> places(triangle.rank);
  std::size_t next = offset;
  for (const bool first : {true, false})
    for (std::size_t k = 0; k < triangle.rank; ++k)
      if (static_cast<bool>(triangle.copy[k]) == first) places[k] = next++;
  return places;
}

Integrand integrand_of(const Problem& problem, const Triangle& triangle, const CommonFactor* factor) {
  return Assembly(problem, triangle, factor).run();
}

GramFactor gram_factor(std::span<const double> gram, std::size_t k, double tolerance) {
  const Scaled start = scaled(gram, k);
  GramFactor out{0, std::vector<double>(k * k, 0), start.defect};
  std::vector<double> variance(k);
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < k; ++i)
    if ((variance[i] = start.matrix[i * k + i]) > 0) rest.push_back(i);
  const auto left = [&](std::size_t i, std::size_t j) {
    return start.matrix[i * k + j] - kernel::dot(&out.rows[i * k], &out.rows[j * k], out.rank);
  };
  while (!rest.empty()) {
    const auto best = std::ranges::max_element(rest, {}, [&](std::size_t i) { return variance[i]; });
    const std::size_t pivot = *best;
    if (variance[pivot] <= tolerance) break;
    *best = rest.back(), rest.pop_back();
    const double scale = std::sqrt(variance[pivot]);
    for (const std::size_t i : rest) {
      const double value = left(i, pivot) / scale;
      variance[i] -= value * value;
      out.rows[i * k + out.rank] = value;
    }
    out.rows[pivot * k + out.rank++] = scale;
  }
  for (const std::size_t i : rest)
    for (const std::size_t j : rest)
      if (j <= i) out.defect = std::max(out.defect, std::abs(j == i ? variance[i] : left(i, j)));
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t c = 0; c < out.rank; ++c) out.rows[i * k + c] *= start.deviation[i];
  return out;
}

}  // namespace leeway::average_case
