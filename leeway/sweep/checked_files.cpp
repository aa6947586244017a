#include "leeway/sweep/checked_files.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of_folder(const fs::path& path) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> matches(const std::string& pattern) {
  std::vector<fs::path> files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return files;
}

// A file, a folder or a pattern, behind "NAME=" where it has one.
struct Part {
  std::string prefix, path;
  enum class Kind { file, folder, pattern } kind;

  [[nodiscard]] std::vector<fs::path> files() const {
    return kind == Kind::file     ? std::vector<fs::path>{path}
           : kind == Kind::folder ? files_of_folder(path)
                                  : matches(path);
  }
};

std::optional<Part> part_of(const std::string& text, const std::string& prefix = "") {
  std::error_code ignored;
  if (fs::is_regular_file(text, ignored)) return Part{prefix, text, Part::Kind::file};
  if (text.find('/') != text.npos && is_folder(text)) return Part{prefix, text, Part::Kind::folder};
  if (text.find_first_of("*?[") != text.npos && !matches(text).empty())
    return Part{prefix, text, Part::Kind::pattern};
  const std::size_t rest = text.find('=') + 1;
  return rest > 0 && prefix.empty() ? part_of(text.substr(rest), text.substr(0, rest)) : std::nullopt;
}

// One, or several by commas; empty where one of them names nothing that is there.
std::vector<Part> parts_of(const std::string& text) {
  if (const auto whole = part_of(text)) return {*whole};
  std::vector<Part> parts;
  if (text.find(',') == std::string::npos) return {};
  for (const std::string& piece : split(text, ',')) {
    const auto part = part_of(piece);
    if (!part) return {};
    parts.push_back(*part);
  }
  return parts;
}

std::string identity_of(const Part& part) {
  std::string all;
  for (const fs::path& file : part.files())
    if (part.kind == Part::Kind::folder)
      all += fs::relative(file, part.path).string() + ":" + digest_file(file) + "\n";
    else
      all += fmt::format("{}:{}{}", file.filename().string(), digest_file(file),
                         part.kind == Part::Kind::pattern ? "," : "");
  if (part.kind != Part::Kind::folder) return part.prefix + all;
  return fmt::format("{}{}:{}", part.prefix, fs::path(part.path).filename().string(), digest_text(all));
}

constexpr const char* digests_file = "outputs.xxh3";

std::string digest_and_size(std::string_view text) {
  return fmt::format("{} {}", digest_text(text), text.size());
}

std::vector<fs::path> outputs_in(const fs::path& folder) {
  std::vector<fs::path> files = files_of_folder(folder);
  std::erase_if(files, [](const fs::path& file) { return file.filename() == digests_file; });
  return files;
}

// By name; empty without a list.
std::map<std::string, std::string> listed_outputs(const fs::path& folder) {
  std::map<std::string, std::string> identities;
  for (const std::string& line : split(read_small_file(folder / digests_file).value_or(""), '\n'))
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

// What changes with files: device, inode, bytes, times of the last changes. Missing ones have none.
std::string stamps_of(const std::vector<fs::path>& files) {
  std::string stamps;
  for (const auto& file : files) {
    struct stat is {};
    if (::stat(file.c_str(), &is) == 0)
      stamps += fmt::format("{} {} {} {} {} {} {};", is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec,
                            is.st_mtim.tv_nsec, is.st_ctim.tv_sec, is.st_ctim.tv_nsec);
  }
  return stamps;
}

}  // namespace

std::string missing_file(const std::string& text) {
  if (!parts_of(text).empty()) return "";
  for (const std::string& piece : split(text, ',')) {
    const std::string path = piece.substr(piece.find('=') + 1);
    if (!part_of(piece) && !is_there(path) && !path.starts_with("fashion-mnist:")) return path;
  }
  return "";
}

InputWord input_word(const std::string& text) {
  const std::vector<Part> parts = parts_of(text);
  if (parts.empty()) return {text, text};
  InputWord word;
  for (const Part& part : parts) {
    word.word += (word.word.empty() ? "" : ",") + part.prefix + fs::absolute(part.path).string();
    word.identity += identity_of(part) + (parts.size() > 1 ? "," : "");
  }
  return word;
}

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

template <class Verify>
void CheckedFiles::check(const std::string& key, const std::vector<fs::path>& files, const Verify& verify) {
  const std::string stamps = stamps_of(files);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = checked_.find(key); known != checked_.end() && known->second == stamps) return;
  }
  verify();
  const std::scoped_lock lock(mutex_);
  checked_[key] = stamps;
}

void CheckedFiles::check_inputs(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const auto planned = inputs_.find(word);
    if (planned == inputs_.end()) continue;
    std::vector<fs::path> files;
    for (const Part& part : parts_of(word)) std::ranges::move(part.files(), std::back_inserter(files));
    check(word, files, [&] {
      if (input_word(word).identity != planned->second)
        refuse(display_name(word), "the contents at the time of planning",
               "other contents, or none (plan the study again in the same folder: units that still apply are "
               "kept)");
    });
  }
}

void CheckedFiles::check_outputs(const std::string& unit) {
  const fs::path folder = store_.done(unit);
  const std::vector<fs::path> files = outputs_in(folder);
  check(unit, files, [&] {
    const auto listed = listed_outputs(folder);
    for (const fs::path& file : files)
      if (const std::string name = file.lexically_relative(folder).string(); listed.contains(name))
        expect_listed(listed, folder, name, map_file(file).text());
  });
}

}  // namespace leeway::sweep
