#include "leeway/tasks/file_pattern.h"

#include <algorithm>

namespace leeway::tasks {

std::string filled_pattern(std::string_view pattern,
                           const std::vector<std::pair<std::string_view, std::string>>& values) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t close = pattern.front() == '{' ? pattern.find('}') : pattern.npos;
    const auto found = close == pattern.npos
                           ? values.end()
                           : std::ranges::find(values, pattern.substr(1, close - 1),
                                               &std::pair<std::string_view, std::string>::first);
    if (found == values.end()) {
      text += pattern.front();
      pattern.remove_prefix(1);
      continue;
    }
    std::string value = found->second;
    std::ranges::replace(value, '/', '-');
    text += value;
    pattern.remove_prefix(close + 1);
  }
  return text;
}

std::string pattern_hint(std::string_view path, std::string_view braces) {
  const std::size_t slash = path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1;
  const std::size_t dot =
      path.rfind('.') == path.npos || path.rfind('.') <= slash ? path.size() : path.rfind('.');
  return std::string(path.substr(0, dot)) + "-" + std::string(braces) + std::string(path.substr(dot));
}

}  // namespace leeway::tasks
