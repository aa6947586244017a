#include "leeway/core/state_file.h"

#include <fmt/format.h>

#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr const char* digest_key = "digest";

// Lengths stand before names and texts, so that no two contents give the same text.
std::string digest_of_state(const Safetensors& content) {
  std::string text;
  for (const auto& [key, value] : content.metadata)
    if (key != digest_key) text += fmt::format("{} {} {} {}\n", key.size(), key, value.size(), value);
  for (const auto& [name, array] : content.tensors)
    text += fmt::format("{} {} {} {} {}\n", name.size(), name, name_of(array.type), array.shape_text(),
                        digest_bytes({array.bytes()}));
  return digest_text(text);
}

}  // namespace

void write_state(const std::filesystem::path& path, Safetensors content) {
  content.metadata[digest_key] = digest_of_state(content);
  write_safetensors(path, content);
}

std::optional<Safetensors> read_state(const std::filesystem::path& path) {
  try {
    Safetensors content = read_safetensors(path);
    const auto digest = content.metadata.extract(digest_key);
    if (digest && digest.mapped() == digest_of_state(content)) return content;
  } catch (const Error&) {  // not safetensors
  }
  return std::nullopt;
}

std::string damaged_state(const std::filesystem::path& path) {
  return display_name(path) + ": the saved state is damaged; starting over";
}

}  // namespace leeway
