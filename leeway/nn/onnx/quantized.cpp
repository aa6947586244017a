// Numbers of 8 and 16 bits with a scale and a zero point: x ~ scale (q - zero). Sums use float64, exact for 8
// bits (below 2^53), and are stored as int32. Quantization has no gradient.
#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

constexpr std::int64_t onnx_int8 = 3, onnx_uint16 = 4, onnx_int16 = 5;

struct Range {
  torch::ScalarType type = torch::kUInt8;
  std::int64_t low = 0, high = 255;
};

// uint16 is held in int32 here.
Range range_of(torch::ScalarType type) {
  switch (type) {
    case torch::kUInt8:
      return {};
    case torch::kInt8:
      return {torch::kInt8, -128, 127};
    case torch::kInt16:
      return {torch::kInt16, -32768, 32767};
    case torch::kInt32:
      return {torch::kInt32, 0, 65535};
    default:
      TORCH_CHECK(false, "a zero point of 8 or 16 bits, not of ", toString(type));
  }
}

Range range_of_code(std::int64_t code) {
  return range_of(code == onnx_int8     ? torch::kInt8
                  : code == onnx_int16  ? torch::kInt16
                  : code == onnx_uint16 ? torch::kInt32
                                        : torch::kUInt8);
}

Tensor optional_input(const Tensors& in, std::size_t index) {
  return index < in.size() ? in[index] : Tensor();
}

// A scale or zero point shaped to meet x: one number; one for each place of the axis; or one for each block along it.
Tensor spread(const Tensor& values, const Tensor& x, std::int64_t axis, std::int64_t block) {
  if (values.numel() == 1) return values.reshape({});
  const std::int64_t along = axis_of(axis, x.dim());
  if (block > 0) {
    TORCH_CHECK(values.dim() == x.dim() && block <= x.size(along), "scales of the blocks of ", x.sizes());
    return values.repeat_interleave(block, along).slice(along, 0, x.size(along));
  }
  TORCH_CHECK(values.dim() == 1 && values.size(0) == x.size(along), "one scale for each of ", x.size(along),
              " places, not ", values.sizes());
  Integers sizes(static_cast<std::size_t>(x.dim()), 1);
  sizes[static_cast<std::size_t>(along)] = values.size(0);
  return values.reshape(sizes);
}

// Ties to even, then within the type.
Tensor saturated(const Tensor& real, const Tensor& zero, const Range& range) {
  Tensor whole = at::round(real);
  if (zero.defined()) whole = whole + zero.to(whole.scalar_type());
  return whole.clamp(range.low, range.high).to(range.type);
}

// Of a matrix product's or a convolution's input: q - zero. One zero point for each row of `a`, for each column or output channel of `b`.
Tensor centred(const Tensor& q, const Tensor& zero, std::int64_t axis) {
  const Tensor wide = q.to(torch::kFloat64);
  if (!zero.defined()) return wide;
  const bool shaped = zero.dim() > 1 || zero.numel() == 1;
  return wide - (shaped ? (zero.numel() == 1 ? zero.reshape({}) : zero) : spread(zero, q, axis, 0))
                    .to(torch::kFloat64);
}

Tensor requantized(const Tensor& sums, const Tensor& factor, const Tensor& zero) {
  return saturated(sums * factor, zero, range_of(zero.defined() ? zero.scalar_type() : torch::kUInt8));
}

}  // namespace

// y = saturate(round(x / scale) + zero)
static Kernel prepare_quantize_linear(Call& call) {
  const std::int64_t axis = call.integer("axis", 1), block = call.integer("block_size", 0),
                     code = call.integer("output_dtype", 0);
  call.ignore("saturate");   // of types of a byte of real numbers, which are refused
  call.ignore("precision");  // of the division
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor zero = optional_input(in, 2);
    const Range range = zero.defined() ? range_of(zero.scalar_type()) : range_of_code(code);
    const Tensor x = in[0].detach();
    return {saturated(x / spread(in[1], x, axis, block),
                      zero.defined() ? spread(zero, x, axis, block) : Tensor(), range)};
  };
}

// y = (q - zero) scale
static Kernel prepare_dequantize_linear(Call& call) {
  const std::int64_t axis = call.integer("axis", 1), block = call.integer("block_size", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    Tensor x = in[0].to(torch::kFloat32);
    if (const Tensor zero = optional_input(in, 2); zero.defined())
      x = x - spread(zero, in[0], axis, block).to(torch::kFloat32);
    return {x * spread(in[1], in[0], axis, block)};
  };
}

// The scale of the whole tensor, neighbours included: rows that run together may share it.
static Tensors quantize_dynamically(const Tensors& in) {
  const Tensor x = in[0].detach();
  const Tensor high = x.max().clamp_min(0), low = x.min().clamp_max(0);
  const Tensor scale = (high - low) / 255;
  const Tensor safe = at::where(scale > 0, scale, at::ones_like(scale));
  const Tensor zero = at::round((-low / safe).clamp(0, 255));
  return {saturated(x / safe, zero, {}), scale, zero.to(torch::kUInt8)};
}

static Tensors integer_product(const Tensors& in) {
  return {at::matmul(centred(in[0], optional_input(in, 2), -2), centred(in[1], optional_input(in, 3), -1))
              .to(torch::kInt32)};
}

static Kernel prepare_conv_integer(Call& call) {
  const Kernel convolution = prepare_conv(call);
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    return {convolution({centred(in[0], optional_input(in, 2), 1), centred(in[1], optional_input(in, 3), 0)},
                        batch)[0]
                .to(torch::kInt32)};
  };
}

// Inputs: x, its scale and zero; w, its scales and zeros; the scale and zero of the result; whole biases.
static Kernel prepare_qlinear_conv(Call& call) {
  const Kernel convolution = prepare_conv(call);
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    Tensor sums = convolution({centred(in[0], in[2], 1), centred(in[3], in[5], 0)}, batch)[0];
    if (const Tensor bias = optional_input(in, 8); bias.defined())
      sums = sums + spread(bias, sums, 1, 0).to(torch::kFloat64);
    const Tensor factor = (in[1].to(torch::kFloat64) * in[4] / in[6]).reshape({-1});
    return {requantized(sums, spread(factor, sums, 1, 0), in[7])};
  };
}

static Tensors qlinear_product(const Tensors& in) {
  const Tensor sums = at::matmul(centred(in[0], in[2], -2), centred(in[3], in[5], -1));
  const Tensor left = spread(in[1].to(torch::kFloat64), sums, -2, 0),
               right = spread(in[4].to(torch::kFloat64), sums, -1, 0);
  return {requantized(sums, left * right / in[6].to(torch::kFloat64), in[7])};
}

static constexpr Operator quantized_table[] = {
    {"ConvInteger", prepare_conv_integer, 2, 4},
    {"DequantizeLinear", prepare_dequantize_linear, 2, 3},
    {"DynamicQuantizeLinear", prepare_plain<quantize_dynamically>, 1, 1, 3},
    {"MatMulInteger", prepare_plain<integer_product>, 2, 4},
    {"QLinearConv", prepare_qlinear_conv, 8, 9},
    {"QLinearMatMul", prepare_plain<qlinear_product>, 8, 8},
    {"QuantizeLinear", prepare_quantize_linear, 2, 3}};

std::span<const Operator> quantized_operators() { return quantized_table; }

}  // namespace leeway::nn::onnx
