#include "leeway/nn/onnx/operator.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/onnx/members.h"

namespace leeway::nn::onnx {
namespace {

// One input, one output, nothing to choose.
template <torch::Tensor (*function)(const torch::Tensor&)>
Kernel elementwise(Call& call) {
  call.ignore("consumed_inputs");
  return [](const Tensors& in, const Batch&) -> Tensors { return {function(in[0])}; };
}

constexpr Operator table[] = {
    // name, member, least and most inputs, most outputs, differentiable
    {"Abs", elementwise<at::abs>, 1, 1, 1, true},
    {"Acos", elementwise<at::acos>, 1, 1, 1, true},
    {"Acosh", elementwise<at::acosh>, 1, 1, 1, true},
    {"Add", prepare_add, 2, 2, 1, true},
    {"And", prepare_and, 2, 2, 1, false},
    {"ArgMax", prepare_arg_max, 1, 1, 1, false},
    {"ArgMin", prepare_arg_min, 1, 1, 1, false},
    {"Asin", elementwise<at::asin>, 1, 1, 1, true},
    {"Asinh", elementwise<at::asinh>, 1, 1, 1, true},
    {"Atan", elementwise<at::atan>, 1, 1, 1, true},
    {"Atanh", elementwise<at::atanh>, 1, 1, 1, true},
    {"AveragePool", prepare_average_pool, 1, 1, 1, true},
    {"BatchNormalization", prepare_batch_normalization, 5, 5, 5, true},
    {"Cast", prepare_cast, 1, 1, 1, true},
    {"CastLike", prepare_cast_like, 2, 2, 1, true},
    {"Ceil", elementwise<at::ceil>, 1, 1, 1, false},
    {"Celu", prepare_celu, 1, 1, 1, true},
    {"Clip", prepare_clip, 1, 3, 1, true},
    {"Compress", prepare_compress, 2, 2, 1, true},
    {"Concat", prepare_concat, 1, any_number, 1, true},
    {"Constant", prepare_constant, 0, 0, 1, false},
    {"ConstantOfShape", prepare_constant_of_shape, 1, 1, 1, false},
    {"Conv", prepare_conv, 2, 3, 1, true},
    {"ConvInteger", prepare_conv_integer, 2, 4, 1, false},
    {"ConvTranspose", prepare_conv_transpose, 2, 3, 1, true},
    {"Cos", elementwise<at::cos>, 1, 1, 1, true},
    {"Cosh", elementwise<at::cosh>, 1, 1, 1, true},
    {"CumSum", prepare_cum_sum, 2, 2, 1, true},
    {"DepthToSpace", prepare_depth_to_space, 1, 1, 1, true},
    {"DequantizeLinear", prepare_dequantize_linear, 2, 3, 1, false},
    {"Det", elementwise<at::det>, 1, 1, 1, true},
    {"Div", prepare_div, 2, 2, 1, true},
    {"Dropout", prepare_dropout, 1, 3, 2, true},
    {"DynamicQuantizeLinear", prepare_dynamic_quantize_linear, 1, 1, 3, false},
    {"Einsum", prepare_einsum, 1, any_number, 1, true},
    {"Elu", prepare_elu, 1, 1, 1, true},
    {"Equal", prepare_equal, 2, 2, 1, false},
    {"Erf", elementwise<at::erf>, 1, 1, 1, true},
    {"Exp", elementwise<at::exp>, 1, 1, 1, true},
    {"Expand", prepare_expand, 2, 2, 1, true},
    {"EyeLike", prepare_eye_like, 1, 1, 1, false},
    {"Flatten", prepare_flatten, 1, 1, 1, true},
    {"Floor", elementwise<at::floor>, 1, 1, 1, false},
    {"GRU", prepare_gru, 3, 6, 2, true},
    {"Gather", prepare_gather, 2, 2, 1, true},
    {"GatherElements", prepare_gather_elements, 2, 2, 1, true},
    {"GatherND", prepare_gather_nd, 2, 2, 1, true},
    {"Gelu", prepare_gelu, 1, 1, 1, true},
    {"Gemm", prepare_gemm, 2, 3, 1, true},
    {"GlobalAveragePool", prepare_global_average_pool, 1, 1, 1, true},
    {"GlobalMaxPool", prepare_global_max_pool, 1, 1, 1, true},
    {"Greater", prepare_greater, 2, 2, 1, false},
    {"GreaterOrEqual", prepare_greater_or_equal, 2, 2, 1, false},
    {"GridSample", prepare_grid_sample, 2, 2, 1, true},
    {"GroupNormalization", prepare_group_normalization, 3, 3, 1, true},
    {"HardSigmoid", prepare_hard_sigmoid, 1, 1, 1, true},
    {"HardSwish", elementwise<at::hardswish>, 1, 1, 1, true},
    {"Hardmax", prepare_hardmax, 1, 1, 1, false},
    {"Identity", prepare_identity, 1, 1, 1, true},
    {"If", prepare_if, 1, any_number, any_number, true},
    {"InstanceNormalization", prepare_instance_normalization, 3, 3, 1, true},
    {"IsInf", prepare_is_inf, 1, 1, 1, false},
    {"IsNaN", elementwise<at::isnan>, 1, 1, 1, false},
    {"LRN", prepare_lrn, 1, 1, 1, true},
    {"LSTM", prepare_lstm, 3, 8, 3, true},
    {"LayerNormalization", prepare_layer_normalization, 2, 3, 3, true},
    {"LeakyRelu", prepare_leaky_relu, 1, 1, 1, true},
    {"Less", prepare_less, 2, 2, 1, false},
    {"LessOrEqual", prepare_less_or_equal, 2, 2, 1, false},
    {"Log", elementwise<at::log>, 1, 1, 1, true},
    {"LogSoftmax", prepare_log_softmax, 1, 1, 1, true},
    {"LpNormalization", prepare_lp_normalization, 1, 1, 1, true},
    {"MatMul", prepare_matmul, 2, 2, 1, true},
    {"MatMulInteger", prepare_matmul_integer, 2, 4, 1, false},
    {"Max", prepare_max, 1, any_number, 1, true},
    {"MaxPool", prepare_max_pool, 1, 1, 2, true},
    {"Mean", prepare_mean, 1, any_number, 1, true},
    {"MeanVarianceNormalization", prepare_mean_variance_normalization, 1, 1, 1, true},
    {"Min", prepare_min, 1, any_number, 1, true},
    {"Mish", elementwise<at::mish>, 1, 1, 1, true},
    {"Mod", prepare_mod, 2, 2, 1, false},
    {"Mul", prepare_mul, 2, 2, 1, true},
    {"Neg", elementwise<at::neg>, 1, 1, 1, true},
    {"NonZero", prepare_non_zero, 1, 1, 1, false},
    {"Not", elementwise<at::logical_not>, 1, 1, 1, false},
    {"OneHot", prepare_one_hot, 3, 3, 1, false},
    {"Or", prepare_or, 2, 2, 1, false},
    {"PRelu", prepare_prelu, 2, 2, 1, true},
    {"Pad", prepare_pad, 1, 4, 1, true},
    {"Pow", prepare_pow, 2, 2, 1, true},
    {"QLinearConv", prepare_qlinear_conv, 8, 9, 1, false},
    {"QLinearMatMul", prepare_qlinear_matmul, 8, 8, 1, false},
    {"QuantizeLinear", prepare_quantize_linear, 2, 3, 1, false},
    {"RNN", prepare_rnn, 3, 6, 2, true},
    {"Range", prepare_range, 3, 3, 1, false},
    {"Reciprocal", elementwise<at::reciprocal>, 1, 1, 1, true},
    {"ReduceL1", prepare_reduce_l1, 1, 2, 1, true},
    {"ReduceL2", prepare_reduce_l2, 1, 2, 1, true},
    {"ReduceLogSum", prepare_reduce_log_sum, 1, 2, 1, true},
    {"ReduceLogSumExp", prepare_reduce_log_sum_exp, 1, 2, 1, true},
    {"ReduceMax", prepare_reduce_max, 1, 2, 1, true},
    {"ReduceMean", prepare_reduce_mean, 1, 2, 1, true},
    {"ReduceMin", prepare_reduce_min, 1, 2, 1, true},
    {"ReduceProd", prepare_reduce_prod, 1, 2, 1, true},
    {"ReduceSum", prepare_reduce_sum, 1, 2, 1, true},
    {"ReduceSumSquare", prepare_reduce_sum_square, 1, 2, 1, true},
    {"Relu", elementwise<at::relu>, 1, 1, 1, true},
    {"Reshape", prepare_reshape, 1, 2, 1, true},
    {"Resize", prepare_resize, 1, 4, 1, true},
    {"ReverseSequence", prepare_reverse_sequence, 2, 2, 1, true},
    {"Round", elementwise<at::round>, 1, 1, 1, false},
    {"Scatter", prepare_scatter, 3, 3, 1, true},
    {"ScatterElements", prepare_scatter_elements, 3, 3, 1, true},
    {"ScatterND", prepare_scatter_nd, 3, 3, 1, true},
    {"Selu", prepare_selu, 1, 1, 1, true},
    {"Shape", prepare_shape, 1, 1, 1, false},
    {"Shrink", prepare_shrink, 1, 1, 1, true},
    {"Sigmoid", elementwise<at::sigmoid>, 1, 1, 1, true},
    {"Sign", elementwise<at::sign>, 1, 1, 1, false},
    {"Sin", elementwise<at::sin>, 1, 1, 1, true},
    {"Sinh", elementwise<at::sinh>, 1, 1, 1, true},
    {"Size", prepare_size, 1, 1, 1, false},
    {"Slice", prepare_slice, 1, 5, 1, true},
    {"Softmax", prepare_softmax, 1, 1, 1, true},
    {"Softplus", prepare_softplus, 1, 1, 1, true},
    {"Softsign", prepare_softsign, 1, 1, 1, true},
    {"SpaceToDepth", prepare_space_to_depth, 1, 1, 1, true},
    {"Split", prepare_split, 1, 2, any_number, true},
    {"Sqrt", elementwise<at::sqrt>, 1, 1, 1, true},
    {"Squeeze", prepare_squeeze, 1, 2, 1, true},
    {"Sub", prepare_sub, 2, 2, 1, true},
    {"Sum", prepare_sum, 1, any_number, 1, true},
    {"Tan", elementwise<at::tan>, 1, 1, 1, true},
    {"Tanh", elementwise<at::tanh>, 1, 1, 1, true},
    {"ThresholdedRelu", prepare_thresholded_relu, 1, 1, 1, true},
    {"Tile", prepare_tile, 2, 2, 1, true},
    {"TopK", prepare_top_k, 1, 2, 2, true},
    {"Transpose", prepare_transpose, 1, 1, 1, true},
    {"Trilu", prepare_trilu, 1, 2, 1, true},
    {"Unsqueeze", prepare_unsqueeze, 1, 2, 1, true},
    {"Upsample", prepare_upsample, 1, 2, 1, true},
    {"Where", prepare_where, 3, 3, 1, true},
    {"Xor", prepare_xor, 2, 2, 1, false},
};

}  // namespace

std::span<const Operator> operators() { return table; }

std::string place_of(const Node& node, std::int64_t opset, const std::string& file) {
  const std::string name = !node.name.empty() || node.outputs.empty() ? node.name : node.outputs[0];
  const std::string domain = node.domain.empty() ? "" : printable(node.domain) + ".";
  return fmt::format("{}: node {} ({}{}, opset {})", file, in_quotes(name), domain, printable(node.op),
                     opset);
}

Kernel prepare_node(const Node& node, std::int64_t opset, Tensors constants, const std::string& where) {
  const auto* const found = std::ranges::find(table, node.op, &Operator::name);
  if (!node.domain.empty() || found == std::end(table))
    refuse(where, "an operator that leeway knows", in_quotes(node.op));
  const auto check = [&](std::size_t count, std::size_t least, std::size_t most, const char* what) {
    if (count >= least && count <= most) return;
    const std::string expected = least == most        ? std::to_string(least)
                                 : most == any_number ? fmt::format("at least {}", least)
                                                      : fmt::format("{} to {}", least, most);
    refuse(where, fmt::format("{} {}", expected, what), std::to_string(count));
  };
  check(node.inputs.size(), found->least_inputs, found->most_inputs, "inputs");
  check(node.outputs.size(), 1, found->most_outputs, "outputs");
  for (std::size_t i = 0; i < found->least_inputs; ++i)
    if (node.inputs[i].empty()) refuse(where, fmt::format("its input {}", i), "none");
  Call call(node, opset, std::move(constants), where);
  Kernel kernel;
  try {
    kernel = found->prepare(call);
  } catch (const c10::Error& failure) {
    call.fail("attributes and constants that make sense", "\"" + printable(first_line(failure), 200) + "\"");
  }
  call.check_all_read();
  return kernel;
}

}  // namespace leeway::nn::onnx
