// leeway inspect: a model file's content, expected inputs, cost of a pass on this machine, and accuracy on
// labelled images. Keys: leeway schema inspect.
// Errors (Error): those of Model::outputs (nn/predictor.h). Warnings: no gradients, different outputs in two
// passes, a better normalization. Cost: passes of 16 images for a second, and one of the labelled images. All
// but the seconds has the same bits for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/nn/model.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

inline constexpr std::string_view inspect_schema = "leeway.inspect/2";

struct InspectOptions {
  ModelReading reading;  // `stochastic` says nothing here: such a model is taken, with a warning
  std::vector<std::size_t>
      input;  // channels, height, width, or the sizes of a row; empty: what the file says
  bool no_timing = false;
};

struct PassCost {
  std::size_t images = 0;  // that pass together
  std::size_t threads = 1;
  double forward_seconds = 0;              // an image
  std::optional<double> gradient_seconds;  // forward and backward; none: the model has no gradients
};

struct InspectedModel {
  nn::ModelInfo info;  // its input: that of the labelled images, where the file does not say
  std::vector<nn::FittingArchitecture> fitting = {};  // of a file that does not say its architecture
  std::optional<PassCost> cost = {};
  std::size_t n = 0;       // labelled images
  Measured accuracy = {};  // on them
  std::optional<nn::Variation> stochastic = {};
};

using Inspect = RecordOf<inspect_schema, InspectOptions, InspectedModel>;

void fields(InspectOptions& options, Fields& f);
void flag_fields(InspectOptions& options, Fields& f);  // without the device, which not every build offers
void fields(InspectedModel& model, Fields& f);

// Channels, height, width, or the sizes of a row; empty: not known.
[[nodiscard]] std::vector<std::size_t> input_sizes(const InspectedModel& model);
// Whether the file holds tensors alone, of which nothing says what network they are.
[[nodiscard]] bool is_unknown(const InspectedModel& model);
// "resnet32-cifar's names and shapes", of each that fits.
[[nodiscard]] std::string fitting_text(const InspectedModel& model);

[[nodiscard]] std::string headline_of(const Inspect& record);

struct InspectTask {
  const nn::Model& model;
  const Images* images = nullptr;  // null: there are none, and made up ones pass
  InspectOptions options = {};
  std::uint64_t seed = 0;  // for the record: nothing here is random
};

// Of a file of tensors that does not say its architecture (Session::weights_of_unknown). The record without `command` and `inputs`.
[[nodiscard]] Inspect inspect(const nn::WeightsFile& file, const InspectOptions& options,
                              std::uint64_t seed = 0);

[[nodiscard]] Inspect inspect(const InspectTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const Inspect& record);

}  // namespace leeway::tasks
