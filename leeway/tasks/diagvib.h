// Environments of DiagViB pictures (data/diagvib_environments.h), drawn from digits and written as training
// data: one part to a file, or all parts of an experiment to a folder.
// Errors (Error): those of data/diagvib_set.h, an unknown experiment or part; OptionError: conflicting
// options. Interrupted on request: finished files stay. Cost and determinism: as there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/record/diagvib.h"
#include "leeway/tasks/data.h"

namespace leeway::tasks {

struct DataDiagvibTask {
  std::string digits;            // training file
  std::string test_digits = {};  // empty: test_digits_beside(digits)
  std::string textures = {};     // folder; empty: leeway's own
  DataPaths out = {};            // images: with part "all" the folder
  record::DataDiagvibOptions options = {};
  std::uint64_t seed = 0;
  std::function<Images(const std::string& path)> open = {};  // empty: read_images
};

// The test file for a training file: "fashion-mnist:test" for "fashion-mnist:train", t10k-images... for
// train-images... in the same folder; empty if there is none.
[[nodiscard]] std::string test_digits_beside(const std::string& digits);

// The parts that a task writes, in order: the one of its options, or with "all" those of the experiment. Errors as above.
[[nodiscard]] std::vector<std::string> diagvib_parts(const record::DataDiagvibOptions& options);
// "val-id-0.npz" for "val-id:0", in the folder of part "all".
[[nodiscard]] std::string diagvib_file_name(const std::string& part);

// The record without `command`, `inputs` and `manifest`, which the caller knows.
[[nodiscard]] record::DataDiagvib data_diagvib(const DataDiagvibTask& task, Progress* progress = nullptr);

}  // namespace leeway::tasks
