// The record beside the files that a command wrote, their manifest.
#pragma once

#include <string>

#include "apps/leeway/command.h"

namespace leeway::app {

// "images.npz" -> "images.manifest.json"; empty for an empty path.
[[nodiscard]] std::string manifest_of(const std::string& out);
void write_manifest(const std::string& path, const Json& record);

}  // namespace leeway::app
