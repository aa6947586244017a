#include "leeway/core/removal.h"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <system_error>

#include "leeway/core/message.h"

namespace leeway {
namespace {

bool is_inside(const std::filesystem::path& folder, const std::filesystem::path& path) {
  const std::filesystem::path below = folder.empty() ? path : path.lexically_relative(folder);
  std::filesystem::path at = folder;
  for (const std::filesystem::path& part : below) {
    const bool linked = at != folder && std::filesystem::is_symlink(at);
    if (part.empty() || part == "." || part == ".." || part.is_absolute() || linked) return false;
    at /= part;
  }
  return !below.empty();
}

}  // namespace

void remove_made(const std::filesystem::path& folder, const std::filesystem::path& path) {
  if (!is_inside(folder, path))
    refuse(display_name(path), "a path to remove inside " + in_quotes(folder.string()), "a path outside");
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error)
    throw std::runtime_error(fmt::format("{}: cannot remove: {}", display_name(path), error.message()));
}

void discard_made(const std::filesystem::path& folder, const std::filesystem::path& path) noexcept {
  try {
    remove_made(folder, path);
  } catch (const std::exception&) {  // it stays
  }
}

}  // namespace leeway
