#include "apps/leeway/files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/content.h"
#include "leeway/io/images.h"
#include "leeway/io/shards.h"
#include "leeway/sweep/store.h"

namespace leeway::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> page_names = {".html", ".htm"};
// Of formats that are read or written here, or that a browser prints a page to.
constexpr std::array<std::string_view, 10> other_names = {".pdf", ".csv", ".npz",         ".npy",  ".png",
                                                          ".svg", ".pt",  ".safetensors", ".onnx", ".toml"};

void check_name(const std::string& option, const std::string& path, Written kind) {
  if (kind != Written::record && kind != Written::page) return;
  const std::string name = lower_case(fs::path(path).extension().string());
  const auto has = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
  const bool of_page = has(page_names), of_record = name == ".json";
  if (has(other_names) || (kind == Written::record && of_page) || (kind == Written::page && of_record))
    throw UsageError(fmt::format(
        "{} {}: expected a name that ends in {}, found {}", option, display_name(path),
        kind == Written::page ? ".html, for an HTML report" : ".json, for a JSON record", in_quotes(name)));
}

// The folder, or the nearest one above it that is there, must permit new files.
void require_folder(const fs::path& path) {
  std::error_code ignored;
  fs::path there = fs::absolute(path);
  while (!fs::exists(fs::symlink_status(there, ignored)) && ignored != std::errc::filename_too_long &&
         there.has_relative_path())
    there = there.parent_path();
  const int code = ignored == std::errc::filename_too_long     ? ENAMETOOLONG
                   : !fs::exists(there, ignored)               ? ENOENT  // a link to nothing
                   : !fs::is_directory(there, ignored)         ? ENOTDIR
                   : ::access(there.c_str(), W_OK | X_OK) != 0 ? errno
                                                               : 0;
  if (code != 0)
    throw std::runtime_error(
        fmt::format("{}: cannot write: {}", display_name(path), std::system_category().message(code)));
}

bool is_regular(const std::string& path, struct stat& status) {
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string whole_name(const std::string& path) {
  try {
    return written_path(path).string();
  } catch (const fs::filesystem_error&) {
    return path;
  }
}

bool is_picture(const std::string& path) {
  try {
    return describe_content(map_file(path).bytes) == "an image";
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void CommandFiles::check(const std::vector<Given>& given) {
  for (const Given& one : given)
    if (one.written == nullptr)
      for (const std::string& value : one.values) note(value);
  for (const auto& [option, values, written] : given) {
    if (written == nullptr || written->kind == Written::claimed) continue;
    for (const std::string& path : values) {
      claim(option, path, written->kind);
      for (const std::string& ending : written->endings) claim(option, path + ending, Written::file);
    }
  }
}

void CommandFiles::claim(const std::string& option, const std::string& path, Written kind) {
  if (kind == Written::folder) return require_folder(path);
  // Records and tables may go to a device. A data file is read again for its digest.
  std::error_code ignored;
  if (option == "--out" && kind == Written::file && is_there(path) && !fs::is_regular_file(path, ignored) &&
      !is_folder(path))
    throw UsageError(fmt::format("{} {}: expected a regular file", option, display_name(path)));
  require_own(option, path);
  check_name(option, path, kind);
  require_writable(path);
}

void CommandFiles::require_own(const std::string& option, const std::string& path) {
  std::error_code ignored;
  const bool there = is_there(path);
  if (there && !fs::is_regular_file(path, ignored)) return;  // a device: nothing is lost
  const Claimed output{option, path, whole_name(path)};
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("{} {}: expected a file other than {}", option, display_name(path), what));
  };
  for (const Input& input : inputs_) refuse_same(output, input);
  for (const Claimed& other : claimed_)
    if (other.whole == output.whole) refuse(other.option + " writes");
  for (const std::string& folder : folders_) {
    if (!output.whole.starts_with(folder + "/")) continue;
    if (there && is_picture(path)) refuse("an image of the input " + display_name(folder));
    if (sweep::is_of_sweep(folder, output.whole)) refuse("the files of the sweep " + display_name(folder));
  }
  claimed_.push_back(output);
}

void CommandFiles::refuse_same(const Claimed& output, const Input& input) const {
  struct stat status {};
  if (!is_regular(output.path, status) || status.st_dev != input.device || status.st_ino != input.number)
    return;
  const bool same_name = output.path == input.path;
  throw UsageError(fmt::format("{} {}: expected a file other than the input{}", output.option,
                               display_name(output.path), same_name ? "" : " " + display_name(input.path)));
}

void CommandFiles::read(const std::string& path) {
  const std::size_t before = inputs_.size();
  note_file(path);
  for (std::size_t i = before; i < inputs_.size(); ++i)
    for (const Claimed& output : claimed_) refuse_same(output, inputs_[i]);
}

void CommandFiles::note(const std::string& text) {
  const auto equals = text.find('=');
  std::vector<std::string> parts = {text};
  if (equals != std::string::npos) parts.push_back(text.substr(equals + 1));
  for (const std::string& part : parts) {
    try {
      for (const fs::path& path : expand_paths(part)) note_file(path.string());
      for (const fs::path& path : image_files(part)) note_file(path.string());
    } catch (const Error&) {
      // no file: the option's own business
    }
    note_file(part + ".toml");
  }
}

void CommandFiles::note_file(const std::string& path) {
  if (is_folder(path)) folders_.push_back(whole_name(path));
  struct stat status {};
  if (is_regular(path, status))
    inputs_.push_back({path, status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size)});
}

std::string CommandFiles::largest_input() const {
  const auto largest = std::ranges::max_element(inputs_, {}, &Input::bytes);
  return largest == inputs_.end() ? ""
                                  : fmt::format("{}, {} bytes", display_name(largest->path), largest->bytes);
}

std::string manifest_of(const std::string& out) {
  return out.empty() ? "" : fs::path(out).replace_extension(".manifest.json").string();
}

std::string state_of(const std::string& out) { return out + ".state"; }

}  // namespace leeway::app
