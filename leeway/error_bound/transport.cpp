#include "leeway/error_bound/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t chunk_rows = 2048, least_rows = 1024, growth = 16;

struct Matrix {
  const double* values;
  std::size_t n, k;
  [[nodiscard]] const double* row(std::size_t i) const { return values + i * k; }
};

// A row that may move, and the column where it stands best.
struct Candidate {
  std::size_t row, best;
};

// Every row in its best column.
struct Assignment {
  std::vector<std::uint32_t> best, second;
  std::vector<float> margin;   // of p - u, between the two
  std::vector<double> excess;  // rows in a column beyond its mass
  double gain = 0;             // sum of p in the best column
  double dual = 0;             // of u, over all rows

  [[nodiscard]] double to_move() const {
    double sum = 0;
    for (const double e : excess) sum += std::max(0., e);
    return sum;
  }
};

struct Sums {
  std::vector<double> counts;
  double gain = 0, value = 0;
};

Assignment assign(const Matrix& p, const std::vector<double>& u, const std::vector<double>& masses) {
  Assignment all;
  all.best.resize(p.n), all.second.resize(p.n), all.margin.resize(p.n);
  const Sums sums = reduce_chunks<Sums>(
      p.n, chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        Sums part;
        part.counts.assign(p.k, 0);
        for (std::size_t i = begin; i < end; ++i) {
          const double* const row = p.row(i);
          double top = -infinity, next = -infinity;
          std::size_t best = 0, second = 0;
          for (std::size_t j = 0; j < p.k; ++j) {
            const double value = row[j] - u[j];
            if (value > top)
              next = top, second = best, top = value, best = j;
            else if (value > next)
              next = value, second = j;
          }
          all.best[i] = static_cast<std::uint32_t>(best), all.second[i] = static_cast<std::uint32_t>(second);
          all.margin[i] = static_cast<float>(top - next);
          ++part.counts[best];
          part.gain += row[best];
          part.value += top;
        }
        return part;
      },
      [](Sums a, const Sums& b) {
        for (std::size_t j = 0; j < a.counts.size(); ++j) a.counts[j] += b.counts[j];
        a.gain += b.gain, a.value += b.value;
        return a;
      });
  all.excess = sums.counts;
  all.gain = sums.gain, all.dual = sums.value;
  for (std::size_t j = 0; j < p.k; ++j) all.excess[j] -= masses[j], all.dual += masses[j] * u[j];
  return all;
}

// About the margin that `count` rows stay below; from every 16th row of many.
double reach_of(const Assignment& assignment, double count) {
  const std::size_t n = assignment.margin.size(), stride = n > 65536 ? 16 : 1;
  const auto rank = static_cast<std::size_t>(count) / stride;
  if (rank + 1 >= n / stride) return infinity;
  std::vector<float> margins;
  for (std::size_t i = 0; i < n; i += stride) margins.push_back(assignment.margin[i]);
  const auto at = margins.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(margins.begin(), at, margins.end());
  return static_cast<double>(*at);
}

// L x = b for a symmetric positive semi-definite L by conjugate gradients; a rough answer will do.
std::vector<double> solve_roughly(const std::vector<double>& l, const std::vector<double>& b) {
  const std::size_t k = b.size();
  std::vector<double> x(k, 0), residual = b, direction = b, product(k);
  const auto dot = [](const std::vector<double>& v, const std::vector<double>& w) {
    return std::inner_product(v.begin(), v.end(), w.begin(), 0.);
  };
  double rest = dot(residual, residual);
  const double start = rest;
  for (std::size_t step = 0; step < std::min<std::size_t>(2 * k, 64) && rest > 1e-12 * start; ++step) {
    for (std::size_t i = 0; i < k; ++i)
      product[i] = std::inner_product(direction.begin(), direction.end(),
                                      l.begin() + static_cast<std::ptrdiff_t>(i * k), 0.);
    const double curvature = dot(direction, product);
    if (!(curvature > 0)) break;
    const double length = rest / curvature;
    for (std::size_t i = 0; i < k; ++i) x[i] += length * direction[i], residual[i] -= length * product[i];
    const double before = rest;
    rest = dot(residual, residual);
    for (std::size_t i = 0; i < k; ++i) direction[i] = residual[i] + rest / before * direction[i];
  }
  return x;
}

// Newton's method on the dual: as u_a rises by t over u_b, the rows that change from a to b are about t times
// the density of rows at the tie between the two.
std::vector<double> newton_step(const Assignment& assignment, double to_move) {
  const std::size_t k = assignment.excess.size();
  const double reach = reach_of(assignment, 4 * to_move + 64);
  std::vector<double> laplacian(k * k, 0);
  if (!(reach > 0) || std::isinf(reach)) return {};
  double diagonal = 0;
  for (std::size_t i = 0; i < assignment.best.size(); ++i) {
    if (static_cast<double>(assignment.margin[i]) > reach) continue;
    const std::size_t a = assignment.best[i], b = assignment.second[i];
    const double density = .5 / reach;
    laplacian[a * k + a] += density, laplacian[b * k + b] += density;
    laplacian[a * k + b] -= density, laplacian[b * k + a] -= density;
    diagonal += 2 * density;
  }
  for (std::size_t j = 0; j < k; ++j) laplacian[j * k + j] += 1e-6 * diagonal / static_cast<double>(k);
  return solve_roughly(laplacian, assignment.excess);
}

// The graph of columns: an edge from a to b is the cheapest candidate that holds mass in a and could move to b.
class Columns {
 public:
  // Rows whose margin is at most `reach` may move.
  Columns(const Matrix& p, std::vector<double>& u, const Assignment& assignment, double reach)
      : p_(p),
        u_(u),
        reach_(reach),
        excess_(assignment.excess),
        start_(u),
        gain_(assignment.gain),
        edges_(p.k) {
    if (p.k <= most_dense) dense_.assign(p.k * p.k, none);
    for (std::size_t i = 0; i < p.n; ++i)
      if (static_cast<double>(assignment.margin[i]) <= reach) candidates_.push_back({i, assignment.best[i]});
    held_.resize(candidates_.size());
    for (std::uint32_t c = 0; c < candidates_.size(); ++c) hold(c, candidates_[c].best, 1);
  }

  // Moves all excess to where mass is missing; false where no path leads there within reach. What rounding leaves
  // over when nothing is missing any more stays where it is.
  bool balance() {
    for (std::size_t source = 0; source < p_.k; ++source)
      while (excess_[source] > tolerance) {
        if (std::ranges::none_of(excess_, missing)) return true;
        if (!shortest_paths(source)) return false;
        push(source);
        ++moves_;
      }
    return true;
  }

  [[nodiscard]] double gain() const { return gain_; }
  [[nodiscard]] std::size_t moves() const { return moves_; }

 private:
  static constexpr double tolerance = 1e-10;  // rows: less is dust that rounding leaves, and never moved
  static bool missing(double excess) { return excess < -tolerance; }
  static constexpr std::size_t most_dense = 256;
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Entry {
    double loss;  // p_ia - p_ib
    std::uint32_t candidate;
    bool operator<(const Entry& other) const {  // of a heap whose top is the least
      return loss != other.loss ? loss > other.loss : candidate > other.candidate;
    }
  };
  struct Edge {
    std::size_t to;
    std::vector<Entry> heap;
  };
  struct Holding {
    std::size_t column;
    double mass;
  };

  Edge& edge(std::size_t from, std::size_t to) {
    std::uint32_t& index =
        dense_.empty() ? sparse_.try_emplace(from * p_.k + to, none).first->second : dense_[from * p_.k + to];
    if (index == none) {
      index = static_cast<std::uint32_t>(edges_[from].size());
      edges_[from].push_back({to, {}});
    }
    return edges_[from][index];
  }

  double& mass_in(std::uint32_t candidate, std::size_t column) {
    for (Holding& holding : held_[candidate])
      if (holding.column == column) return holding.mass;
    held_[candidate].push_back({column, 0});
    return held_[candidate].back().mass;
  }

  // The candidate gains `mass` in the column, from where it may go on.
  void hold(std::uint32_t candidate, std::size_t column, double mass) {
    double& there = mass_in(candidate, column);
    const bool fresh = there <= tolerance;
    there += mass;
    if (!fresh) return;
    const Candidate& c = candidates_[candidate];
    const double* const row = p_.row(c.row);
    const double top = row[c.best] - start_[c.best];
    for (std::size_t to = 0; to < p_.k; ++to) {
      if (to == column || top - (row[to] - start_[to]) > reach_ * (1 + 1e-6)) continue;
      auto& heap = edge(column, to).heap;
      heap.push_back({row[column] - row[to], candidate});
      std::push_heap(heap.begin(), heap.end());
    }
  }

  // The cheapest candidate on an edge that still holds mass at its foot; null where there is none.
  const Entry* top(std::size_t from, Edge& edge) {
    auto& heap = edge.heap;
    while (!heap.empty() && !(mass_in(heap.front().candidate, from) > tolerance)) {
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    return heap.empty() ? nullptr : &heap.front();
  }

  // Dijkstra from `source` to the nearest column that lacks mass; the potentials follow, so that every reduced
  // loss (p - u of the column held minus p - u of another) stays at least 0 and is 0 along the path.
  bool shortest_paths(std::size_t source) {
    const std::size_t k = p_.k;
    distance_.assign(k, infinity);
    from_.assign(k, {0, none});
    done_.assign(k, 0);
    distance_[source] = 0;
    while (true) {
      std::size_t here = k;
      for (std::size_t j = 0; j < k; ++j)
        if (!done_[j] && distance_[j] < infinity && (here == k || distance_[j] < distance_[here])) here = j;
      if (here == k) return false;
      done_[here] = 1;
      if (missing(excess_[here])) {
        const double reached = distance_[here];
        for (std::size_t j = 0; j < k; ++j)
          if (done_[j]) u_[j] += std::max(0., reached - distance_[j]);
        sink_ = here;
        return true;
      }
      for (Edge& edge : edges_[here]) {
        if (done_[edge.to]) continue;
        const Entry* const entry = top(here, edge);
        if (entry == nullptr) continue;
        const double reduced = std::max(0., entry->loss - u_[here] + u_[edge.to]);
        if (distance_[here] + reduced < distance_[edge.to]) {
          distance_[edge.to] = distance_[here] + reduced;
          from_[edge.to] = {here, entry->candidate};
        }
      }
    }
  }

  void push(std::size_t source) {
    double amount = std::min(excess_[source], -excess_[sink_]);
    for (std::size_t j = sink_; j != source; j = from_[j].column)
      amount = std::min(amount, mass_in(from_[j].candidate, from_[j].column));
    for (std::size_t j = sink_; j != source; j = from_[j].column) {
      const auto [column, candidate] = from_[j];
      double& left = mass_in(candidate, column);
      left = left - amount > tolerance ? left - amount : 0;
      const double* const row = p_.row(candidates_[candidate].row);
      gain_ += amount * (row[j] - row[column]);
      hold(candidate, j, amount);
    }
    excess_[source] -= amount, excess_[sink_] += amount;
  }

  struct Step {
    std::size_t column;
    std::uint32_t candidate;
  };

  const Matrix& p_;
  std::vector<double>& u_;
  double reach_;
  std::vector<double> excess_, start_, distance_;
  double gain_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<Holding>> held_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::uint32_t> dense_;
  std::unordered_map<std::size_t, std::uint32_t> sparse_;
  std::vector<Step> from_;
  std::vector<char> done_;
  std::size_t sink_ = 0, moves_ = 0;
};

struct Solution {
  double gain = 0, gap = 0;  // sums over rows
  std::size_t moves = 0;
};

// Improves u until it is optimal for p.
Solution solve(const Matrix& p, const std::vector<double>& fractions, std::vector<double>& u) {
  const double n = static_cast<double>(p.n);
  std::vector<double> masses(p.k);
  for (std::size_t j = 0; j < p.k; ++j) masses[j] = fractions[j] * n;
  Solution solution;
  if (p.n > least_rows) {
    const std::size_t count = std::max(least_rows, p.n / growth);
    std::vector<double> sample(count * p.k);
    for (std::size_t i = 0; i < count; ++i) std::copy_n(p.row(i * p.n / count), p.k, sample.data() + i * p.k);
    solution.moves = solve({sample.data(), count, p.k}, fractions, u).moves;
  }
  Assignment assignment = assign(p, u, masses);
  double to_move = assignment.to_move();
  // Newton's method on the dual, as long as it pays: every row that need not move saves a path.
  double length = 1;
  for (int step = 0; step < 24 && to_move > 64 && length > .01 && p.k <= 1024; ++step) {
    const std::vector<double> change = newton_step(assignment, to_move);
    if (change.empty()) break;
    std::vector<double> moved = u;
    for (std::size_t j = 0; j < p.k; ++j) moved[j] += length * change[j];
    Assignment next = assign(p, moved, masses);
    if (!(next.to_move() < (1 - .3 * length) * to_move)) {
      length /= 2;
      continue;
    }
    u = std::move(moved), assignment = std::move(next), to_move = assignment.to_move();
    length = std::min(1., 2 * length);
  }
  for (double wanted = 8 * to_move + 256;; wanted *= 8) {
    const double reach = reach_of(assignment, wanted);
    std::vector<double> moved = u;
    Columns columns(p, moved, assignment, reach);
    const bool balanced = columns.balance();
    solution.moves += columns.moves();
    if (!balanced && reach < infinity) continue;  // at infinity only rounding is left
    u = std::move(moved);
    assignment = assign(p, u, masses);
    solution.gain = columns.gain();
    solution.gap = std::max(0., assignment.dual - solution.gain);
    if (solution.gap <= 1e-13 * n || reach == infinity) return solution;
  }
}

std::vector<double> normalised(std::span<const double> masses) {
  double sum = 0;
  for (std::size_t j = 0; j < masses.size(); ++j) {
    if (!(masses[j] >= 0) || std::isinf(masses[j]))
      throw Error(
          fmt::format("optimal_transport: masses: expected at least 0, found {} at column {}", masses[j], j));
    sum += masses[j];
  }
  if (!(sum > 0)) throw Error("optimal_transport: masses: expected one above 0, found none");
  std::vector<double> fractions(masses.begin(), masses.end());
  for (double& fraction : fractions) fraction /= sum;
  return fractions;
}

}  // namespace

Transport optimal_transport(std::span<const double> gains, std::size_t k, std::span<const double> masses) {
  if (k == 0 || gains.empty() || gains.size() % k != 0)
    throw Error(fmt::format("optimal_transport: gains: expected rows of {} values, found {} values", k,
                            gains.size()));
  if (masses.size() != k)
    throw Error(fmt::format("optimal_transport: masses: expected {} of them, found {}", k, masses.size()));
  const std::vector<double> fractions = normalised(masses);
  const Matrix p{gains.data(), gains.size() / k, k};
  const double bad = reduce_chunks<double>(
      p.n, chunk_rows,
      [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (std::size_t i = begin * k; i < end * k; ++i) sum += gains[i] - gains[i];
        return sum;
      },
      [](double a, double b) { return a + b; });
  if (bad != 0) {
    const auto at = std::find_if_not(gains.begin(), gains.end(), [](double x) { return std::isfinite(x); });
    const auto index = static_cast<std::size_t>(at - gains.begin());
    throw Error(
        fmt::format("optimal_transport: gains: expected finite numbers, found {} at row {}, column {}", *at,
                    index / k, index % k));
  }
  Transport result;
  result.potentials.assign(k, 0);
  const Solution solution = solve(p, fractions, result.potentials);
  const double n = static_cast<double>(p.n);
  result.cost = 1 - solution.gain / n;
  result.gap = solution.gap / n;
  result.moves = solution.moves;
  const double least = *std::min_element(result.potentials.begin(), result.potentials.end());
  for (double& u : result.potentials) u -= least;
  return result;
}

}  // namespace leeway::error_bound
