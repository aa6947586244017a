#include "leeway/average_case/detail/tilting.h"

#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/normal.h"
#include "leeway/core/progress.h"

namespace leeway::average_case {
namespace {

using Vector = std::vector<double>;

class Saddle {
 public:
  // `limited`: the pivots that have a limit, n of them.
  Saddle(const Problem& problem, const Triangle& triangle, const std::vector<std::size_t>& limited)
      : n_(limited.size()), s_(n_ * n_), u_(n_) {
    const std::size_t d = problem.d();
    for (std::size_t j = 0; j < n_; ++j) {
      const std::size_t a = triangle.pivots[limited[j]];
      const double scale = triangle.c[a * d + limited[j]];
      u_[j] = problem.upper[a] / scale;
      for (std::size_t k = 0; k < n_; ++k) {
        const std::size_t b = triangle.pivots[limited[k]];
        s_[j * n_ + k] = problem.correlation[a * d + b] / (scale * triangle.c[b * d + limited[k]]);
      }
    }
  }

  // z at the saddle point.
  Vector solve(const Progress* stop) {
    Vector z = u_;
    evaluate(z);
    for (int step = 0; step < 60 && residual_ > 1e-7; ++step) {
      stop_if_asked(stop);
      const Vector direction = newton_direction();
      Vector start = z;
      const double before = residual_;
      double length = 1;
      for (int halving = 0; halving < 30; ++halving, length *= .5) {
        for (std::size_t j = 0; j < n_; ++j) z[j] = start[j] + length * direction[j];
        evaluate(z);
        if (residual_ < before) break;
      }
      if (!(residual_ < before)) return start;
    }
    return z;
  }

 private:
  // G(z) = z - u - (S - I) H(z), hazards, and g = -H'(z) = H (z + H).
  void evaluate(const Vector& z) {
    h_.resize(n_), g_.resize(n_), value_.resize(n_);
    for (std::size_t j = 0; j < n_; ++j) {
      h_[j] = hazard(z[j]);
      g_[j] = std::clamp(h_[j] * (z[j] + h_[j]), 0., 1.);
    }
    residual_ = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      value_[j] = z[j] - u_[j] + h_[j] - kernel::dot(&s_[j * n_], h_.data(), n_);
      residual_ = std::max(residual_, std::abs(value_[j]));
    }
  }

  // With dh = -g dz = sqrt(g) e: (sqrt(g) S sqrt(g) + 1 - g) e = sqrt(g) G, and dz = (S - I) dh - G.
  [[nodiscard]] Vector newton_direction() const {
    Vector root(n_), e(n_, 0.), r(n_), p(n_), q(n_), scaled(n_);
    for (std::size_t j = 0; j < n_; ++j) root[j] = std::sqrt(g_[j]), r[j] = root[j] * value_[j];
    p = r;
    double square = kernel::dot(r.data(), r.data(), n_);
    const double enough = 1e-6 * square;
    for (std::size_t iteration = 0; iteration < 2 * n_ + 10 && square > enough; ++iteration) {
      for (std::size_t j = 0; j < n_; ++j) scaled[j] = root[j] * p[j];
      for (std::size_t j = 0; j < n_; ++j)
        q[j] = root[j] * kernel::dot(&s_[j * n_], scaled.data(), n_) + (1 - g_[j]) * p[j];
      const double curvature = kernel::dot(p.data(), q.data(), n_);
      if (!(curvature > 0)) break;
      const double length = square / curvature;
      for (std::size_t j = 0; j < n_; ++j) e[j] += length * p[j], r[j] -= length * q[j];
      const double next = kernel::dot(r.data(), r.data(), n_);
      for (std::size_t j = 0; j < n_; ++j) p[j] = r[j] + next / square * p[j];
      square = next;
    }
    for (std::size_t j = 0; j < n_; ++j) scaled[j] = root[j] * e[j];
    for (std::size_t j = 0; j < n_; ++j)
      q[j] = kernel::dot(&s_[j * n_], scaled.data(), n_) - scaled[j] - value_[j];
    return q;
  }

  std::size_t n_;
  Vector s_, u_, h_, g_, value_;
  double residual_ = 0;
};

}  // namespace

Integrand tilted(Integrand integrand, const Problem& problem, const Triangle& triangle,
                 const Progress* stop) {
  const std::size_t d = problem.d();
  std::vector<std::size_t> limited;
  for (std::size_t k = 0; k < triangle.rank; ++k)
    if (!triangle.copy[k]) limited.push_back(k);
  const Vector z = Saddle(problem, triangle, limited).solve(stop);
  const std::vector<std::size_t> places = places_of(triangle, 0);
  Vector& tilt = integrand.tilt;
  std::fill(tilt.begin(), tilt.end(), 0.);
  integrand.log_norm = 0;
  std::size_t left = limited.size();
  for (std::size_t k = triangle.rank; k-- > 0;) {  // its tilt is complete: all rows below have been added
    const double* const row = &triangle.c[triangle.pivots[k] * d];
    const std::size_t place = places[k];
    double own = 0;
    integrand.log_factor[place] = 0;
    if (!triangle.copy[k]) {
      const double z_own = z[--left];
      own = hazard(z_own);
      const double scaled = own / row[k];
      for (std::size_t j = 0; j < k; ++j) tilt[places[j]] -= scaled * row[j];
      integrand.log_factor[place] = log_cdf(z_own);
    }
    integrand.reference[place] = tilt[place] - own;
    integrand.log_norm +=
        integrand.log_factor[place] + tilt[place] * (.5 * tilt[place] - integrand.reference[place]);
  }
  return integrand;
}

}  // namespace leeway::average_case
