#include "apps/leeway/inputs.h"

#include <fmt/format.h>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"

namespace leeway::app {

OutputsShards open_shards(Context& context, const std::string& text, const OutputsOptions& options) {
  OutputsShards shards = read_shards(text, options);
  for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
  for (const std::string& warning : shards.rest.warnings) context.warn(warning);
  return shards;
}

Array only_array(Context& context, const std::string& path) {
  const ArrayMap arrays = read_arrays(path);
  if (arrays.size() != 1) {
    std::string names;
    for (const auto& [name, array] : arrays) names += (names.empty() ? "" : ", ") + name;
    refuse(display_name(path), "one array", fmt::format("{}: {}", arrays.size(), names));
  }
  context.add_input(path, arrays.begin()->second.shape);
  return as_float(arrays.begin()->second, display_name(path));
}

}  // namespace leeway::app
