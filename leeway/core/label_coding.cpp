#include "leeway/core/label_coding.h"

#include <fmt/format.h>

#include <algorithm>

namespace leeway {

LabelCoding coding_of(std::span<const std::int64_t> labels, std::size_t k, std::optional<std::size_t> first) {
  if (first) return *first == 1 ? LabelCoding::from_one : LabelCoding::from_zero;
  if (labels.empty()) return LabelCoding::from_zero;
  const auto [least, most] = std::ranges::minmax(labels);
  const bool signs =
      std::ranges::all_of(labels, [](std::int64_t label) { return label == -1 || label == 1; });
  if (k == 2 && signs && least == -1) return LabelCoding::signs;
  if (least < 1) return LabelCoding::from_zero;
  const auto last = static_cast<std::int64_t>(k);
  return most == last ? LabelCoding::from_one : LabelCoding::either;
}

std::int64_t class_of(std::int64_t label, LabelCoding coding) {
  if (coding == LabelCoding::signs) return label == 1 ? 1 : 0;
  return coding == LabelCoding::from_one ? label - 1 : label;
}

std::string coding_text(LabelCoding coding, std::size_t k) {
  if (coding == LabelCoding::signs) return "-1 and 1";
  return coding == LabelCoding::from_one ? fmt::format("1 to {}", k) : "";
}

}  // namespace leeway
