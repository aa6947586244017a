#include "leeway/sweep/unit_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/record/number_list.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

constexpr const char* digests_file = "outputs.xxh3";

std::string digest_and_size(std::string_view text) {
  return fmt::format("{} {}", digest_text(text), text.size());
}

std::vector<fs::path> outputs_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().filename() != digests_file) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// By name; empty without a list.
std::map<std::string, std::string> listed_outputs(const fs::path& folder) {
  std::map<std::string, std::string> identities;
  for (const std::string& line : record::split(read_small_file(folder / digests_file).value_or(""), '\n'))
    if (const std::size_t end = line.find(' ', line.find(' ') + 1); end != std::string::npos)
      identities[line.substr(end + 1)] = line.substr(0, end);
  return identities;
}

void expect_listed(const std::map<std::string, std::string>& listed, const fs::path& folder,
                   const std::string& name, std::string_view text) {
  if (const auto known = listed.find(name); known != listed.end() && known->second != digest_and_size(text))
    refuse(display_name(folder / name),
           fmt::format("the contents that the unit wrote (remove {} and run again)", display_name(folder)),
           "other contents");
}

}  // namespace

void write_digests(const fs::path& folder) {
  std::string list;
  for (const fs::path& file : outputs_in(folder))
    list += fmt::format("{} {}\n", digest_and_size(map_file(file).text()),
                        file.lexically_relative(folder).string());
  write_plain(folder / digests_file, list);
}

void check_output(const Store& store, const std::string& unit, const std::string& name,
                  std::string_view text) {
  expect_listed(listed_outputs(store.done(unit)), store.done(unit), name, text);
}

void UnitOutputs::check(const std::string& unit) {
  const fs::path folder = store_.done(unit);
  const std::vector<fs::path> files = outputs_in(folder);
  FileStamps stamps = stamps_of(files);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = checked_.find(unit); known != checked_.end() && known->second == stamps) return;
  }
  const auto listed = listed_outputs(folder);
  for (const fs::path& file : files)
    if (const std::string name = file.lexically_relative(folder).string(); listed.contains(name))
      expect_listed(listed, folder, name, map_file(file).text());
  const std::scoped_lock lock(mutex_);
  checked_[unit] = std::move(stamps);
}

}  // namespace leeway::sweep
