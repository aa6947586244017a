// How often the certified errors (99%) of the multivariate normal distribution function hold, by simulation.
//
//   mvn_cdf_coverage DRAWS [RANK [D [SEED [POINTS]]]]
//
// CSV on stdout, one line for each kind of bounds, conditioning, rank and number of variables. Variable i is
// a_i t + s_i w_g, the groups g in turn, t and w_1, w_2, ... standard normal: of rank 1 + groups. Given t,
// each w_g lies in an interval, so that p is an integral over t, which long double evaluates here between the
// corners of every group.
//   conditioning  good: (a_i, s_i) of any direction
//                 bad: s_i smaller, an eigenvalue down to 1e-10
//   bounds        random: b_i = shift + 1.5 normal, a shift from 0 to 4 for each draw
//                 opposite: half of the variables are near the negative of another variable, with nearly
//                 opposite bounds; 1 in 20 pairs contradicts
// Samples end at POINTS, by default 2^14. Columns: `outside`, draws whose probability or logarithm is further off than
// certified; `unsettled`, draws where the reference's error bound exceeds the certified error; `converged`,
// draws within the default tolerances; `milliseconds`, mean time of a call. Environment variable SHOW: print
// misses.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/core/numbers.h"
#include "leeway/core/random.h"

namespace {

using Long = long double;
using leeway::Random;

struct Row {
  Long a = 0, s = 0, bound = 0;
  std::size_t group = 0;
};
struct Draw {
  std::size_t groups = 0;
  std::vector<Row> rows;
};

Draw drawn(bool opposite, bool bad, std::size_t rank, std::size_t d, std::uint64_t seed,
           std::uint64_t number) {
  Random random(seed, leeway::stream("mvn-cdf coverage"), number);
  Draw draw{rank - 1, std::vector<Row>(d)};
  const double shift = 4 * random.uniform();
  const std::size_t step = std::max<std::size_t>(1, draw.groups);
  for (std::size_t i = 0; i < d; ++i) {
    Row& row = draw.rows[i];
    row.group = i % step;
    row.bound = shift + 1.5 * random.normal();
    row.a = random.normal(), row.s = draw.groups == 0 ? 0 : random.normal();
    if (bad)  // eigenvalues above 1e-12 of the largest
      row.s = std::copysign(std::max<Long>(std::abs(row.s), .5), row.s) *
              std::pow(10., -5. * static_cast<double>(row.group + 1) / static_cast<double>(draw.groups));
    Long length = std::hypot(row.a, row.s);
    if (opposite && i / step % 2 == 1) {
      const Row& other = draw.rows[i - step];
      const Long apart = random.uniform() < .5 ? 0 : std::pow(10.L, -2 - 3 * random.uniform());
      row.a = -other.a + apart * row.a / length, row.s = -other.s + apart * row.s / length;
      const double room = std::pow(10., -9 * random.uniform());
      row.bound = -other.bound + (random.uniform() < .05 ? -room : room);
      length = apart > 0 ? std::hypot(row.a, row.s) : 1;
    }
    const auto on_grid = [](Long x) { return std::nearbyint(std::ldexp(x, 26)) / (1 << 26); };
    row.a = on_grid(row.a / length), row.s = on_grid(row.s / length);
    row.bound = static_cast<double>(row.bound);
  }
  return draw;
}

Long upper_tail(Long z) { return .5L * std::erfc(z / std::numbers::sqrt2_v<Long>); }

Long between(Long low, Long high) {
  const Long width = high - low, middle = (low + high) / 2;
  if (!(width > 0)) return 0;
  if (width * (1 + std::abs(middle)) < 1e-4L)
    return width * std::exp(-middle * middle / 2) / std::sqrt(2 * std::numbers::pi_v<Long>) *
           (1 + (middle * middle - 1) * width * width / 24);
  return low > 0 ? upper_tail(low) - upper_tail(high) : upper_tail(-high) - upper_tail(-low);
}

constexpr Long smallest = 1e-700L;  // what this program can tell from 0
constexpr std::size_t most_splits = 3000;

class Exact {
 public:
  explicit Exact(const Draw& draw) : draw_(draw), low_(draw.groups), high_(draw.groups) {}

  Long probability() {
    Long from = -leeway::infinity, to = leeway::infinity;
    const auto bound = [&](Long slope, Long limit) {  // slope t <= limit
      if (slope > 0) to = std::min(to, limit / slope);
      if (slope < 0) from = std::max(from, limit / slope);
      if (slope == 0 && limit < 0) to = -leeway::infinity;
    };
    for (const Row& p : draw_.rows)
      if (p.s == 0)
        bound(p.a, p.bound);
      else if (p.s > 0)
        for (const Row& q : draw_.rows)  // p's upper limit is not below q's lower one
          if (q.s < 0 && q.group == p.group)
            bound(Long(p.a) / p.s - Long(q.a) / q.s, Long(p.bound) / p.s - Long(q.bound) / q.s);
    if (draw_.groups == 0) return between(from, to);
    if (!(from < to)) return 0;
    from = std::max<Long>(from, -60), to = std::min<Long>(to, 60);
    if (!(from < to)) return smallest;
    std::vector<Long> ends = {from, to};
    const auto mark = [&](Long t) {
      if (t > from && t < to) ends.push_back(t);
    };
    for (int i = 1; i < 240; ++i) mark(-60 + i * .5L);
    for (const Long share : {1e-6L, 1e-4L, 1e-2L, .1L, .5L})
      mark(from + share * (to - from)), mark(to - share * (to - from));
    for (const Row& row : draw_.rows)
      for (const Long w : {-12, -6, -3, -1, 0, 1, 3, 6, 12})
        if (row.a != 0) mark((row.bound - row.s * w) / row.a);
    for (const Row& p : draw_.rows)  // corners, where another limit takes over
      for (const Row& q : draw_.rows)
        if (&q < &p && q.group == p.group && (q.s > 0) == (p.s > 0)) {
          const Long t = (Long(p.bound) / p.s - Long(q.bound) / q.s) / (Long(p.a) / p.s - Long(q.a) / q.s);
          const Long limit = (p.bound - p.a * t) / p.s;
          if (t > from && t < to && std::ranges::none_of(draw_.rows, [&](const Row& other) {
                return other.group == p.group && (other.s > 0) == (p.s > 0) &&
                       (other.bound - other.a * t - other.s * limit) < -1e-12L;
              }))
            mark(t);
        }
    std::ranges::sort(ends);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) size_ += rule(ends[i], ends[i + 1]);
    Long sum = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i)
      sum += refined(ends[i], ends[i + 1], rule(ends[i], ends[i + 1]), 0);
    return std::max(sum, smallest);
  }

  // Bound on the absolute error: what the last halvings changed.
  [[nodiscard]] Long error() const { return error_; }

 private:
  Long at(Long t) {
    std::ranges::fill(low_, -leeway::infinity), std::ranges::fill(high_, leeway::infinity);
    for (const Row& row : draw_.rows) {
      const Long limit = (row.bound - row.a * t) / row.s;
      if (row.s > 0) high_[row.group] = std::min(high_[row.group], limit);
      if (row.s < 0) low_[row.group] = std::max(low_[row.group], limit);
    }
    Long product = std::exp(-t * t / 2) / std::sqrt(2 * std::numbers::pi_v<Long>);
    for (std::size_t g = 0; g < draw_.groups && product > 0; ++g) product *= between(low_[g], high_[g]);
    return product > smallest * smallest ? product : 0;  // subnormal numbers are noise and slow
  }

  Long rule(Long from, Long to) {  // Gauss's of 8 points
    constexpr Long nodes[] = {.18343464249564980494L, .52553240991632898582L, .79666647741362673959L,
                              .96028985649753623168L};
    constexpr Long weights[] = {.36268378337836198297L, .31370664587788728734L, .22238103445337447054L,
                                .10122853629037625915L};
    const Long centre = (from + to) / 2, half = (to - from) / 2;
    Long sum = 0;
    for (int i = 0; i < 4; ++i)
      sum += weights[i] * (at(centre - half * nodes[i]) + at(centre + half * nodes[i]));
    return half * sum;
  }

  Long refined(Long from, Long to, Long whole, int depth) {
    const Long middle = (from + to) / 2, left = rule(from, middle), right = rule(middle, to);
    const Long change = std::abs(left + right - whole);
    const Long tolerance = std::max({1e-13L * size_, 1e-12L * whole, smallest});
    if (change <= tolerance || depth > 30 || ++splits_ > most_splits) {
      error_ += change;
      return left + right;
    }
    return refined(from, middle, left, depth + 1) + refined(middle, to, right, depth + 1);
  }

  const Draw& draw_;
  std::vector<Long> low_, high_;
  Long size_ = 0, error_ = 0;
  std::size_t splits_ = 0;
};

void simulate(bool opposite, bool bad, std::size_t rank, std::size_t d, std::size_t draws, std::uint64_t seed,
              std::size_t points) {
  std::size_t outside = 0, converged = 0, unsettled = 0;
  double seconds = 0;
  for (std::size_t number = 0; number < draws; ++number) {
    const Draw draw = drawn(opposite, bad, rank, d, seed, number);
    std::vector<double> upper(d), covariance(d * d);
    for (std::size_t i = 0; i < d; ++i) {
      const Row& p = draw.rows[i];
      upper[i] = static_cast<double>(p.bound);
      for (std::size_t j = 0; j < d; ++j) {
        const Row& q = draw.rows[j];
        covariance[i * d + j] = static_cast<double>(p.a * q.a + (p.group == q.group ? p.s * q.s : 0));
      }
    }
    Exact reference(draw);
    const Long exact = reference.probability(), unsure = reference.error();
    const auto start = std::chrono::steady_clock::now();
    const auto found =
        leeway::average_case::mvn_cdf(upper, covariance, {.max_points = points, .sample = number});
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    converged += found.converged;
    const Long off = std::abs(found.probability - exact) - 1e-12L * exact - unsure - 1e-300L;
    Long log_off = std::abs(found.log_probability - std::log(exact));
    if (exact > 0) log_off -= std::min<Long>(unsure / exact, 1);
    unsettled += unsure > found.error + 1e-12L * exact;
    if (found.log_probability == -leeway::infinity) log_off = exact == 0 ? 0 : leeway::infinity;
    if (exact == smallest && found.log_probability < std::log(smallest)) log_off = 0;
    const bool bad_one = !(off <= found.error && log_off <= found.log_error + 1e-12L);  // NaN is one
    outside += bad_one;
    if (bad_one && std::getenv("SHOW") != nullptr)
      fmt::print(stderr, "{} {} {} {} #{}: {} {} within {} {}, {} points, {}; exact {} {}\n", opposite, bad,
                 rank, d, number, found.probability, found.log_probability, found.error, found.log_error,
                 found.points, name_of(found.method), static_cast<double>(exact),
                 static_cast<double>(std::log(exact)));
  }
  fmt::print("{},{},{},{},{},{},{},{},{:.3g}\n", opposite ? "opposite" : "random", bad ? "bad" : "good", rank,
             d, draws, outside, unsettled, converged, 1e3 * seconds / static_cast<double>(draws));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: mvn_cdf_coverage DRAWS [RANK [D [SEED [POINTS]]]]\n");
    return 2;
  }
  const auto argument = [&](int i) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : std::size_t{0};
  };
  const std::size_t draws = argument(1), only_rank = argument(2), only_d = argument(3), seed = argument(4),
                    points = argc > 5 ? argument(5) : 1 << 14;
  fmt::print("bounds,conditioning,rank,d,draws,outside,unsettled,converged,milliseconds\n");
  for (const std::size_t rank : {1, 2, 3, 4, 6, 10})
    for (const std::size_t d :
         {std::max<std::size_t>(2, rank), std::size_t{rank < 10 ? 10U : 30U}, std::size_t{100}})
      for (const bool opposite : {false, true})
        for (const bool bad : {false, true})
          if (!(bad && rank == 1) && (only_rank == 0 || only_rank == rank) && (only_d == 0 || only_d == d))
            simulate(opposite, bad, rank, d, draws, seed, points);
  return 0;
}
