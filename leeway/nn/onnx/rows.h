// A program over any number of rows, whatever number its file was made for.
//
// A graph with an open batch takes any number; one exported with a batch of b has b in its shapes, and members of
// onnx/shapes.cpp put the rows of the run in its place where they may. Whether that came out right is not believed but
// seen: for every shape of images, once, more rows than b together are compared with the same rows b at a time, to
// 1e-3 of the largest output. Where they differ or fail, all runs are made of runs of b rows, the last one filled up
// with copies of its last row: slower, and always what the file says. Where b is above most_checked, three rows together are first
// held against each of them alone: b + 1 rows need not run at all where they agree. If they do not and b rows are more than
// most_numbers, the model is refused with what they would cost. A graph whose batch is open is held against runs
// of one row, so that a row's answer never depends on its neighbours. May be called from several threads at once.
#pragma once

#include <torch/torch.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "leeway/nn/model/architecture.h"
#include "leeway/nn/onnx/program.h"

namespace leeway::nn::onnx {

inline constexpr std::int64_t most_checked = 64;
inline constexpr std::int64_t most_numbers = std::int64_t{1} << 28;  // of the input of one run: 1 GiB

class RowRunner {
 public:
  // `program` gives logits and, where has_features, features. Inputs of the check are uniform in [0, scale).
  RowRunner(std::shared_ptr<const Program> program, bool has_features, std::int64_t declared_batch,
            double scale, std::string name);

  // x (n, ...), as the graph takes it. Logits (n,k); ones of (n,k,1,1) lose the 1s.
  [[nodiscard]] Forward operator()(const torch::Tensor& x) const;

  // The check alone; whether rows of that type and shape (without the batch) go together.
  [[nodiscard]] bool goes_together(const torch::Tensor& like) const;

 private:
  [[nodiscard]] Forward run(const torch::Tensor& x) const;
  [[nodiscard]] Forward run_in_groups(const torch::Tensor& x, std::int64_t group) const;
  [[nodiscard]] bool check(const torch::Tensor& like) const;
  [[nodiscard]] bool agrees_in_groups(const torch::Tensor& like, std::int64_t rows, std::int64_t group) const;

  std::shared_ptr<const Program> program_;
  bool has_features_;
  std::int64_t declared_, group_;
  double scale_;
  std::string name_;  // of the file
  mutable std::mutex mutex_;
  mutable std::map<std::vector<std::int64_t>, bool> together_;  // by shape without the batch
};

}  // namespace leeway::nn::onnx
