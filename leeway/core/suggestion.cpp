#include "leeway/core/suggestion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "leeway/core/edit_distance.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway {
namespace {

constexpr std::size_t least_beginning = 3;

}  // namespace

std::size_t typing_mistakes(std::string_view a, std::string_view b) {
  if (a.size() == b.size() && a != b && std::is_permutation(a.begin(), a.end(), b.begin())) return 1;
  return edit_distance(std::u32string(a.begin(), a.end()), std::u32string(b.begin(), b.end()));
}

std::string_view nearest_name(std::string_view word, std::span<const std::string> names) {
  const std::string meant = bare_word(word);
  if (meant.empty()) return {};
  std::string_view nearest, begins;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& name : names) {
    const std::string other = bare_word(name);
    if (other == meant) return name;
    if (begins.empty() && meant.size() >= least_beginning && other.starts_with(meant)) begins = name;
    const std::size_t distance = typing_mistakes(meant, other);
    if (distance < least && 3 * distance <= std::max(meant.size(), other.size()))
      least = distance, nearest = name;
  }
  return begins.empty() ? nearest : begins;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view name = nearest_name(word, names);
  return name.empty() ? "" : fmt::format("; did you mean {}?", printable(name));
}

std::size_t index_of_name(std::string_view name, std::span<const std::string> names, std::string_view where,
                          std::string_view what) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    refuse(where, what.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : std::string(what),
           in_quotes(name) + did_you_mean(name, names));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace leeway
