#include "leeway/error_bound/detail/critic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/critic_kernel.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t critic_block_rows = 128, critic_least_chunk = 1024, critic_most_chunks = 16;

// Chunks are whole blocks, and few: each holds a gradient.
std::size_t critic_chunk_rows(std::size_t n) {
  const std::size_t rows = std::max(critic_least_chunk, (n + critic_most_chunks - 1) / critic_most_chunks);
  return (rows + critic_block_rows - 1) / critic_block_rows * critic_block_rows;
}

CriticBlock block_of(const CriticRows& rows, std::size_t begin, std::size_t end) {
  const std::size_t source = rows.n_source > begin ? std::min(end, rows.n_source) - begin : 0;
  return {rows.x.data() + begin * rows.width,
          rows.y.data() + begin,
          end - begin,
          rows.width,
          rows.k,
          rows.panels(),
          source};
}

void add_agreement(Agreement& to, const Agreement& other) {
  to.source += other.source, to.target += other.target;
}

// An end of an interval as an integer of the same order, and what passing it changes.
struct End {
  std::uint32_t key;
  std::int32_t change;  // +1 source agrees from here, -1 no longer; +2, -2 for target
};

std::uint32_t key_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

float value_of(std::uint32_t key) {
  return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
}

void radix_sort(std::vector<End>& ends) {
  std::vector<End> other(ends.size());
  for (const unsigned shift : {0u, 11u, 22u}) {
    std::uint32_t first[2048] = {};
    for (const End& end : ends) ++first[end.key >> shift & 2047];
    std::uint32_t before = 0;
    for (std::uint32_t& slot : first) before += std::exchange(slot, before);
    for (const End& end : ends) other[first[end.key >> shift & 2047]++] = end;
    ends.swap(other);
  }
}

// Calls body(block, begin, end, its scores) for blocks of all rows.
void for_scores(const CriticRows& rows, std::span<const float> theta,
                const std::function<void(const CriticBlock&, std::size_t, std::size_t, float*)>& body) {
  const std::size_t chunk = critic_chunk_rows(rows.n());
  parallel_for((rows.n() + chunk - 1) / chunk, [&](std::size_t c) {
    std::vector<float> scores(critic_block_rows * rows.panels() * 16);
    const std::size_t stop = std::min(rows.n(), (c + 1) * chunk);
    for (std::size_t begin = c * chunk; begin < stop; begin += critic_block_rows) {
      const std::size_t end = std::min(stop, begin + critic_block_rows);
      const CriticBlock block = block_of(rows, begin, end);
      critic_kernel().scores(block, theta.data(), scores.data());
      body(block, begin, end, scores.data());
    }
  });
}

struct Spans {
  std::vector<float> low, high;
};

Spans spans_of(const CriticRows& rows, std::span<const float> theta, std::span<const float> direction) {
  Spans spans{std::vector<float>(rows.n()), std::vector<float>(rows.n())};
  for_scores(rows, theta, [&](const CriticBlock& block, std::size_t begin, std::size_t, float* scores) {
    std::vector<float> slopes(block.rows * rows.panels() * 16);
    critic_kernel().scores(block, direction.data(), slopes.data());
    critic_kernel().intervals(block, scores, slopes.data(), spans.low.data() + begin,
                              spans.high.data() + begin);
  });
  return spans;
}

}  // namespace

Evaluation evaluate(const CriticRows& rows, std::span<const float> theta, Objective objective,
                    std::span<const float> weights) {
  const CriticKernel& kernel = critic_kernel();
  return reduce_chunks<Evaluation>(
      rows.n(), critic_chunk_rows(rows.n()),
      [&](std::size_t begin, std::size_t end) {
        Evaluation part{0, {}, std::vector<float>(rows.parameters())};
        std::vector<float> scores(critic_block_rows * rows.panels() * 16);
        std::uint8_t agreed[critic_block_rows];
        for (; begin < end; begin += critic_block_rows) {
          const CriticBlock block = block_of(rows, begin, std::min(end, begin + critic_block_rows));
          kernel.scores(block, theta.data(), scores.data());
          part.value += kernel.residuals(block, objective, weights.data() + begin, scores.data(), agreed);
          add_agreement(part.agreement, agreement_of(block.source_rows, {agreed, block.rows}));
          kernel.add_gradient(block, scores.data(), part.gradient.data());
        }
        return part;
      },
      [](Evaluation a, const Evaluation& b) {
        a.value += b.value;
        add_agreement(a.agreement, b.agreement);
        for (std::size_t i = 0; i < a.gradient.size(); ++i) a.gradient[i] += b.gradient[i];
        return a;
      });
}

std::vector<std::uint8_t> agreeing_rows(const CriticRows& rows, std::span<const float> theta) {
  std::vector<std::uint8_t> agreed(rows.n());
  for_scores(rows, theta, [&](const CriticBlock& block, std::size_t begin, std::size_t, float* scores) {
    (void)critic_kernel().residuals(block, Objective::smooth, nullptr, scores, agreed.data() + begin);
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

Leads leads(const CriticRows& rows, std::span<const float> theta) {
  constexpr float none = -std::numeric_limits<float>::infinity();
  const std::size_t n = rows.n();
  const auto outside = static_cast<std::int32_t>(rows.k);
  Leads leads{std::vector<float>(n), std::vector<float>(n, none), std::vector<float>(n, none),
              std::vector<std::int32_t>(n, outside), std::vector<std::int32_t>(n, outside)};
  for_scores(rows, theta, [&](const CriticBlock&, std::size_t begin, std::size_t end, const float* scores) {
    for (std::size_t i = begin; i < end; ++i, scores += rows.panels() * 16) {
      leads.own[i] = scores[rows.y[i]];
      for (std::int32_t c = 0; c < static_cast<std::int32_t>(rows.k); ++c) {
        if (c == rows.y[i] || scores[c] <= leads.next[i]) continue;
        leads.next[i] = scores[c], leads.third[i] = c;
        if (scores[c] <= leads.other[i]) continue;
        std::swap(leads.next[i], leads.other[i]), std::swap(leads.third[i], leads.rival[i]);
      }
    }
  });
  return leads;
}

BestStep best_step(const CriticRows& rows, std::span<const float> theta, std::span<const float> direction) {
  const Spans spans = spans_of(rows, theta, direction);
  const auto source_unit = static_cast<std::int64_t>(rows.n_target),
             target_unit = static_cast<std::int64_t>(rows.n_source);
  std::vector<End> ends;
  ends.reserve(2 * rows.n());
  std::int64_t value = 0, here = 0;  // n_S n_T D before the first end, and at s = 0
  for (std::size_t i = 0; i < rows.n(); ++i) {
    if (!(spans.low[i] < spans.high[i])) continue;
    const bool source = i < rows.n_source;
    const std::int32_t change = source ? 1 : 2;
    const std::int64_t unit = source ? source_unit : -target_unit;
    if (spans.low[i] <= 0 && spans.high[i] >= 0) here += unit;
    if (std::isfinite(spans.low[i]))
      ends.push_back({key_of(spans.low[i]), change});
    else
      value += unit;
    if (std::isfinite(spans.high[i])) ends.push_back({key_of(spans.high[i]), -change});
  }
  if (ends.empty()) return {};
  radix_sort(ends);
  const float first = value_of(ends.front().key), last = value_of(ends.back().key);
  std::int64_t best = std::max(here, value);
  float step = best > here ? first - (1 + std::abs(first)) : 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::int32_t change = ends[i].change;
    value += change == 1    ? source_unit
             : change == -1 ? -source_unit
             : change == 2  ? -target_unit
                            : target_unit;
    if (value <= best) continue;
    const float from = value_of(ends[i].key);
    const float to = i + 1 < ends.size() ? value_of(ends[i + 1].key) : last + (2 + 2 * std::abs(last));
    // Scores are rounded to some 1e-7: a narrower gap would not be hit.
    if (to - from <= 2e-6f * std::max(std::abs(from), std::abs(to))) continue;
    best = value;
    step = from + (to - from) / 2;
  }
  return {step, static_cast<double>(best - here) /
                    (static_cast<double>(rows.n_source) * static_cast<double>(rows.n_target))};
}

}  // namespace leeway::error_bound
