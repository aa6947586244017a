#include "leeway/agreement/detail/maximum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "leeway/core/numbers.h"

namespace leeway::agreement {
namespace {

double total(const double (&curvature)[bands]) {
  double sum = 0;
  for (const double c : curvature) sum += c;
  return sum;
}

// (e^{rt} - 1 - rt) / r^2 for either sign of r, r != 0; the series where the difference would cancel.
double growth(double r, double t) {
  const double x = r * t;
  if (std::abs(x) < .1)
    return t * t * (.5 + x * (1. / 6 + x * (1. / 24 + x * (1. / 120 + x * (1. / 720 + x / 5040)))));
  return (std::exp(x) - 1 - x) / (r * r);
}

double growth_slope(double r, double t) { return std::expm1(r * t) / r; }

// What one evaluated point says about its surroundings.
class Side {
 public:
  Side(const Point& point, double largest_spread)
      : m_(point.moments), curved_(point.detail != Detail::slope) {
    for (std::size_t b = 0; b < bands; ++b) {
      if (m_.c1[b] == 0 && m_.c2[b] == 0) continue;
      const double edge = b + 1 < bands && point.beta > 0 ? band_edges[b] / point.beta : infinity;
      bands_[used_++] = {std::min(edge, largest_spread), m_.c1[b], m_.c2[b]};
    }
  }

  // f1 at most, at signed distance t.
  [[nodiscard]] double f1_above(double t) const {
    if (!curved_) return infinity;
    double bound = m_.f1 + m_.d1 * t;
    for (std::size_t i = 0; i < used_; ++i) bound += bands_[i].c1 * growth(bands_[i].spread, std::abs(t));
    return bound;
  }

  // f2 at least, and the slope of that bound, which is convex.
  [[nodiscard]] double f2_below(double t) const {
    double bound = m_.f2 + m_.d2 * t;
    for (std::size_t i = 0; i < used_; ++i) bound += bands_[i].c2 * growth(-bands_[i].spread, std::abs(t));
    return bound;
  }
  [[nodiscard]] double f2_below_slope(double t) const {
    double slope = 0;
    for (std::size_t i = 0; i < used_; ++i)
      slope += bands_[i].c2 * growth_slope(-bands_[i].spread, std::abs(t));
    return m_.d2 + std::copysign(slope, t);
  }

  // f1'' at least, anywhere within distance t.
  [[nodiscard]] double least_curvature(double t) const {
    double least = 0;
    for (std::size_t i = 0; i < used_; ++i) least += bands_[i].c1 * std::exp(-bands_[i].spread * t);
    return least;
  }

 private:
  struct Band {
    double spread, c1, c2;
  };
  const Moments& m_;
  std::array<Band, bands> bands_{};
  std::size_t used_ = 0;
  bool curved_;
};

// Bounds of f1 and f2 on [a, b] from what is known at its ends; t is the distance from a.
class Bracket {
 public:
  Bracket(const Objective& objective, const Point& a, const Point& b)
      : a_(a, objective.spread),
        b_(b, objective.spread),
        width_(b.beta - a.beta),
        start_(a.moments.f1),
        rise_(b.moments.f1 - a.moments.f1),
        least_(std::max(a_.least_curvature(width_), b_.least_curvature(width_))) {}

  [[nodiscard]] double width() const { return width_; }

  [[nodiscard]] double f1_above(double t) const {
    const double s = width_ - t;
    const double chord = start_ + rise_ * (t / width_) - .5 * least_ * t * s;
    return std::min({chord, a_.f1_above(t), b_.f1_above(-s)});
  }

  [[nodiscard]] double above(double t) const {
    return f1_above(t) - std::max(a_.f2_below(t), b_.f2_below(t - width_));
  }

  // Upper bound of A on [t0, t1]: f1 <= chord of its upper bounds, f2 >= tangent of its lower bound.
  [[nodiscard]] double above(double t0, double t1) const {
    const double t = .5 * (t0 + t1), half = t - t0;
    const double from_a = a_.f2_below(t), from_b = b_.f2_below(t - width_);
    const double value = std::max(from_a, from_b);
    const double slope = from_a >= from_b ? a_.f2_below_slope(t) : b_.f2_below_slope(t - width_);
    return std::max(f1_above(t0) - value + slope * half, f1_above(t1) - value - slope * half);
  }

 private:
  Side a_, b_;
  double width_, start_, rise_, least_;
};

// Is A <= target on [t0, t1]? If so, `highest` gets the highest bound met. Visits at most `cells` pieces: a
// bound close to the target would be halved forever.
bool proves(const Bracket& bracket, double t0, double t1, double target, int& cells, double& highest) {
  const double bound = bracket.above(t0, t1);
  if (bound <= target) {
    highest = std::max(highest, bound);
    return true;
  }
  const double middle = .5 * (t0 + t1);
  if (--cells <= 0 || !(t0 < middle && middle < t1) || bracket.above(middle) > target) return false;
  return proves(bracket, t0, middle, target, cells, highest) &&
         proves(bracket, middle, t1, target, cells, highest);
}

class Search {
 public:
  Search(const Objective& objective, double gap, std::size_t max_evaluations)
      : objective_(objective), gap_(gap), budget_(max_evaluations) {
    Moments zero;
    zero.f1 = objective.f1_at_zero, zero.f2 = 2 * objective.log_k;
    zero.d1 = objective.f1_slope_at_zero, zero.d2 = objective.slope_at_zero;
    nodes_.push_back({{0, zero, Detail::slope}, false});
    best_ = std::max(zero.f1 - zero.f2, objective.limit);
    best_beta_ = best_ == objective.limit ? infinity : 0;
    if (best_beta_ == 0) best_square_ = best_ * best_;
  }

  // Newton from `beta` to a local maximum, or until it runs out to 0 or infinity.
  void climb(double beta) {
    std::optional<Point> before;
    Detail detail = Detail::curvature;
    for (int i = 0; i < max_steps && budget_left(); ++i) {
      const Point here = i == 0 ? add_with_companions(beta, detail) : add(beta, detail);
      const double step = next_step(here, before);
      const bool small = std::abs(step) <= step_accuracy * here.beta;
      if (here.curvature() < 0 && small) {
        stationary_.push_back(here);
        if (best_beta_ == here.beta) best_beta_ += step;
        return;
      }
      if (small || here.beta * objective_.spread < 1e-6 || tail_is_proved(here)) return;
      before = here;
      beta = here.beta + step;
      // About to arrive: the next point is likely the last, and its squares will be asked for.
      if (std::abs(step) <= 2e-2 * here.beta) detail = Detail::squares;
    }
  }

  // Adds points until the bound is nowhere above best + gap / 2.
  bool prove() {
    while (true) {
      const std::optional<double> beta = open_point();
      if (!beta) return true;
      if (!budget_left()) return false;
      if (*beta == 0) {
        nodes_.front().point = {0, evaluate(0, Detail::curvature), Detail::curvature};
        continue;
      }
      const double known = best_;
      const std::size_t before = evaluations_;
      const Point here = add(*beta, Detail::curvature);
      if (evaluations_ == before) return false;  // no number lies between the two ends
      if (here.value() > known + gap_ && best_beta_ == here.beta) climb(here.beta);
    }
  }

  [[nodiscard]] Maximum result(bool converged) const {
    Maximum m;
    m.beta = best_beta_, m.value = best_, m.mean_square = best_square_;
    m.converged = converged;
    m.gap = converged ? std::max(0., highest_ - best_) : infinity;
    m.evaluations = evaluations_;
    for (const Node& node : nodes_) m.points.push_back(node.point);
    m.stationary = stationary_;
    if (converged && objective_.limit >= std::max(best_, highest_) - gap_) {
      m.gap = std::max(0., std::max(best_, highest_) - objective_.limit);
      m.beta = infinity, m.value = objective_.limit, m.mean_square.reset();
    }
    return m;
  }

  // The gap when the budget ends before the proof.
  [[nodiscard]] double open_gap() const { return std::max(0., highest_open() - best_); }

 private:
  struct Node {
    Point point;
    bool proved = false;  // A <= best + gap / 2 from here to the next node, or to infinity
  };
  static constexpr int max_steps = 80, most_cells = 4096;
  static constexpr double step_accuracy = 1e-7;

  [[nodiscard]] bool budget_left() const { return evaluations_ < budget_; }

  Moments evaluate(double beta, Detail detail) {
    const Request request{beta, detail};
    return evaluate(std::span(&request, 1)).front();
  }
  std::vector<Moments> evaluate(std::span<const Request> requests) {
    evaluations_ += requests.size();
    return objective_.evaluate(requests);
  }

  // The first time, with all companions in one call.
  Point add_with_companions(double beta, Detail detail) {
    if (!companions_wanted_ || evaluations_ + objective_.companions.size() >= budget_)
      return add(beta, detail);
    companions_wanted_ = false;
    std::vector<Request> requests{{beta, detail}};
    for (const double companion : objective_.companions) requests.push_back({companion, Detail::curvature});
    const std::vector<Moments> moments = evaluate(requests);
    for (std::size_t i = 1; i < requests.size(); ++i)
      insert({requests[i].beta, moments[i], requests[i].detail});
    return insert({beta, moments[0], detail});
  }

  Point add(double beta, Detail detail) {
    const auto there = from(beta);
    if (there != nodes_.end() && there->point.beta == beta && there->point.detail >= detail)
      return there->point;
    return insert({beta, evaluate(beta, detail), detail});
  }

  Point insert(const Point& point) {
    const double beta = point.beta;
    const auto after = from(beta);
    if (after != nodes_.end() && after->point.beta == beta) {
      if (best_beta_ == beta) best_square_ = square_of(point);
      return after->point = point;
    }
    const bool inherited = (after - 1)->proved;
    nodes_.insert(after, {point, inherited});
    if (point.value() > best_) best_ = point.value(), best_beta_ = beta, best_square_ = square_of(point);
    return point;
  }

  // The first node at or after `beta`.
  std::vector<Node>::iterator from(double beta) {
    return std::find_if(nodes_.begin(), nodes_.end(),
                        [&](const Node& node) { return node.point.beta >= beta; });
  }

  static std::optional<double> square_of(const Point& point) {
    return point.detail == Detail::squares ? std::optional(point.moments.squares) : std::nullopt;
  }

  // Newton, or with two points the root of the cubic through A' and A''; doubling where A is not concave.
  [[nodiscard]] static double next_step(const Point& here, const std::optional<Point>& before) {
    const double slope = here.slope(), curvature = here.curvature();
    const double most_up = 3 * here.beta, most_down = -.75 * here.beta;
    if (curvature >= 0) return slope > 0 ? here.beta : slope < 0 ? -.5 * here.beta : 0;
    double step = -slope / curvature;
    if (before && before->curvature() < 0) {
      // Hermite interpolation of A' over [0, w], w the way back to the point before.
      const double w = before->beta - here.beta;
      const double rise = (before->slope() - slope) / w;
      const double third = (3 * rise - 2 * curvature - before->curvature()) / w;
      const double fourth = (curvature + before->curvature() - 2 * rise) / (w * w);
      double root = step;
      for (int i = 0; i < 4; ++i)
        root -= (slope + root * (curvature + root * (third + root * fourth))) /
                (curvature + root * (2 * third + 3 * root * fourth));
      if (std::isfinite(root) && std::abs(root - step) < .5 * std::abs(step)) step = root;
    }
    return std::clamp(step, most_down, most_up);
  }

  // Nothing beyond `last` is better, as f1' <= -gap_mean and f2' only rises, or by the tail bound.
  bool tail_is_proved(const Point& last) {
    const double target = best_ + .5 * gap_;
    if (objective_.gap_mean > 0 && last.moments.d2 >= -objective_.gap_mean && last.value() <= target)
      return true;
    if (!objective_.tail) return false;
    const double bound = objective_.tail(last.beta);
    if (bound > target) return false;
    highest_ = std::max(highest_, bound);
    return true;
  }

  // An upper bound of A everywhere, whatever is proved: by cells of each bracket that is still open.
  [[nodiscard]] double highest_open() const {
    constexpr int cells = 256;
    double highest = highest_;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].proved) continue;
      if (i + 1 == nodes_.size()) {
        highest = std::max(highest, objective_.tail ? objective_.tail(nodes_[i].point.beta) : 0);
        continue;
      }
      const Bracket bracket(objective_, nodes_[i].point, nodes_[i + 1].point);
      for (int j = 0; j < cells; ++j)
        highest =
            std::max(highest, bracket.above(bracket.width() * j / cells, bracket.width() * (j + 1) / cells));
    }
    return std::min(highest, 0.);
  }

  // The next point worth evaluating, or nothing when all is proved. 0 asks for the curvature there.
  std::optional<double> open_point() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      if (node.proved) continue;
      if (i + 1 == nodes_.size()) {
        if (tail_is_proved(node.point)) {
          node.proved = true;
          continue;
        }
        return beyond(node.point);
      }
      const Bracket bracket(objective_, node.point, nodes_[i + 1].point);
      double highest = highest_;
      int cells = most_cells;
      if (proves(bracket, 0, bracket.width(), best_ + .5 * gap_, cells, highest)) {
        highest_ = highest;
        node.proved = true;
        continue;
      }
      return split(i, bracket);
    }
    return std::nullopt;
  }

  [[nodiscard]] double beyond(const Point& last) const {
    if (last.beta == 0) return objective_.start;
    // f2' falls about as 1/beta; the linear rule wants it at -gap_mean.
    const double wanted = objective_.gap_mean > 0 ? 1.1 * last.moments.d2 / -objective_.gap_mean : 4;
    return last.beta * std::clamp(wanted, 1.3, 8.);
  }

  // Where the bound is highest; in the geometric middle of brackets that span orders of magnitude.
  [[nodiscard]] double split(std::size_t i, const Bracket& bracket) const {
    const double a = nodes_[i].point.beta, b = nodes_[i + 1].point.beta;
    if (i == 0 && nodes_[0].point.detail == Detail::slope && b * objective_.spread < .5) return 0;
    if (a > 0 && b > 8 * a) return std::sqrt(a * b);
    constexpr int grid = 32;
    double top = -infinity, where = .5 * bracket.width();
    for (int j = 1; j < grid; ++j) {
      const double t = bracket.width() * j / grid, bound = bracket.above(t);
      if (bound > top) top = bound, where = t;
    }
    return a + std::clamp(where, .1 * bracket.width(), .9 * bracket.width());
  }

  const Objective& objective_;
  double gap_;
  std::size_t budget_, evaluations_ = 0;
  bool companions_wanted_ = true;
  std::vector<Node> nodes_;
  std::vector<Point> stationary_;
  std::optional<double> best_square_;
  double best_ = 0, best_beta_ = 0, highest_ = -infinity;
};

}  // namespace

double Point::curvature() const { return total(moments.c1) - total(moments.c2); }

Maximum maximize(const Objective& objective, double gap, std::size_t max_evaluations) {
  Search search(objective, gap, max_evaluations);
  const bool trivial = objective.tail && objective.tail(0) <= objective.limit + .5 * gap;
  if (!trivial) search.climb(objective.start);
  Maximum found = search.result(search.prove());
  if (!found.converged) found.gap = search.open_gap();
  return found;
}

std::vector<double> points_of_proof(const Objective& objective, const Maximum& found, double gap) {
  // Another set of rows has another A: what is proved far from the maximum is to have some room.
  const double room = .02 * (found.value + objective.log_k);
  std::vector<Point> points = found.points;
  const double best = std::ranges::max_element(points, {}, &Point::value)->beta;
  for (std::size_t i = 1; i + 1 < points.size();) {
    const Point &before = points[i - 1], &after = points[i + 1];
    const bool beside_best = before.beta == best || after.beta == best;
    const double target = found.value + .5 * gap - (beside_best ? 0 : room);
    const Bracket bracket(objective, before, after);
    double highest = -infinity;
    int cells = 1024;
    if (points[i].beta != best && proves(bracket, 0, bracket.width(), target, cells, highest))
      points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
    else
      ++i;
  }
  std::vector<double> betas;
  for (const Point& point : points)
    if (point.beta > 0) betas.push_back(point.beta);
  return betas;
}

}  // namespace leeway::agreement
