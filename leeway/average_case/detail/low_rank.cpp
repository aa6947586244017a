#include "leeway/average_case/detail/low_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "leeway/average_case/detail/log_concave.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/core/numbers.h"

namespace leeway::average_case {
namespace {

using Vec3 = std::array<double, 3>;  // 0 beyond the dimension
using Point = std::array<double, 2>;

constexpr double left_by_rounding = 1e-15;  // of a variance, and a hundredth of it for each variable
constexpr double rounding_of_rows = 2e-15;  // of a row of L, over the deviation of a pivot
constexpr double reach = 9.5;               // from the centre, along each axis
constexpr double extent = 17;               // of faces, beyond the diagonal of a box of that reach
constexpr double parallel = 1e-12;          // sine of an angle below which planes have the same direction
constexpr double coincident = 1e-15;        // distance within which a vertex lies on a plane
constexpr double polytope_log_two_pi = 1.8378770664093453;

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

struct HalfSpace {
  Vec3 normal{};
  double limit = 0;  // normal . x <= limit
};

// Unit vectors that are normal to n, itself a unit vector.
std::array<Vec3, 2> frame_of(const Vec3& n, std::size_t dimension) {
  if (dimension < 3) return {Vec3{-n[1], n[0], 0}, Vec3{}};
  Vec3 first{};
  const auto least = std::ranges::min_element(n, {}, [](double x) { return std::abs(x); }) - n.begin();
  const auto at = static_cast<std::size_t>(least);
  const double length = std::sqrt((1 - n[at]) * (1 + n[at]));
  for (std::size_t k = 0; k < 3; ++k) first[k] = (static_cast<double>(k == at) - n[at] * n[k]) / length;
  return {first, Vec3{n[1] * first[2] - n[2] * first[1], n[2] * first[0] - n[0] * first[2],
                      n[0] * first[1] - n[1] * first[0]}};
}

// The half space's intersection with a plane, in the plane's frame.
HalfSpace within_plane(const HalfSpace& one, const HalfSpace& plane, const std::array<Vec3, 2>& frame) {
  return {{dot(one.normal, frame[0]), dot(one.normal, frame[1]), 0},
          one.limit - dot(one.normal, plane.normal) * plane.limit};
}

// The point of the set nearest to the origin; none where the set is empty. If the nearest point of the first
// i half spaces violates the next one, the nearest point of i + 1 lies on its plane. Normals have length 1 or
// 0.
std::optional<Vec3> nearest_point(std::span<const HalfSpace> all, std::size_t dimension) {
  Vec3 x{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const HalfSpace& plane = all[i];
    if (dot(plane.normal, x) <= plane.limit + coincident * (1 + std::abs(plane.limit))) continue;
    if (dot(plane.normal, plane.normal) < .5) return std::nullopt;
    const auto frame = frame_of(plane.normal, dimension);
    std::vector<HalfSpace> inside(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i));
    for (HalfSpace& one : inside) {
      one = within_plane(one, plane, frame);
      const double length = std::sqrt(dot(one.normal, one.normal)),
                   scale = length > parallel ? 1 / length : 0;
      for (double& component : one.normal) component *= scale;
      if (scale > 0) one.limit *= scale;
    }
    const auto y = nearest_point(inside, dimension - 1);
    if (!y) return std::nullopt;
    for (std::size_t k = 0; k < 3; ++k)
      x[k] = plane.limit * plane.normal[k] + (*y)[0] * frame[0][k] + (*y)[1] * frame[1][k];
  }
  return x;
}

// log of the integral of exp(-a x - x^2 / 2) from low to high.
double log_interval(double low, double high, double a) {
  const double width = high - low, middle = .5 * (low + high), slope = a + middle;
  if (!(width > 0)) return -infinity;
  if (width * (1 + std::abs(slope)) < .2) {  // a difference of tails would cancel: Gauss's rule of 4 points
    constexpr double nodes[] = {.8611363115940526, .3399810435848563};
    constexpr double weights[] = {.1739274225687269, .3260725774312731};
    double mean = 0;
    for (int i = 0; i < 2; ++i) {
      const double s = .5 * width * nodes[i];
      mean += 2 * weights[i] * std::cosh(slope * s) * std::exp(-.5 * s * s);
    }
    return std::log(width * mean) - (a + .5 * middle) * middle;
  }
  if (slope < 0) return log_interval(-high, -low, -a);
  constexpr double log_root = .5 * polytope_log_two_pi;
  const double from = low + a, to = high + a;
  if (from < 0) return log_root + .5 * a * a + std::log1p(-cdf(from) - cdf(-to));
  return log_root - (a + .5 * low) * low +
         std::log(scaled_tail(from) - std::exp(-width * slope) * scaled_tail(to));
}

// Keeps the part of a convex polygon (vertices in order) with a . v <= limit.
void clip(std::vector<Point>& polygon, std::vector<Point>& scratch, const Vec3& a, double limit) {
  const auto beyond = [&](const Point& v) { return a[0] * v[0] + a[1] * v[1] - limit; };
  if (std::ranges::all_of(polygon, [&](const Point& v) { return beyond(v) <= 0; })) return;
  scratch.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &p = polygon[i], &q = polygon[i + 1 < polygon.size() ? i + 1 : 0];
    const double at_p = beyond(p), at_q = beyond(q);
    if (at_p <= 0) scratch.push_back(p);
    if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) {
      const double share = at_p / (at_p - at_q);
      scratch.push_back({p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])});
    }
  }
  polygon.swap(scratch);
}

std::vector<Point> square(double half) {
  return {{-half, -half}, {half, -half}, {half, half}, {-half, half}};
}

// Mass of {x: all half spaces} under exp(-centre . x - |x|^2 / 2), within the box of that reach.
class Polytope {
 public:
  Polytope(std::vector<HalfSpace> all, const Vec3& centre, const Progress* stop)
      : all_(std::move(all)), centre_(centre), stop_(stop) {}

  LogIntegral mass(std::size_t rank) {
    if (rank == 1) {
      double low = -reach, high = reach;
      for (const auto& [normal, limit] : all_)
        (normal[0] > 0 ? high : low) = normal[0] > 0 ? std::min(high, limit) : std::max(low, -limit);
      return {log_interval(low, high, centre_[0]), 0};
    }
    if (rank == 2) {
      polygon_ = square(reach);
      for (const auto& [normal, limit] : all_) clip(polygon_, scratch_, normal, limit);
      return polygon_mass(centre_[0], centre_[1], 1e-10);
    }
    std::size_t halvings = 2000;
    LogIntegral whole =
        integrate_log_concave([this](double t) { return log_section(t); }, vertices(), 1e-8, stop_, halvings);
    whole.relative_error += worst_section_;
    return whole;
  }

 private:
  // Of polygon_, by sections along its first axis.
  LogIntegral polygon_mass(double a, double b, double tolerance) {
    ends_.clear();
    for (const Point& v : polygon_) ends_.push_back(v[0]);
    std::ranges::sort(ends_);
    return integrate_log_concave(
        [&](double t) {
          double low = infinity, high = -infinity;
          for (std::size_t i = 0; i < polygon_.size(); ++i) {
            const Point &p = polygon_[i], &q = polygon_[i + 1 < polygon_.size() ? i + 1 : 0];
            if ((p[0] < t && q[0] < t) || (p[0] > t && q[0] > t) || p[0] == q[0]) continue;
            const double at = p[1] + (t - p[0]) / (q[0] - p[0]) * (q[1] - p[1]);
            low = std::min(low, at), high = std::max(high, at);
          }
          return log_interval(low, high, b) - (a + .5 * t) * t;
        },
        ends_, tolerance, stop_, halvings_);
  }

  // Of the section at t of the first axis.
  double log_section(double t) {
    polygon_ = square(reach);
    for (const auto& [n, limit] : all_)
      if (!polygon_.empty()) clip(polygon_, scratch_, {n[1], n[2], 0}, limit - n[0] * t);
    const auto [log_value, relative_error] = polygon_mass(centre_[1], centre_[2], 1e-9);
    worst_section_ = std::max(worst_section_, relative_error);
    return log_value - (centre_[0] + .5 * t) * t;
  }

  // First coordinates of all vertices in the box, in rising order: those of each face are those of a polygon.
  std::vector<double> vertices() {
    std::vector<HalfSpace> planes = all_;
    for (std::size_t k = 0; k < 3; ++k)
      for (const double sign : {-1., 1.}) {
        planes.push_back({{}, reach});
        planes.back().normal[k] = sign;
      }
    std::vector<double> found;
    for (const HalfSpace& plane : planes) {
      if (!(std::abs(plane.limit) < extent)) continue;
      const auto frame = frame_of(plane.normal, 3);
      polygon_ = square(extent);
      for (const HalfSpace& other : planes) {
        const auto [normal, limit] = within_plane(other, plane, frame);
        if (dot(normal, normal) < parallel * parallel && limit > -parallel) continue;
        clip(polygon_, scratch_, normal, limit + coincident);
        if (polygon_.empty()) break;
      }
      for (const Point& v : polygon_)
        found.push_back(plane.limit * plane.normal[0] + v[0] * frame[0][0] + v[1] * frame[1][0]);
    }
    std::ranges::sort(found);
    std::vector<double> apart;
    for (const double at : found)
      if (apart.empty() || at - apart.back() > 1e-9 * (found.back() - found.front())) apart.push_back(at);
    if (apart.size() > 1) apart.back() = found.back();
    return apart;
  }

  std::vector<HalfSpace> all_;
  Vec3 centre_;
  const Progress* stop_;
  std::vector<Point> polygon_, scratch_;
  std::vector<double> ends_;
  double worst_section_ = 0;
  std::size_t halvings_ = 200'000;  // of all sections: rounding can keep every one from its tolerance
};

// Bound on the error of constraint i where the mass is: rounding of its row of L, and the variance left out.
double slack_of(const Problem& problem, const LowRank& matrix, const Vec3& centre, double deviations,
                std::size_t i) {
  double sum = std::abs(problem.upper[i]);
  for (std::size_t k = 0; k < matrix.rank; ++k) sum += (std::abs(centre[k]) + 4) / matrix.scale[k];
  return rounding_of_rows * sum + deviations * std::sqrt(matrix.left[i]);
}

struct Mass {
  bool empty = false;
  Vec3 centre{};
  Quadrature log{};
};

// The mass with every bound lowered by its slack times `lowered`.
Mass mass_of(const Problem& problem, const LowRank& matrix, const Vec3& around, double lowered,
             const Progress* stop) {
  const std::size_t d = problem.d();
  std::vector<HalfSpace> all(d);
  std::vector<double> slack(d);
  for (std::size_t i = 0; i < d; ++i) {
    slack[i] = slack_of(problem, matrix, around, 6, i);
    all[i] = {matrix.rows[i], problem.upper[i] - lowered * slack[i]};
  }
  std::vector<HalfSpace> loose = all;
  for (std::size_t i = 0; i < d; ++i) loose[i].limit += slack[i];
  std::ranges::stable_sort(loose, {}, &HalfSpace::limit);
  const auto centre = nearest_point(loose, matrix.rank);
  if (!centre) return {.empty = true};
  for (HalfSpace& one : all) one.limit -= dot(one.normal, *centre);
  const auto [log_value, error] = Polytope(std::move(all), *centre, stop).mass(matrix.rank);
  const double norm = .5 * (dot(*centre, *centre) + static_cast<double>(matrix.rank) * polytope_log_two_pi);
  return {false, *centre, {log_value - norm, error + 1e-12 + 1e-15 * norm}};
}

}  // namespace

std::optional<LowRank> low_rank_of(const Problem& problem) {
  const std::size_t d = problem.d();
  const std::vector<double>& r = problem.correlation;
  LowRank found{0, std::vector<Vec3>(d), std::vector<double>(d, 1)};
  auto& [rank, rows, left, scale] = found;
  double negligible = 0;
  for (;; ++rank) {
    const auto top = std::ranges::max_element(left);
    if (*top <= largest_defect) {  // is it more than rounding?
      double breach = 0;
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
          const double product = std::sqrt(std::max(0., left[i]) * std::max(0., left[j]));
          breach =
              std::max(breach, i == j ? -left[i] : std::abs(r[i * d + j] - dot(rows[i], rows[j])) - product);
        }
      if (breach > largest_defect) return std::nullopt;
      negligible = std::max(left_by_rounding * (1 + .01 * static_cast<double>(d)), 4 * breach);
      if (*top <= negligible) break;
    }
    if (rank == 3) {
      if (*top <= singular) break;
      return std::nullopt;
    }
    const auto pivot = static_cast<std::size_t>(top - left.begin());
    scale[rank] = std::sqrt(*top);
    const Vec3 own = rows[pivot];
    for (std::size_t i = 0; i < d; ++i) {
      rows[i][rank] = i == pivot ? scale[rank] : (r[i * d + pivot] - dot(rows[i], own)) / scale[rank];
      left[i] = i == pivot ? 0 : left[i] - rows[i][rank] * rows[i][rank];
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    if (left[i] <= negligible) left[i] = 0;
    const double length = std::sqrt(dot(rows[i], rows[i]));
    for (double& x : rows[i]) x /= length;
  }
  return found;
}

Quadrature low_rank_probability(const Problem& problem, const LowRank& matrix, const MvnOptions& options) {
  const Mass found = mass_of(problem, matrix, {}, 0, options.stop);
  const bool exact = std::ranges::all_of(matrix.left, [](double v) { return v == 0; });
  if (found.empty && exact) return {-infinity, 0};
  const auto [log_value, error] = found.log;
  const bool nothing = found.empty || !(log_value > -infinity);
  const auto slack = [&](double log_of_mass) {  // P(between b and b - e): at most the mean of |e| x density
    double share = 0;
    for (std::size_t i = 0; i < problem.d(); ++i)
      share += slack_of(problem, matrix, found.centre, .8, i) * .4 *
               std::exp(-.5 * problem.upper[i] * problem.upper[i] - log_of_mass);
    return share;
  };
  if (nothing) return {std::log(slack(0)), 1};
  double share = slack(log_value);
  if (share > .1 * std::min(options.log_tolerance, options.tolerance / std::exp(log_value))) {
    // log p is concave in the bounds: raised, they change it by no more than lowered.
    const Mass lower = mass_of(problem, matrix, found.centre, 1, options.stop);
    const double change = std::expm1(log_value - lower.log.log_value + lower.log.relative_error);
    // Beyond that, parts that are left out may reach further than six deviations.
    if (!lower.empty && change < 1) share = std::min(share, change);
  }
  if (!(share < infinity)) return {std::log(slack(0)), 1};  // rounding hides the mass
  return {log_value, error + share};
}

}  // namespace leeway::average_case
