#include "leeway/tasks/file_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "leeway/core/error.h"

namespace leeway::tasks {

std::string filled_pattern(std::string_view pattern, const PatternValues& values) {
  std::string text;
  while (!pattern.empty()) {
    const std::size_t close = pattern.front() == '{' ? pattern.find('}') : pattern.npos;
    const auto found = close == pattern.npos ? values.end()
                                             : std::ranges::find(values, pattern.substr(1, close - 1),
                                                                 &PatternValues::value_type::first);
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

std::vector<NamedFile> files_of_sets(const std::string& option, const std::string& pattern,
                                     const std::vector<PatternValues>& sets, std::string_view braces) {
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

namespace {

// Names of one model's sets: file names, "pgd8" for "cnn/pgd8.npz", "cnn-pgd8.npz", if distinct, else paths.
std::vector<std::string> names_of_model(std::span<const ModelPath> sets) {
  const std::string& model = sets.front().model;
  std::vector<std::string> paths, names;
  for (const ModelPath& set : sets) {
    paths.push_back(set.path);
    names.push_back(std::filesystem::path(set.path).stem().string());
  }
  const std::size_t prefix = model.size() + 1;
  if (std::ranges::all_of(names, [&](const std::string& name) {
        return name.size() > prefix && name.starts_with(model) &&
               (name[prefix - 1] == '-' || name[prefix - 1] == '_');
      }))
    for (std::string& name : names) name.erase(0, prefix);
  const std::set<std::string> distinct(names.begin(), names.end());
  return distinct.size() == names.size() ? names : paths;
}

}  // namespace

std::vector<std::string> shift_names(std::span<const ModelPath> paths, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < paths.size(); begin += count) {
    const std::vector<std::string> own = names_of_model(paths.subspan(begin, count));
    if (begin == 0) names = own;
    for (std::size_t i = 0; i < count; ++i)
      if (names[i] != own[i] && !names[i].ends_with(" / " + own[i])) names[i] += " / " + own[i];
  }
  return names;
}

}  // namespace leeway::tasks
