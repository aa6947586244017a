#include "apps/leeway/written.h"

#include <filesystem>

#include "leeway/core/file.h"

namespace leeway::app {

Json written_file(const Context& context, const std::string& path) {
  if (path.empty()) return {};
  Json file = {{"path", path}, {"bytes", std::filesystem::file_size(path)}};
  if (context.digests) file["xxh3_128"] = digest_file(path);
  return file;
}

std::string manifest_of(const std::string& out) {
  return out.empty() ? "" : std::filesystem::path(out).replace_extension(".manifest.json").string();
}

void write_manifest(const std::string& path, const Json& record) { write_text(path, record_text(record)); }

}  // namespace leeway::app
