#include "apps/leeway/inputs.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "leeway/core/columns.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"

namespace leeway::app {

namespace {

void tell_opened(Context& context, const OutputsShards& shards) {
  for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
  for (const std::string& warning : shards.rest.warnings) context.warn(warning);
}

}  // namespace

OutputsShards open_shards(Context& context, const std::string& text, const OutputsOptions& options) {
  OutputsShards shards = read_shards(text, options);
  tell_opened(context, shards);
  return shards;
}

tasks::NamedOutputs named_outputs(Context& context, const std::string& text,
                                  const record::OutputsReading& reading, bool check_finite) {
  OutputsOptions options;
  options.check_finite = check_finite;
  if (reading.binary) options.binary = *reading.binary == "prob" ? Binary::prob : Binary::logit;
  if (reading.as) options.as = *reading.as == "probs" ? Scores::probs : Scores::logits;
  return {text, [&context, text, options, noted = std::make_shared<bool>(false)] {
            OutputsShards shards = read_shards(text, options);
            if (std::exchange(*noted, true)) return shards;
            for (const OutputsFile& file : shards.files) context.add_input(file.path, file.shape);
            return shards;
          }};
}

OutputsShards open_beside(Context& context, const OutputsShards& clean, const std::string& shifted,
                          const OutputsOptions& options) {
  OutputsShards shards = read_shards(shifted, options);
  require_alike(columns_of(clean), columns_of(shards));
  tell_opened(context, shards);
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
