// Files that a command wrote, as its record tells of them; and the record beside them, their manifest.
#pragma once

#include <string>

#include "apps/leeway/command.h"

namespace leeway::app {

// {path, bytes, xxh3_128}, the last without --no-digest; null for an empty path.
[[nodiscard]] Json written_file(const Context& context, const std::string& path);

// "images.npz" -> "images.manifest.json"; empty for an empty path.
[[nodiscard]] std::string manifest_of(const std::string& out);
void write_manifest(const std::string& path, const Json& record);

}  // namespace leeway::app
