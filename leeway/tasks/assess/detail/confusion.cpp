#include "leeway/tasks/assess/detail/confusion.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace leeway::assess {
namespace {

std::uint64_t code(std::int32_t from, std::int32_t to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
}

struct Flip {
  double confidence = 0;
  std::size_t row = 0;
};

bool more_confident(const Flip& a, const Flip& b) {
  return a.confidence != b.confidence ? a.confidence > b.confidence : a.row < b.row;
}

// Keeps the `count` most confident flips of one pair of classes: a heap with the least confident in front.
void keep(std::vector<Flip>& best, const Flip& flip, std::size_t count) {
  if (best.size() == count) {
    if (!more_confident(flip, best.front())) return;
    std::pop_heap(best.begin(), best.end(), more_confident);
    best.pop_back();
  }
  best.push_back(flip);
  std::push_heap(best.begin(), best.end(), more_confident);
}

}  // namespace

std::vector<tasks::AssessTopFlip> top_flips(std::span<const std::int32_t> clean,
                                            std::span<const std::int32_t> shifted) {
  std::unordered_map<std::uint64_t, std::size_t> counts;
  for (std::size_t i = 0; i < clean.size(); ++i)
    if (clean[i] != shifted[i]) ++counts[code(clean[i], shifted[i])];
  std::vector<tasks::AssessTopFlip> flips;
  for (const auto& [pair, count] : counts) flips.push_back({pair >> 32, pair & 0xffffffff, count});
  std::ranges::sort(flips, {}, [](const tasks::AssessTopFlip& flip) {
    return std::tuple(~flip.count, flip.from, flip.to);  // the largest count first
  });
  if (flips.size() > max_top_flips) flips.resize(max_top_flips);
  return flips;
}

std::vector<std::size_t> choose_flips(const PredictedPair& pair, std::size_t count) {
  std::unordered_map<std::uint64_t, std::vector<Flip>> pairs;
  for (std::size_t i = 0; count > 0 && i < pair.clean.size(); ++i)
    if (pair.clean[i] != pair.shifted[i])
      keep(pairs[code(pair.clean[i], pair.shifted[i])],
           {pair.clean_confidences[i] * pair.shifted_confidences[i], i}, count);
  std::vector<std::pair<std::size_t, Flip>> candidates;  // with the round in which each comes
  for (auto& [classes, best] : pairs) {
    std::sort(best.begin(), best.end(), more_confident);
    for (std::size_t round = 0; round < best.size(); ++round) candidates.emplace_back(round, best[round]);
  }
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : more_confident(a.second, b.second);
  });
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < std::min(count, candidates.size()); ++i)
    rows.push_back(candidates[i].second.row);
  return rows;
}

}  // namespace leeway::assess
