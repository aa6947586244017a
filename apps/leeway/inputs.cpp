#include "apps/leeway/inputs.h"

#include <fmt/format.h>

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

OutputsShards open_beside(Context& context, const OutputsShards& clean, const std::string& shifted,
                          const OutputsOptions& options) {
  OutputsShards shards = read_shards(shifted, options);
  require_alike(columns_of(clean), columns_of(shards));
  tell_opened(context, shards);
  return shards;
}

std::optional<agreement::PairEvidence> evidence_of(const PairedRows& clean, const PairedRows& shifted) {
  if (clean.logits->shape()[0] != shifted.logits->shape()[0]) return std::nullopt;
  const auto said = [](const PairedRows& set, const std::vector<std::int32_t>& classes) {
    agreement::RowsSaid rows{set.labels, {}, classes, set.logits->shape()[1]};
    if (rows.labels.empty() && set.rest->labels) rows.labels = *set.rest->labels;
    if (set.rest->ids) rows.ids = *set.rest->ids;
    return rows;
  };
  const auto before = agreement::first_predictions(*clean.logits),
             after = agreement::first_predictions(*shifted.logits);
  return agreement::pair_evidence(said(clean, before), said(shifted, after));
}

std::string pair_doubt(const std::optional<agreement::PairEvidence>& evidence, const std::string& clean,
                       const std::string& shifted) {
  if (!evidence || evidence->pairs() || !(evidence->different || evidence->decidable)) return "";
  return fmt::format("rows of {} need not be those of {}, with which they are compared: {}",
                     display_name(shifted), display_name(clean), evidence->reason);
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
