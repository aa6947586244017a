#include "leeway/tasks/assess/detail/confusion.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace leeway::assess {
namespace {

std::uint64_t code(std::int32_t from, std::int32_t to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
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

std::vector<std::size_t> choose_flips(const TargetRows& rows, std::size_t count) {
  struct Flip {
    std::uint64_t classes = 0;
    double confidence = 0;
    std::size_t row = 0, round = 0;
  };
  std::vector<Flip> flips;
  for (std::size_t i = 0; count > 0 && i < rows.clean_classes.size(); ++i)
    if (rows.clean_classes[i] != rows.shifted_classes[i])
      flips.push_back({code(rows.clean_classes[i], rows.shifted_classes[i]),
                       rows.clean_confidences[i] * rows.shifted_confidences[i], i});
  std::ranges::sort(flips, {}, [](const Flip& f) { return std::tuple(f.classes, -f.confidence, f.row); });
  for (std::size_t i = 1; i < flips.size(); ++i)
    if (flips[i].classes == flips[i - 1].classes) flips[i].round = flips[i - 1].round + 1;
  std::ranges::sort(flips, {}, [](const Flip& f) { return std::tuple(f.round, -f.confidence, f.row); });
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(count, flips.size()); ++i) chosen.push_back(flips[i].row);
  return chosen;
}

}  // namespace leeway::assess
