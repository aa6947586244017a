#include "apps/leeway/written.h"

#include <filesystem>

#include "leeway/core/file.h"

namespace leeway::app {

std::string manifest_of(const std::string& out) {
  return out.empty() ? "" : std::filesystem::path(out).replace_extension(".manifest.json").string();
}

void write_manifest(const std::string& path, const Json& record) { write_text(path, record_text(record)); }

}  // namespace leeway::app
