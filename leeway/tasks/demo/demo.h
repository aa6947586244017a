// leeway demo: trains two classifiers, one adversarially; makes the test images under four shifts and an
// attack for each; saves the classifiers' outputs and the assessment of both.
// Each product is a file in one folder, written whole, with a .key file that names what it was made from; a
// later run reuses it.
// Errors: those of tasks/train/train.h, shift/shift.h, nn/model.h and tasks/assess/assess.h. Same bits for a given seed
// and thread count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/nn/session.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::tasks {

struct DemoTask {
  const nn::Session& session;
  std::filesystem::path folder;
  std::function<Images()> train, test;  // labelled
  std::size_t epochs = 6, robust_epochs = 3;
  std::size_t images = 5000;  // at most so many of the test images
  std::uint64_t seed = 0;
  std::string device = "cpu";
  std::function<void(const std::string&)> say = {};  // shows a line: a file that exists already, a warning
};

struct DemoFound {
  Assess record;                                       // without `command` and `inputs`
  std::vector<std::pair<std::string, Images>> images;  // by [MODEL/]SHIFT; of the source without a name
};
[[nodiscard]] DemoFound demo(const DemoTask& task, Progress* progress = nullptr);

// The files that the folder comes to hold, but for keys and states.
[[nodiscard]] std::vector<std::string> demo_files();

}  // namespace leeway::tasks
