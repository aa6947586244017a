// Average-case robustness for an assessment (AssessTask::noise): of a source's model on its images, of a
// classifier of functions on its inputs, or of its outputs with given Jacobians. Warns if the model's
// predictions differ from the outputs.
// Errors (Error): a model with other classes than the source, inputs with other rows, a classifier without
// gradients, Jacobians of other rows or classes or of probabilities; those of tasks/average_case/average_case.h. Cost and
// determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/core/progress.h"
#include "leeway/describe/fields.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "leeway/nn/model.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

// What a pointer names outlives the task.
struct NoiseSubject {
  std::string name, path;            // what sources call the model, and its file or that of the Jacobians
  const Outputs* outputs = nullptr;  // of the source
  const nn::Model* model = nullptr;  // on `images`; or
  std::optional<ClassifierInputs> functions = {};  // of one in memory, its inputs those of the source; or
  std::optional<Array> jacobian = {};              // (n,k,d), of the logits by the input
  const Images* images = nullptr;
  std::optional<nn::Variation> stochastic = {};  // of a model that answers differently twice
};

// Error where they do not fit the source: of Jacobians at once, of models when they are asked.
void check_jacobian(const NoiseSubject& subject);

struct NoiseOptions {
  std::vector<double> sigma;         // pixels in [0,1]
  std::size_t survival_rows = 1000;  // the source's first ones; 0: all
};
void fields(NoiseOptions& options, Fields& f);

[[nodiscard]] std::vector<ModelUnderNoise> models_under_noise(const std::vector<NoiseSubject>& subjects,
                                                              const NoiseOptions& options, std::uint64_t seed,
                                                              Progress* progress = nullptr);

}  // namespace leeway::tasks
