// Short trainings that several tests run.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "leeway/nn/train/train.h"
#include "tests/nn/toy.h"

namespace leeway::nn {

inline std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline TrainOptions quick(const std::string& algorithm_name = "erm") {
  TrainOptions options;
  options.algorithm = algorithm_name;
  options.epochs = 4;
  options.batch = 32;
  options.learning_rate = 5e-3;
  options.validation = .2;
  if (algorithm_name == "pgd") options.parameters = {{"eps", .05}, {"steps", 2}};
  return options;
}

// Asks to stop when so many batches are done.
class StopAfter : public Progress {
 public:
  explicit StopAfter(std::size_t batches) : batches_(batches) {}
  void update(std::string_view, std::size_t done, std::size_t, std::string_view) override { done_ = done; }
  [[nodiscard]] bool stop_requested() const override { return done_ >= batches_; }

 private:
  std::size_t batches_, done_ = 0;
};

}  // namespace leeway::nn
