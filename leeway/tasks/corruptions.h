// A model on images under the common corruptions (shift/corruption.h) at several severities, or on published
// files of corrupted images (data/load.h).
//
// A unit is one corruption at one severity. Its images are made in blocks and discarded; its numbers and the
// misclassified rows stay. Accuracy has an exact interval; posterior agreement with the clean images that of
// agreement/agreement.h; corruption errors: shift/corruption_error.h. With a state, every finished unit is
// saved and a task of the same plan resumes; a kill loses only the current unit. The caller removes the state
// after storing the record.
//
// OptionError: unknown or repeated corruptions, severities outside 1 to 5, conflicting options. Errors
// (Error): those of the headers above, published files of another image shape, a reference without errors.
// Interrupted on request after saving. Cost: a model pass a unit; memory: the images, two sets of logits, 64
// MiB of corrupted images. Deterministic for any number of threads if the model is.
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

[[nodiscard]] record::Corruptions corruptions(const CorruptionsTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
