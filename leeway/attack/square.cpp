#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <numeric>

#include "leeway/attack/member.h"
#include "leeway/core/random.h"

namespace leeway::attack {
namespace {

struct Window {
  std::size_t top, left, height, width;
};

// body(place in the row, place in the window) for every value of one channel of the window.
template <class Body>
void for_window(const Picture& shape, std::size_t channel, const Window& window, const Body& body) {
  for (std::size_t r = 0; r < window.height; ++r)
    for (std::size_t c = 0; c < window.width; ++c)
      body((channel * shape.height + window.top + r) * shape.width + window.left + c, r * window.width + c);
}

// Share of the pixels that a query changes: p-init, halved after these queries of 10,000.
double share_at(double first, std::size_t query, std::size_t queries) {
  constexpr std::size_t halvings[] = {10, 50, 200, 500, 1000, 2000, 4000, 6000, 8000};
  const std::size_t of_10000 = query * 10000 / queries;
  return std::ldexp(
      first, -static_cast<int>(std::ranges::count_if(halvings, [&](auto last) { return of_10000 > last; })));
}

// A window of about that share of the pixels, anywhere in the picture: a square, or longer where the picture
// is too narrow. l2: sides are odd and at least 3.
Window draw_window(const Picture& shape, double share, Norm norm, Random& random) {
  const auto whole = [&](double length, std::size_t most) {
    auto pixels = static_cast<std::size_t>(std::max(1., std::round(length)));
    if (norm == Norm::l2) pixels = std::max<std::size_t>(pixels, 3) | 1;
    return std::min(pixels, most);
  };
  const auto height = static_cast<double>(shape.height), width = static_cast<double>(shape.width);
  const double area = share * height * width, side = std::sqrt(area);
  Window window{0, 0, whole(side > width ? area / width : side, shape.height),
                whole(side > height ? area / height : side, shape.width)};
  window.top = random.below(shape.height - window.height + 1);
  window.left = random.below(shape.width - window.width + 1);
  return window;
}

float sign(Random& random) { return (random.bits() & 1) != 0 ? 1.f : -1.f; }

// tails[D] = sum of 1 / (m + 1)^2 over m from D to `last`.
std::vector<double> tails(std::size_t last) {
  std::vector<double> tails(last + 2);
  for (std::size_t m = last + 1; m-- > 0;)
    tails[m] = tails[m + 1] + 1 / (static_cast<double>(m + 1) * static_cast<double>(m + 1));
  return tails;
}

// Two pyramids of opposite signs in the halves of a window, along its height or width at random; length 1.
// The value at Chebyshev distance D from the center of a pyramid is tails[D].
std::vector<float> opposite_pyramids(std::size_t height, std::size_t width, Random& random) {
  const bool coin = sign(random) > 0, down = width == 1 || (coin && height > 1);
  const std::size_t length = down ? height : width, across = down ? width : height;
  const auto between = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
  std::vector<float> values(height * width);
  for (const bool second : {false, true}) {
    const std::size_t begin = second ? length / 2 : 0, size = second ? length - length / 2 : length / 2;
    const std::vector<double> of_distance = tails(std::max(size / 2, across / 2));
    for (std::size_t a = 0; a < size; ++a)
      for (std::size_t b = 0; b < across; ++b) {
        const double value = of_distance[std::max(between(a, size / 2), between(b, across / 2))];
        values[down ? (begin + a) * width + b : b * width + begin + a] =
            static_cast<float>(second ? -value : value);
      }
  }
  const auto scale = static_cast<float>(1 / norm_of(values, Norm::l2));
  for (float& value : values) value *= scale;
  return values;
}

// The random moves of rows within their balls.
class Moves {
 public:
  Moves(const Problem& problem, Norm norm, double eps)
      : clean_(problem.clean),
        shape_(problem.picture.channels == 0 ? Picture{1, 1, problem.clean.d} : problem.picture),
        norm_(norm),
        eps_(eps),
        ball_(problem.clean, norm, eps, problem.box) {}

  // Row i at its clean values becomes a start.
  void start(std::size_t i, MutableRow x, Random& random) const {
    norm_ == Norm::linf ? stripes(x, random) : tiles(x, random);
    ball_.project(i, x);
  }

  void propose(std::size_t i, MutableRow x, double share, Random& random) const {
    norm_ == Norm::linf ? shift(x, share, random) : swap_energy(clean_.row(i), x, share, random);
    ball_.project(i, x);
  }

 private:
  // +-eps, equal within each column of a channel
  void stripes(MutableRow x, Random& random) const {
    for (std::size_t channel = 0; channel < shape_.channels; ++channel)
      for (std::size_t column = 0; column < shape_.width; ++column) {
        const auto move = static_cast<float>(eps_) * sign(random);
        for_window(shape_, channel, {0, column, shape_.height, 1},
                   [&](std::size_t place, std::size_t) { x[place] += move; });
      }
  }

  // Opposite pyramids on a grid of tiles, a fifth of the picture each, of random signs
  void tiles(MutableRow x, Random& random) const {
    const std::size_t height = std::max<std::size_t>(1, shape_.height / 5),
                      width = std::max<std::size_t>(1, shape_.width / 5);
    std::vector<float> move(x.size());
    for (std::size_t top = shape_.height % height / 2; top + height <= shape_.height; top += height)
      for (std::size_t left = shape_.width % width / 2; left + width <= shape_.width; left += width) {
        const std::vector<float> pyramids = opposite_pyramids(height, width, random);
        for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
          const float signed_by = sign(random);
          for_window(shape_, channel, {top, left, height, width},
                     [&](std::size_t place, std::size_t at) { move[place] = signed_by * pyramids[at]; });
        }
      }
    const auto scale = static_cast<float>(eps_ / norm_of(move, Norm::l2));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += scale * move[j];
  }

  // +-2 eps, equal within a window of each channel
  void shift(MutableRow x, double share, Random& random) const {
    const Window window = draw_window(shape_, share, norm_, random);
    for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
      const auto move = static_cast<float>(2 * eps_) * sign(random);
      for_window(shape_, channel, window, [&](std::size_t place, std::size_t) { x[place] += move; });
    }
  }

  // The window `to` takes the square length that two windows have and that the ball leaves unused
  void swap_energy(Row clean, MutableRow x, double share, Random& random) const {
    const Window to = draw_window(shape_, share, norm_, random),
                 from = draw_window(shape_, share, norm_, random);
    const std::vector<float> pyramids = opposite_pyramids(to.height, to.width, random);
    std::vector<float> move(x.size()), mixed(pyramids.size());
    for (std::size_t j = 0; j < x.size(); ++j) move[j] = x[j] - clean[j];
    const double length = norm_of(move, Norm::l2), unused = std::max(0., eps_ * eps_ - length * length);
    for (std::size_t channel = 0; channel < shape_.channels; ++channel) {
      double taken = unused / static_cast<double>(shape_.channels);
      const auto take = [&](float& value) {
        taken += static_cast<double>(value) * value;
        value = 0;
      };
      for_window(shape_, channel, to, [&](std::size_t place, std::size_t at) {
        mixed[at] = move[place];
        take(move[place]);
      });
      for_window(shape_, channel, from, [&](std::size_t place, std::size_t) { take(move[place]); });
      const double old = norm_of(mixed, Norm::l2);
      const float scale = old > 0 ? static_cast<float>(1 / old) : 0.f, signed_by = sign(random);
      for (std::size_t at = 0; at < mixed.size(); ++at)
        mixed[at] = signed_by * pyramids[at] + scale * mixed[at];
      const double sum = norm_of(mixed, Norm::l2);
      const auto grown = static_cast<float>(sum > 0 ? std::sqrt(taken) / sum : 0);
      for_window(shape_, channel, to,
                 [&](std::size_t place, std::size_t at) { move[place] = grown * mixed[at]; });
    }
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = clean[j] + move[j];
  }

  const Points& clean_;
  Picture shape_;
  Norm norm_;
  double eps_;
  Ball ball_;
};

// One random search from one start for the rows that `best` has no success of. They leave the search at their first one.
void search(const Problem& problem, const Moves& moves, const AttackOptions& options,
            std::vector<Random>& random, Best& best) {
  const auto queries = static_cast<std::size_t>(options.parameters.at("queries"));
  const auto rows_left = [&](std::span<const std::size_t> rows, const Best& found) {
    std::vector<std::size_t> left;
    std::ranges::copy_if(rows, std::back_inserter(left),
                         [&](std::size_t i) { return found.success()[i] == 0; });
    return left;
  };
  std::vector<std::size_t> rows(problem.clean.n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  auto part = std::make_unique<Part>(problem, rows_left(rows, best));
  Points x = problem.clean;
  Best here;  // of this start
  here.offer(x, {std::vector<double>(x.n, -infinity), std::vector<std::uint8_t>(x.n)});
  for (std::size_t query = 0; query < queries && !part->rows().empty(); ++query) {
    const double share = share_at(options.parameters.at("p-init"), query > 0 ? query - 1 : 0, queries);
    for_rows(part->problem().clean, [&](std::size_t j) {
      const std::size_t i = part->rows()[j];
      if (query == 0) return moves.start(i, x.row(i), random[i]);
      std::ranges::copy(here.points().row(i), x.row(i).begin());
      moves.propose(i, x.row(i), share, random[i]);
    });
    const Points moved = part->points(x);
    here.offer(part->rows(), moved, evaluate(part->problem(), moved));
    std::vector<std::size_t> left = rows_left(part->rows(), here);
    if (left.size() < part->rows().size()) part = std::make_unique<Part>(problem, std::move(left));
  }
  best.offer(here.points(), {here.values(), here.success()});
}

// Random search on the loss L: x' <- project(x + move) is kept if L(x') > L(x) or x' succeeds.
//
//   linf start  random +-eps for every column of every channel
//        move   random +-2 eps for a window W1 of every channel
//   l2   start  a grid of tiles, each a pair of pyramids of opposite signs, scaled to length eps
//        move   with v = x - clean, in every channel: W1 gets u of length l, another window W2 becomes 0,
//               u ~ +-pyramids + v / |v| on W1, l^2 = |v on W1 and W2|^2 + (eps^2 - |v|^2) / channels
//
// Windows are squares of a share p of the pixels, which halves at fixed parts of the queries. A query is a
// forward pass.
//
// Deviations: rows without a shape are pictures one pixel high, where squares become runs of values; windows
// of narrow pictures are rectangles. On linear models of 12 values, 1,000 queries reach the worst case in
// linf; in l2 the search ends at local optima, and 20 restarts of 1,000 queries reach 92% of it.
Attacked run_square(const Problem& problem, const AttackOptions& options) {
  const Moves moves(problem, options.norm, options.eps.value());
  const auto restarts = static_cast<std::size_t>(options.parameters.at("restarts"));
  Best best;
  best.offer(problem.clean, evaluate(problem, problem.clean));
  for (std::size_t restart = 0; restart < restarts; ++restart) {
    std::vector<Random> random;
    random.reserve(problem.clean.n);
    for (const std::uint64_t key : problem.keys)
      random.emplace_back(options.seed, stream("square search") + static_cast<std::uint32_t>(restart), key);
    search(problem, moves, options, random, best);
  }
  return {best.points()};
}

}  // namespace

AttackMember square() {
  return {{{"square",
            "random search over square windows; needs only logits",
            "Andriushchenko et al., Square Attack, ECCV 2020",
            {{"queries", 5000, 1, 1e8, "forward passes per restart", true},
             {"p-init", .8, 0, 1, "share of the pixels that the first queries change"},
             {"restarts", 1, 1, 1e6, "starts per image", true}}},
           /*minimum_norm=*/false,
           {Norm::linf, Norm::l2}},
          /*gradients=*/false,
          run_square,
          /*parts=*/nullptr,
          /*own_loss=*/false,
          /*leaves=*/false,
          /*spares=*/true};
}

}  // namespace leeway::attack
