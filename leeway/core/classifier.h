// A classifier as the analyses see it: functions from inputs to logits and to gradients. leeway/nn/model.h or
// the caller supplies them.
//
// Inputs are (n,d) row-major, of any range, since noise leaves every range. All functions are called from one
// thread at a time unless `reentrant`, may use threads, and must give equal bits for equal rows. An empty function: not available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace leeway {

struct ClassGradients {
  std::vector<float> logits;     // (n,k)
  std::vector<float> gradients;  // (n,m,d): of the m classes asked for, or of all k
};

// A forward pass whose backward passes can be asked for, any number of them.
struct Linearized {
  std::vector<float> logits;  // (n,k)
  // Vector-Jacobian product, (n,k) -> (n,d): row i is the gradient of sum_j cotangents(i,j) F_j(x_i) with respect to x_i.
  std::function<std::vector<float>(std::span<const float> cotangents)> vjp = {};
};

struct Classifier {
  std::size_t d = 0, k = 0;
  std::function<std::vector<float>(std::span<const float> x)> logits = {};  // (n,d) -> (n,k)
  // Gradients of logits with respect to the input. `classes` (n,m), m for each row, or empty: all of them in order.
  std::function<ClassGradients(std::span<const float> x, std::span<const std::int32_t> classes)> gradients =
      {};
  std::function<Linearized(std::span<const float> x)> linearize = {};
  std::size_t rows_at_once = 256;  // of attacks: a call has no more rows
  bool reentrant = false;          // may be called from several threads at once
};

}  // namespace leeway
