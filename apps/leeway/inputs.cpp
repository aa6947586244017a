#include "apps/leeway/inputs.h"

namespace leeway::app {

OutputsShards open_shards(Context& context, const std::string& text, const OutputsOptions& options) {
  OutputsShards shards = read_shards(text, options);
  for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
  for (const std::string& warning : shards.rest.warnings) context.warn(warning);
  return shards;
}

}  // namespace leeway::app
