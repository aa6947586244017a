#include "leeway/error_bound/detail/reference_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/discrepancy_search.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t batch = 256, epochs = 50;
constexpr float step = 3e-3f, decay = 5e-4f, first_decay = .9f, second_decay = .999f, tiny = 1e-8f;

struct AdamW {
  std::vector<float> first, second;
  int steps = 0;

  void update(std::vector<float>& theta, std::span<const float> gradient) {
    ++steps;
    const float unbias1 = 1 - std::pow(first_decay, static_cast<float>(steps)),
                unbias2 = 1 - std::pow(second_decay, static_cast<float>(steps));
    for (std::size_t i = 0; i < theta.size(); ++i) {
      first[i] += (1 - first_decay) * (gradient[i] - first[i]);
      second[i] += (1 - second_decay) * (gradient[i] * gradient[i] - second[i]);
      theta[i] -=
          step * decay * theta[i] + step * first[i] / unbias1 / (std::sqrt(second[i] / unbias2) + tiny);
    }
  }
};

// Rows of one set in the order of an epoch.
std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed, std::uint32_t purpose,
                                  std::uint64_t turn) {
  Random random(seed, purpose, turn);
  return permutation(n, random);
}

}  // namespace

void train_reference(const CriticRows& rows, Loss loss, std::uint64_t seed, std::size_t restart,
                     const std::function<void(std::span<const float>)>& watch) {
  std::vector<float> theta(rows.parameters());
  Random start(seed, stream("critic start"), restart);
  const double size = 1 / std::sqrt(static_cast<double>(rows.d));
  for (std::size_t c = 0; c < rows.k; ++c)
    for (std::size_t j = 0; j <= rows.d; ++j)
      theta[rows.at(j, c)] = static_cast<float>((2 * start.uniform() - 1) * size);
  AdamW adam{std::vector<float>(theta.size()), std::vector<float>(theta.size())};

  const std::size_t longest = std::max(rows.n_source, rows.n_target);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const std::uint64_t turn = restart * epochs + epoch;
    const auto source = shuffled(rows.n_source, seed, stream("critic source batches"), turn);
    const auto target = shuffled(rows.n_target, seed, stream("critic target batches"), turn);
    for (std::size_t begin = 0; begin < longest; begin += batch) {
      const std::size_t end = std::min(longest, begin + batch), count = end - begin;
      CriticRows part(count, count, rows.d, rows.k);
      for (std::size_t i = 0; i < 2 * count; ++i) {
        const std::size_t row = i < count ? source[(begin + i) % rows.n_source]
                                          : rows.n_source + target[(begin + i - count) % rows.n_target];
        for (std::size_t j = 0; j < rows.d; ++j) part.at_row(i, j) = rows.at_row(row, j);
        part.y[i] = rows.y[row];
      }
      const std::vector<float> weights(2 * count, .5f / static_cast<float>(count));
      adam.update(theta, evaluate(part, theta, objective_of(loss), weights).gradient);
    }
    watch(theta);
  }
}

}  // namespace leeway::error_bound
