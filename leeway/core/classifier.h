// A classifier as the analyses see it: functions from inputs to logits and to vector-Jacobian products.
// leeway/nn/model.h or the caller supplies them.
//
// Inputs are (n,d) row-major, of any range, since noise leaves every range. All functions are called from one
// thread at a time unless `reentrant`, may use threads, and must give equal bits for equal rows. An empty function: not available.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace leeway {

// A forward pass whose backward passes can be asked for, any number of them.
struct Linearized {
  std::vector<float> logits;  // (n,k)
  // Vector-Jacobian product, (n,k) -> (n,d): row i is the gradient of sum_j cotangents(i,j) F_j(x_i) with respect to x_i.
  std::function<std::vector<float>(std::span<const float> cotangents)> vjp = {};
  std::size_t cotangents_at_once = 1;  // most cotangents m per row that vjp takes, (n,m,k) -> (n,m,d)
};

// What a call takes. flops: of the forward pass, two for each multiplication and addition of a product of
// matrices or a convolution, other operators not counted; the gradient of one class with respect to the input
// takes as many again. bytes: most that the arrays inside the call take at once, argument, result and weights
// not counted.
struct CallCost {
  double flops = 0;
  std::size_t bytes = 0;
};

struct Classifier {
  std::size_t d = 0, k = 0;
  std::function<std::vector<float>(std::span<const float> x)> logits = {};  // (n,d) -> (n,k)
  std::function<Linearized(std::span<const float> x)> linearize = {};
  std::size_t rows_at_once = 256;  // a call of linearize has no more rows
  bool reentrant = false;          // may be called from several threads at once
  // Of logits, or with `gradients` of linearize and a vjp of it; nothing where it cannot be counted. From one
  // thread at a time.
  std::function<std::optional<CallCost>(std::size_t rows, bool gradients)> cost = {};
};

// Gradients (n,m,d) of logits with respect to the input, of `classes` (n,m), or if empty of all k in order.
[[nodiscard]] std::vector<float> class_gradients(const Linearized& here, std::size_t k,
                                                 std::span<const std::int32_t> classes = {});

// body(begin, end) for blocks of n rows, on several threads if the classifier is reentrant; then blocks are smaller if
// rows are few. They are also smaller if several `passes` are in memory together, and depend on nothing else.
void for_blocks(const Classifier& classifier, std::size_t n, std::size_t passes,
                const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace leeway
