#include "leeway/tasks/file_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "leeway/core/option_error.h"

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

std::vector<NamedFile> files_of_sets(
    const std::string& option, const std::string& pattern,
    const std::vector<std::vector<std::pair<std::string_view, std::string>>>& sets, std::string_view braces) {
  std::vector<NamedFile> files;
  std::set<std::string> names;
  for (const auto& values : sets) {
    files.push_back({option, filled_pattern(pattern, values)});
    if (!names.insert(files.back().file).second)
      throw OptionError(fmt::format("{}: expected a name for each of {} sets, such as {}", option,
                                    sets.size(), pattern_hint(pattern, braces)));
  }
  return files;
}

std::vector<std::string> names_of_files(const std::vector<std::string>& paths) {
  std::vector<std::string> stems, wholes;
  for (const std::string& text : paths) {
    const std::filesystem::path path(text);
    stems.push_back(path.stem().string());
    wholes.push_back((path.parent_path() / path.stem()).string());
  }
  const bool distinct = std::set<std::string>(stems.begin(), stems.end()).size() == stems.size();
  std::vector<std::string> names = distinct ? stems : wholes;
  for (std::string& name : names) std::ranges::replace(name, ':', '-');
  return names;
}

std::string pattern_hint(std::string_view path, std::string_view braces) {
  const std::size_t slash = path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1;
  const std::size_t dot =
      path.rfind('.') == path.npos || path.rfind('.') <= slash ? path.size() : path.rfind('.');
  return std::string(path.substr(0, dot)) + "-" + std::string(braces) + std::string(path.substr(dot));
}

}  // namespace leeway::tasks
