// Normalizations, and Dropout.
#include "leeway/core/message.h"
#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

// (C) over x (n,C,...)
Tensor by_channel(const Tensor& values, const Tensor& x) {
  Integers sizes(static_cast<std::size_t>(x.dim()), 1);
  sizes.at(1) = values.numel();
  return values.reshape(sizes);
}

Integers all_axes_but(const Tensor& x, std::int64_t axis) {
  Integers axes;
  for (std::int64_t d = 0; d < x.dim(); ++d)
    if (d != axis) axes.push_back(d);
  return axes;
}

// Statistics of this batch, and the running ones moved towards them (variance: of the population).
Tensors train_batch_norm(const Tensors& in, double epsilon, double momentum) {
  const Tensor& x = in[0];
  const Integers axes = all_axes_but(x, 1);
  const Tensor mean = at::mean(x, axes), variance = at::var(x, axes, false);
  const Tensor y =
      (x - by_channel(mean, x)) / at::sqrt(by_channel(variance, x) + epsilon) * by_channel(in[1], x) +
      by_channel(in[2], x);
  return {y, in[3] * momentum + mean * (1 - momentum), in[4] * momentum + variance * (1 - momentum)};
}

}  // namespace

// Training is a flag from opset 14 on, before that the number of outputs said it.
static Kernel prepare_batch_normalization(Call& call) {
  const double epsilon = call.real("epsilon", 1e-5), momentum = call.real("momentum", .9);
  for (const char* name : {"is_test", "consumed_inputs"}) call.ignore(name);
  if (!call.flag("spatial", true)) call.fail("batch normalization by channel", "spatial 0");
  const bool training = call.opset() >= 14 && call.flag("training_mode", false);
  if (!training && (call.wanted(1) || call.outputs() > 3))
    call.fail("batch normalization in inference mode", "training outputs");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    if (training) return train_batch_norm(in, epsilon, momentum);
    return {at::batch_norm(in[0], in[1], in[2], in[3], in[4], false, 0, epsilon, false)};
  };
}

static Kernel prepare_instance_normalization(Call& call) {
  const double epsilon = call.real("epsilon", 1e-5);
  call.ignore("consumed_inputs");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    return {at::instance_norm(in[0], in[1], in[2], {}, {}, true, 0, epsilon, false)};
  };
}

static Kernel prepare_layer_normalization(Call& call) {
  const std::int64_t axis = call.integer("axis", -1);
  const double epsilon = call.real("epsilon", 1e-5);
  call.ignore("stash_type");  // the type of intermediate results: here that of x
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    const auto from = static_cast<std::size_t>(axis_of(axis, x.dim()));
    const Integers sizes = x.sizes().slice(from).vec();
    const Tensor bias = in.size() > 2 && in[2].defined() ? in[2].expand(sizes) : Tensor();
    const auto [y, mean, deviation] = at::native_layer_norm(x, sizes, in[1].expand(sizes), bias, epsilon);
    return {y, mean, deviation};
  };
}

// Weights and biases: one a group in opset 18 to 20, one a channel from 21 on.
static Kernel prepare_group_normalization(Call& call) {
  const double epsilon = call.real("epsilon", 1e-5);
  const std::int64_t groups = call.integer("num_groups", 0);
  if (groups < 1) call.fail("num_groups of at least 1", std::to_string(groups));
  call.ignore("stash_type");  // the type of intermediate results: here that of x
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    TORCH_CHECK(x.dim() >= 2 && x.size(1) % groups == 0, groups, " groups of the channels of ", x.sizes());
    const auto each = [&](const Tensor& values) {
      return values.numel() == x.size(1) ? values : values.repeat_interleave(x.size(1) / groups);
    };
    return {at::group_norm(x, groups, each(in[1]), each(in[2]), epsilon)};
  };
}

// x / (bias + alpha / size * sum of squares over `size` neighbouring channels)^beta
static Kernel prepare_lrn(Call& call) {
  const double alpha = call.real("alpha", 1e-4), beta = call.real("beta", .75), bias = call.real("bias", 1);
  const std::int64_t size = call.integer("size", 0);
  if (size < 1 || size > 1 << 20) call.fail("a size from 1", std::to_string(size));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    TORCH_CHECK(x.dim() >= 2, "an input without channels");
    Integers pads(2 * static_cast<std::size_t>(x.dim() - 1), 0);
    pads[pads.size() - 2] = (size - 1) / 2;
    pads[pads.size() - 1] = size / 2;
    const Tensor sums = at::constant_pad_nd(x * x, pads, 0).unfold(1, size, 1).sum(-1);
    return {x / at::pow(sums * (alpha / static_cast<double>(size)) + bias, beta)};
  };
}

static Kernel prepare_lp_normalization(Call& call) {
  const std::int64_t axis = call.integer("axis", -1), p = call.integer("p", 2);
  if (p != 1 && p != 2) call.fail("p of 1 or 2", std::to_string(p));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    return {in[0] / at::norm(in[0], p, {axis_of(axis, in[0].dim())}, true)};
  };
}

static Kernel prepare_mean_variance_normalization(Call& call) {
  const Integers axes = call.integers("axes").value_or(Integers{0, 2, 3});
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor centred = in[0] - at::mean(in[0], axes, true);
    return {centred / (at::sqrt(at::mean(centred * centred, axes, true)) + 1e-9)};
  };
}

// Nothing, as for prediction. Before opset 12 it may be that a file says "training" and means nothing by it.
static Kernel prepare_dropout(Call& call) {
  for (const char* name : {"ratio", "seed", "is_test", "consumed_inputs"}) call.ignore(name);
  const bool boolean_mask = call.opset() >= 10, mask = call.wanted(1);
  const double ratio = call.real("ratio", .5);
  const std::string where = call.where();
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const bool training = in.size() > 2 && in[2].defined() && in[2].item<bool>();
    const double share = in.size() > 1 && in[1].defined() ? in[1].item<double>() : ratio;
    if (training && share != 0) refuse(where, "dropout in inference mode", "a random mask for training");
    if (!mask) return {in[0]};
    return {in[0], boolean_mask ? at::ones_like(in[0], torch::kBool) : at::ones_like(in[0])};
  };
}

static constexpr Operator normalization_table[] = {
    {"BatchNormalization", prepare_batch_normalization, 5, 5, 5},
    {"Dropout", prepare_dropout, 1, 3, 2},
    {"GroupNormalization", prepare_group_normalization, 3, 3},
    {"InstanceNormalization", prepare_instance_normalization, 3, 3},
    {"LRN", prepare_lrn},
    {"LayerNormalization", prepare_layer_normalization, 2, 3, 3},
    {"LpNormalization", prepare_lp_normalization},
    {"MeanVarianceNormalization", prepare_mean_variance_normalization}};

std::span<const Operator> normalization_operators() { return normalization_table; }

}  // namespace leeway::nn::onnx
