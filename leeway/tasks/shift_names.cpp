#include "leeway/tasks/shift_names.h"

#include <algorithm>
#include <filesystem>
#include <set>

namespace leeway::tasks {
namespace {

// Of one model's sets: their files alone, "pgd8" of "cnn/pgd8.npz" and of "cnn-pgd8.npz", where these differ, or
// their paths.
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
