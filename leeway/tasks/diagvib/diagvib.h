// leeway data diagvib: environments of DiagViB pictures (data/diagvib_environments.h), drawn from digits and
// written as training data: one part to a file, or all parts of an experiment to a folder. One result for
// each file. Keys: leeway schema data-diagvib.
// Errors (Error): those of data/diagvib_set.h, an unknown experiment or part; OptionError: conflicting
// options. Interrupted on request: finished files stay. Cost and determinism: as there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/images.h"
#include "leeway/tasks/data/data.h"

namespace leeway::tasks {

struct DataDiagvibOptions {
  std::string environment;             // the experiment
  std::string part = "train";          // NAME, NAME:WHICH or all
  std::optional<std::size_t> n;        // none: the paper's
  std::size_t size = 128;              // pixels a side
  std::vector<std::size_t> classes;    // empty: the experiment's digits
  std::optional<std::string> pairing;  // none: the part's
  double shift_ratio = 1;
  std::vector<std::string> factors;     // FACTOR=CLASS
  std::string learning_factor = "hue";  // of co-occurrence
  double share = .9;                    // of fgo
};

struct DiagvibEnvironment {
  std::size_t number = 0, n = 0;
  std::string hue, lightness, position, scale, texture;
  std::vector<double> mean, std;  // of the pixels in [0,1], by channel
};

struct DiagvibFile {
  std::string part;
  std::size_t n = 0;
  std::vector<std::size_t> shape;  // n, channels, height, width
  std::string pairing;
  std::vector<std::size_t> pool;                 // digits there are, by class
  std::vector<DiagvibEnvironment> environments;  // empty: of co-occurrence
  std::vector<std::string> learning_classes;     // of co-occurrence
  std::vector<std::vector<std::size_t>> pairs;   // rows by digit and class of the learning factor
  std::optional<double> mutual_information;      // of digit and learning factor, nats
  std::vector<double> mean, std;                 // what standardises the file's pixels
  std::optional<WrittenFile> out, attributes;
};

struct DataDiagvib {
  Envelope envelope = envelope_of("leeway.data-diagvib/3");
  DataDiagvibOptions options;
  std::vector<std::string> classes;  // what y = 0, 1, ... mean
  std::size_t left_out = 0;          // pictures without a digit
  std::optional<WrittenFile> sheet;
  std::optional<std::string> manifest;
  std::vector<DiagvibFile> results;
};

void fields(DataDiagvibOptions& options, Fields& f);
void fields(DataDiagvib& record, Fields& f);

// How many pictures; which normalisation takes the training environments' statistics.
[[nodiscard]] std::string headline_of(const DataDiagvib& record);
// Pictures left out; textures that are not the published ones.
[[nodiscard]] std::vector<std::string> findings_of(const DataDiagvib& record);

struct DataDiagvibTask {
  std::string digits;            // training file
  std::string test_digits = {};  // empty: test_digits_beside(digits)
  std::string textures = {};     // folder; empty: leeway's own
  DataPaths out = {};            // images: with part "all" the folder
  DataDiagvibOptions options = {};
  std::uint64_t seed = 0;
  std::function<Images(const std::string& path)> open = {};  // empty: read_images
};

// The test file for a training file: "fashion-mnist:test" for "fashion-mnist:train", t10k-images... for
// train-images... in the same folder; empty if there is none.
[[nodiscard]] std::string test_digits_beside(const std::string& digits);

// The parts that a task writes, in order: the one of its options, or with "all" those of the experiment. Errors as above.
[[nodiscard]] std::vector<std::string> diagvib_parts(const DataDiagvibOptions& options);
// "val-id-0.npz" for "val-id:0", in the folder of part "all".
[[nodiscard]] std::string diagvib_file_name(const std::string& part);

// The record without `command`, `inputs` and `manifest`, which the caller knows.
[[nodiscard]] DataDiagvib data_diagvib(const DataDiagvibTask& task, Progress* progress = nullptr);

[[nodiscard]] View view(const DataDiagvib& record);

}  // namespace leeway::tasks
