// Reductions over axes.
#include <numeric>

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;
using Reduce = Tensor (*)(const Tensor& x, const Integers& axes, bool keep);

// Axes are an attribute before opset 13 (ReduceSum) or 18 (the others) and an input from then on; none are all.
template <Reduce reduce>
Kernel prepare_reduced(Call& call) {
  const bool keep = call.flag("keepdims", true), unless_empty = call.flag("noop_with_empty_axes", false);
  const IntegerInput given(call, "axes", 1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    Integers axes = given.read(in).value_or(Integers{});
    if (axes.empty() && unless_empty) return {in[0]};
    if (axes.empty()) {
      axes.resize(static_cast<std::size_t>(in[0].dim()));
      std::iota(axes.begin(), axes.end(), 0);
    }
    if (axes.empty()) return {reduce(in[0].reshape({1}), {0}, false)};  // a number
    for (std::int64_t& axis : axes) axis = axis_of(axis, in[0].dim());
    return {reduce(in[0], axes, keep)};
  };
}

Tensor sum_of(const Tensor& x, const Integers& axes, bool keep) {
  return at::sum(x, axes, keep, x.scalar_type());
}

Tensor product_of(const Tensor& x, const Integers& axes, bool keep) {
  Integers last_first = axes;
  std::sort(last_first.rbegin(), last_first.rend());
  Tensor result = x;
  for (const std::int64_t axis : last_first) result = at::prod(result, axis, keep, x.scalar_type());
  return result;
}

Tensor mean_of(const Tensor& x, const Integers& axes, bool keep) { return at::mean(x, axes, keep); }
Tensor maximum_of(const Tensor& x, const Integers& axes, bool keep) { return at::amax(x, axes, keep); }
Tensor minimum_of(const Tensor& x, const Integers& axes, bool keep) { return at::amin(x, axes, keep); }
Tensor l1_of(const Tensor& x, const Integers& axes, bool keep) { return sum_of(x.abs(), axes, keep); }

// LibTorch's norm has the gradient 0 where all is 0, which the root of a sum has not.
Tensor l2_of(const Tensor& x, const Integers& axes, bool keep) {
  return at::linalg_vector_norm(x, 2, at::OptionalIntArrayRef(axes), keep);
}

Tensor log_sum_of(const Tensor& x, const Integers& axes, bool keep) { return sum_of(x, axes, keep).log(); }
Tensor log_sum_exp_of(const Tensor& x, const Integers& axes, bool keep) {
  return at::logsumexp(x, axes, keep);
}
Tensor squares_of(const Tensor& x, const Integers& axes, bool keep) { return sum_of(x * x, axes, keep); }

template <bool largest>
Kernel prepare_arg(Call& call) {
  const std::int64_t axis = call.integer("axis", 0);
  const bool keep = call.flag("keepdims", true), last = call.flag("select_last_index", false);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t along = axis_of(axis, in[0].dim());
    const Tensor x = last ? in[0].flip({along}) : in[0];
    const Tensor place = largest ? at::argmax(x, along, keep) : at::argmin(x, along, keep);
    return {last ? x.size(along) - 1 - place : place};
  };
}

}  // namespace

// k is an attribute before opset 10 and an input from then on.
static Kernel prepare_top_k(Call& call) {
  const std::int64_t axis = call.integer("axis", -1), attribute = call.integer("k", 0);
  const bool largest = call.flag("largest", true), sorted = call.flag("sorted", true);
  const bool by_attribute = call.opset() < 10;
  if (!by_attribute && !call.given(1)) call.fail("k", "none");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t k = by_attribute ? attribute : integers_of(in[1]).at(0);
    const auto [values, places] = at::topk(in[0], k, axis_of(axis, in[0].dim()), largest, sorted);
    return {values, places};
  };
}

static Kernel prepare_cum_sum(Call& call) {
  const bool exclusive = call.flag("exclusive", false), reverse = call.flag("reverse", false);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t axis = axis_of(integers_of(in[1]).at(0), in[0].dim());
    const Tensor x = reverse ? in[0].flip({axis}) : in[0];
    Tensor sums = at::cumsum(x, axis, x.scalar_type());
    if (exclusive) sums = sums - x;
    return {reverse ? sums.flip({axis}) : sums};
  };
}

// clang-format off
static constexpr Operator reductions_table[] = {
    {"ArgMax", prepare_arg<true>}, {"ArgMin", prepare_arg<false>}, {"CumSum", prepare_cum_sum, 2, 2},
    {"ReduceL1", prepare_reduced<l1_of>, 1, 2}, {"ReduceL2", prepare_reduced<l2_of>, 1, 2},
    {"ReduceLogSum", prepare_reduced<log_sum_of>, 1, 2},
    {"ReduceLogSumExp", prepare_reduced<log_sum_exp_of>, 1, 2},
    {"ReduceMax", prepare_reduced<maximum_of>, 1, 2}, {"ReduceMean", prepare_reduced<mean_of>, 1, 2},
    {"ReduceMin", prepare_reduced<minimum_of>, 1, 2}, {"ReduceProd", prepare_reduced<product_of>, 1, 2},
    {"ReduceSum", prepare_reduced<sum_of>, 1, 2}, {"ReduceSumSquare", prepare_reduced<squares_of>, 1, 2},
    {"TopK", prepare_top_k, 1, 2, 2},
};
// clang-format on

std::span<const Operator> reductions_operators() { return reductions_table; }

}  // namespace leeway::nn::onnx
