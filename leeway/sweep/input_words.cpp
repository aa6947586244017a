#include "leeway/sweep/input_words.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "leeway/core/digest.h"
#include "leeway/core/file.h"
#include "leeway/record/number_list.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

std::string identity_of_file(const fs::path& path) {
  return fmt::format("{}:{}", path.filename().string(), digest_file(path));
}

std::vector<fs::path> files_of_folder(const fs::path& path) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string identity_of_folder(const fs::path& path) {
  std::string all;
  for (const fs::path& file : files_of_folder(path))
    all += fs::relative(file, path).string() + ":" + digest_file(file) + "\n";
  return fmt::format("{}:{}", path.filename().string(), digest_text(all));
}

std::vector<fs::path> matches(const std::string& pattern) {
  std::vector<fs::path> files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return files;
}

bool is_file(const std::string& text) {
  std::error_code ignored;
  return fs::is_regular_file(text, ignored);
}
bool is_folder(const std::string& text) {
  std::error_code ignored;
  return text.find('/') != std::string::npos && fs::is_directory(text, ignored);
}

// A file, a folder or a pattern; nothing where the text names nothing that is there.
std::optional<InputWord> one(const std::string& text) {
  if (is_file(text)) return InputWord{fs::absolute(text).string(), identity_of_file(text)};
  if (is_folder(text)) return InputWord{fs::absolute(text).string(), identity_of_folder(text)};
  if (text.find_first_of("*?[") == std::string::npos) return {};
  const std::vector<fs::path> files = matches(text);
  if (files.empty()) return {};
  InputWord word{fs::absolute(text).string(), ""};
  for (const fs::path& file : files) word.identity += identity_of_file(file) + ",";
  return word;
}

std::optional<InputWord> several(const std::string& text) {
  if (text.find(',') == std::string::npos) return {};
  InputWord word;
  for (const std::string& part : record::split(text, ',')) {
    const auto found = one(part);
    if (!found) return {};
    word.word += (word.word.empty() ? "" : ",") + found->word;
    word.identity += found->identity + ",";
  }
  return word;
}

std::optional<InputWord> any(const std::string& text) {
  auto found = one(text);
  return found ? found : several(text);
}

// Those of one(), unread.
std::vector<fs::path> files_of_one(const std::string& text) {
  if (is_file(text)) return {text};
  if (is_folder(text)) return files_of_folder(text);
  return matches(text);
}

}  // namespace

InputWord input_word(const std::string& text) {
  if (text.empty()) return {text, text};
  if (auto found = any(text)) return *found;
  const std::size_t equals = text.find('=');
  if (equals != std::string::npos)
    if (auto found = any(text.substr(equals + 1))) {
      const std::string name = text.substr(0, equals + 1);
      return {name + found->word, name + found->identity};
    }
  return {text, text};
}

std::vector<fs::path> input_files(const std::string& text) {
  for (const std::string& whole : {text, text.substr(text.find('=') + 1)}) {
    std::vector<fs::path> files = files_of_one(whole);
    if (files.empty())
      for (const std::string& part : record::split(whole, ','))
        for (fs::path& file : files_of_one(part)) files.push_back(std::move(file));
    if (!files.empty()) return files;
  }
  return {};
}

}  // namespace leeway::sweep
