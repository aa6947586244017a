#include "leeway/nn/train/reuse.h"

#include <fmt/format.h>
#include <torch/version.h>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/train/plan.h"
#include "leeway/nn/train/selection.h"
#include "leeway/nn/train/team.h"

namespace leeway::nn {

std::optional<TrainResult> reuse(const data::TrainingData& data, const TrainOptions& options,
                                 const std::filesystem::path& out) {
  if (!options.text.given() || !std::filesystem::exists(out)) return {};
  try {
    ModelSource source;
    source.path = out;
    source.device = options.device;
    std::shared_ptr<Model> model = load_model(source);
    TrainResult result{options.text.read(model->info().training, display_name(out))};
    if (!options.text.differences(result, planned(data, options, openmp_team(threads()), TORCH_VERSION))
             .empty() ||
        !epochs_kept(options, result.epochs.size()))
      return {};
    result.model = std::move(model);
    result.reused = true;
    result.notes = {
        fmt::format("{}: was trained with these options and data before: kept", display_name(out))};
    return result;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace leeway::nn
