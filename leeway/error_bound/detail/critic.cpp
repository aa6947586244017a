#include "leeway/error_bound/detail/critic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/critic_kernel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t critic_chunk_products = std::size_t{1} << 19, critic_most_chunks = 16,
                      critic_most_floats = std::size_t{1} << 26;  // of all gradients

// Chunks are whole blocks, and few: each holds a gradient.
std::size_t critic_chunk_rows(const CriticRows& rows) {
  const std::size_t most =
      std::clamp<std::size_t>(critic_most_floats / rows.parameters(), 2, critic_most_chunks);
  const std::size_t chunk = std::max(critic_chunk_products / rows.parameters(), (rows.n() + most - 1) / most);
  return std::max<std::size_t>(1, (chunk + critic_block_rows - 1) / critic_block_rows) * critic_block_rows;
}

CriticBlock block_of(const CriticRows& rows, std::size_t begin, std::size_t end) {
  const std::size_t source = rows.n_source > begin ? std::min(end, rows.n_source) - begin : 0;
  return {rows.x.data() + begin * rows.width, rows.y.data() + begin, end - begin, rows.width, rows.k, source};
}

// Scores of a critic, block by block. If three of four of its numbers are 0, only the others count.
class Scorer {
 public:
  Scorer(const CriticRows& rows, std::span<const float> theta, std::size_t k) : theta_(theta) {
    const auto zeros = static_cast<std::size_t>(std::ranges::count(theta, 0.f));
    if (4 * zeros < 3 * theta.size()) return;
    sparse_.first.push_back(0);
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t j = 0; j < rows.width; ++j) {
        const float value = theta[rows.at(j, c)];
        if (value == 0) continue;
        sparse_.columns.push_back(static_cast<std::uint32_t>(j));
        sparse_.values.push_back(value);
      }
      sparse_.first.push_back(sparse_.values.size());
    }
  }

  void operator()(const CriticBlock& block, float* scores) const {
    if (sparse_.first.empty())
      critic_kernel().scores(block, theta_.data(), scores);
    else
      critic_kernel().sparse_scores(block, sparse_, scores);
  }

 private:
  std::span<const float> theta_;
  SparseCritic sparse_;
};

// A jump with its place as an integer of the same order.
struct Key {
  std::uint32_t key;
  std::int32_t change;
};

std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

float value_of(std::uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

std::vector<Key> sorted(const std::vector<Jump>& jumps) {
  constexpr unsigned shifts[] = {0, 11, 22};
  std::vector<Key> keys(jumps.size()), other(jumps.size());
  std::uint32_t first[3][2048] = {};
  for (std::size_t i = 0; i < jumps.size(); ++i) {
    keys[i] = {key_of(jumps[i].at), jumps[i].change};
    for (std::size_t turn = 0; turn < 3; ++turn) ++first[turn][keys[i].key >> shifts[turn] & 2047];
  }
  for (std::size_t turn = 0; turn < 3; ++turn) {
    std::uint32_t before = 0;
    for (std::uint32_t& slot : first[turn]) before += std::exchange(slot, before);
    for (const Key& key : keys) other[first[turn][key.key >> shifts[turn] & 2047]++] = key;
    keys.swap(other);
  }
  return keys;
}

// Calls body(block, begin, scores of each theta) for blocks of all rows.
template <std::size_t Count>
void for_scores(
    const CriticRows& rows, const std::array<std::span<const float>, Count>& thetas, std::size_t k,
    const std::function<void(const CriticBlock&, std::size_t, const std::array<float*, Count>&)>& body) {
  std::vector<Scorer> scorers;
  for (const auto theta : thetas) scorers.emplace_back(rows, theta, k);
  parallel_chunks(rows.n(), critic_chunk_rows(rows), [&](std::size_t first, std::size_t stop) {
    std::vector<float> buffer(Count * k * score_stride);
    std::array<float*, Count> scores{};
    for (std::size_t i = 0; i < Count; ++i) scores[i] = buffer.data() + i * k * score_stride;
    for (std::size_t begin = first; begin < stop; begin += critic_block_rows) {
      CriticBlock block = block_of(rows, begin, std::min(stop, begin + critic_block_rows));
      block.k = k;
      for (std::size_t i = 0; i < Count; ++i) scorers[i](block, scores[i]);
      body(block, begin, scores);
    }
  });
}

}  // namespace

Evaluation evaluate(const CriticRows& rows, std::span<const float> theta, Objective objective,
                    std::span<const float> weights) {
  const CriticKernel& kernel = critic_kernel();
  const Scorer scores_of(rows, theta, rows.k);
  std::vector<std::uint8_t> agreed(rows.n());
  Evaluation found = reduce_chunks<Evaluation>(
      rows.n(), critic_chunk_rows(rows),
      [&](std::size_t begin, std::size_t end) {
        Evaluation part{0, std::vector<float>(rows.parameters()), {}};
        std::vector<float> scores(rows.k * score_stride);
        for (; begin < end; begin += critic_block_rows) {
          const CriticBlock block = block_of(rows, begin, std::min(end, begin + critic_block_rows));
          scores_of(block, scores.data());
          part.value += kernel.residuals(block, objective, weights.data() + begin, scores.data(),
                                         agreed.data() + begin);
          kernel.add_gradient(block, scores.data(), part.gradient.data());
        }
        return part;
      },
      [](Evaluation a, const Evaluation& b) {
        a.value += b.value;
        for (std::size_t i = 0; i < a.gradient.size(); ++i) a.gradient[i] += b.gradient[i];
        return a;
      });
  found.agreed = std::move(agreed);
  return found;
}

std::vector<std::uint8_t> agreeing_rows(const CriticRows& rows, std::span<const float> theta) {
  std::vector<std::uint8_t> agreed(rows.n());
  for_scores<1>(rows, {theta}, rows.k, [&](const CriticBlock& block, std::size_t begin, const auto& scores) {
    (void)critic_kernel().residuals(block, Objective::smooth, nullptr, scores[0], agreed.data() + begin);
  });
  return agreed;
}

Agreement agreement_of(std::size_t n_source, std::span<const std::uint8_t> agreed) {
  const auto sum = [](std::span<const std::uint8_t> of) {
    return std::accumulate(of.begin(), of.end(), std::size_t{0});
  };
  return {sum(agreed.first(n_source)), sum(agreed.subspan(n_source))};
}

Agreement agreement(const CriticRows& rows, std::span<const float> theta) {
  return agreement_of(rows.n_source, agreeing_rows(rows, theta));
}

FoundCritic found_critic(const CriticRows& rows, std::vector<float> theta, std::vector<std::uint8_t> agreed) {
  const double found = discrepancy(agreement_of(rows.n_source, agreed), rows);
  return {std::move(theta), std::move(agreed), found};
}

FoundCritic found_critic(const CriticRows& rows, std::vector<float> theta) {
  std::vector<std::uint8_t> agreed = agreeing_rows(rows, theta);
  return found_critic(rows, std::move(theta), std::move(agreed));
}

Leads leads(const CriticRows& rows, std::span<const float> theta) {
  const std::size_t n = rows.n();
  Leads leads{std::vector<float>(n), std::vector<float>(n), std::vector<float>(n),
              std::vector<std::int32_t>(n), std::vector<std::int32_t>(n)};
  for_scores<1>(rows, {theta}, rows.k, [&](const CriticBlock& block, std::size_t begin, const auto& scores) {
    critic_kernel().leads(block, scores[0], leads, begin);
  });
  return leads;
}

std::vector<float> products(const CriticRows& rows, std::span<const float> u) {
  std::vector<float> found(rows.n());
  for_scores<1>(rows, {u}, 1, [&](const CriticBlock& block, std::size_t begin, const auto& scores) {
    std::copy_n(scores[0], block.rows, found.data() + begin);
  });
  return found;
}

std::optional<BestPoint> best_point(const std::vector<Jump>& jumps, std::int64_t before, std::int64_t least) {
  if (jumps.empty()) return std::nullopt;
  const std::vector<Key> keys = sorted(jumps);
  const auto beyond = [](float value, float sign) { return value + sign * (1 + std::abs(value)); };
  std::optional<BestPoint> best;
  if (before > least) best = {beyond(value_of(keys.front().key), -1), before};
  std::int64_t value = before, most = std::max(before, least);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    value += keys[i].change;
    if (value <= most) continue;
    const float from = value_of(keys[i].key);
    const float to = i + 1 < keys.size() ? value_of(keys[i + 1].key) : beyond(from, 2);
    if (to - from <= 2e-6f * std::max(std::abs(from), std::abs(to))) continue;
    most = value;
    best = {from + (to - from) / 2, value};
  }
  return best;
}

BestStep best_step(const CriticRows& rows, std::span<const float> theta, std::span<const float> direction) {
  std::vector<float> low(rows.n()), high(rows.n());
  for_scores<2>(
      rows, {theta, direction}, rows.k, [&](const CriticBlock& block, std::size_t begin, const auto& scores) {
        critic_kernel().intervals(block, scores[0], scores[1], low.data() + begin, high.data() + begin);
      });
  std::vector<Jump> jumps;
  jumps.reserve(2 * rows.n());
  std::int64_t before = 0, here = 0;  // D left of all jumps, and at s = 0
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!(low[i] < high[i])) continue;
    const auto unit = static_cast<std::int32_t>(i < rows.n_source ? rows.n_target : -rows.n_source);
    if (low[i] <= 0 && high[i] >= 0) here += unit;
    if (std::isfinite(low[i]))
      jumps.push_back({low[i], unit});
    else
      before += unit;
    if (std::isfinite(high[i])) jumps.push_back({high[i], -unit});
  }
  const auto best = best_point(jumps, before, here);
  if (!best) return {};
  return {best->at, static_cast<double>(best->value - here) /
                        (static_cast<double>(rows.n_source) * static_cast<double>(rows.n_target))};
}

}  // namespace leeway::error_bound
