// What leeway shift corrupt computes: a model on images under the common corruptions (shift/corruption.h) at several severities,
// or on published files of them (data/load.h).
//
// One corruption at one severity is a unit. Its images are made in blocks and forgotten; what stays of a unit is its
// numbers and which images were misjudged. Accuracy has an exact interval, posterior agreement with the images as they are
// the one of agreement/agreement.h, corruption errors those of shift/corruption_error.h.
//
// With a state, every finished unit is saved, and a task of the same plan goes on after it: a kill loses the unit that was
// under way. The state is left where it is; who has kept the record removes it.
//
// OptionError: corruptions that there are not, or twice, severities outside 1 to 5, options that do not go together.
// Errors (Error): those of the headers above, published files whose pictures are of another shape than the images'; a
// reference without errors. Interrupted, with the finished units saved. Cost: a pass of the model a unit; memory: the images,
// two sets of logits, 64 MiB of corrupted images. Deterministic for any number of threads as far as the model is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/nn/predictor.h"
#include "leeway/record/corruptions.h"

namespace leeway::tasks {

struct CorruptionsTask {
  const Images& images;  // as they are
  const nn::Predictor& model;
  std::string data = {}, model_file = {};
  std::string published = {};  // folder of corrupted images; empty: they are made
  std::string sheet = {};      // a contact sheet (PNG); empty: none
  std::string state = {};      // file; empty: nothing is saved
  std::vector<std::string> made_of =
      {};  // what else decides the numbers, so that a state of another plan is no use
  std::optional<record::Corruptions> reference = {};  // the record that the option names
  record::CorruptionsOptions options = {};
  std::uint64_t seed = 0;
  std::function<void(std::size_t done, std::size_t units)> resumed = {};
  // Is told of each array of published corruptions that is read.
  std::function<void(const std::string& path, const std::vector<std::size_t>& shape)> was_read = {};
};

// The record without `command` and `inputs`, which the caller knows.
[[nodiscard]] record::Corruptions corruptions(const CorruptionsTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
