// Reductions over axes.
#include <numeric>

#include "leeway/nn/onnx/members.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;
using Reduce = Tensor (*)(const Tensor& x, const Integers& axes, bool keep);

// Axes are an attribute before opset 13 (ReduceSum) or 18 (the others) and an input from then on; none are all.
Kernel reduced(Call& call, Reduce reduce) {
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

Kernel arg_of(Call& call, bool largest) {
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

Kernel prepare_reduce_sum(Call& call) { return reduced(call, sum_of); }
Kernel prepare_reduce_prod(Call& call) { return reduced(call, product_of); }
Kernel prepare_reduce_mean(Call& call) {
  return reduced(call,
                 [](const Tensor& x, const Integers& axes, bool keep) { return at::mean(x, axes, keep); });
}
Kernel prepare_reduce_max(Call& call) {
  return reduced(call,
                 [](const Tensor& x, const Integers& axes, bool keep) { return at::amax(x, axes, keep); });
}
Kernel prepare_reduce_min(Call& call) {
  return reduced(call,
                 [](const Tensor& x, const Integers& axes, bool keep) { return at::amin(x, axes, keep); });
}
Kernel prepare_reduce_l1(Call& call) {
  return reduced(
      call, [](const Tensor& x, const Integers& axes, bool keep) { return sum_of(x.abs(), axes, keep); });
}
// LibTorch's norm has the gradient 0 where all is 0, which the root of a sum has not.
Kernel prepare_reduce_l2(Call& call) {
  return reduced(call, [](const Tensor& x, const Integers& axes, bool keep) {
    return at::linalg_vector_norm(x, 2, at::OptionalIntArrayRef(axes), keep);
  });
}
Kernel prepare_reduce_log_sum(Call& call) {
  return reduced(
      call, [](const Tensor& x, const Integers& axes, bool keep) { return sum_of(x, axes, keep).log(); });
}
Kernel prepare_reduce_log_sum_exp(Call& call) {
  return reduced(
      call, [](const Tensor& x, const Integers& axes, bool keep) { return at::logsumexp(x, axes, keep); });
}
Kernel prepare_reduce_sum_square(Call& call) {
  return reduced(call,
                 [](const Tensor& x, const Integers& axes, bool keep) { return sum_of(x * x, axes, keep); });
}

Kernel prepare_arg_max(Call& call) { return arg_of(call, true); }
Kernel prepare_arg_min(Call& call) { return arg_of(call, false); }

// k is an attribute before opset 10 and an input from then on.
Kernel prepare_top_k(Call& call) {
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

Kernel prepare_cum_sum(Call& call) {
  const bool exclusive = call.flag("exclusive", false), reverse = call.flag("reverse", false);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t axis = axis_of(integers_of(in[1]).at(0), in[0].dim());
    const Tensor x = reverse ? in[0].flip({axis}) : in[0];
    Tensor sums = at::cumsum(x, axis, x.scalar_type());
    if (exclusive) sums = sums - x;
    return {reverse ? sums.flip({axis}) : sums};
  };
}

}  // namespace leeway::nn::onnx
