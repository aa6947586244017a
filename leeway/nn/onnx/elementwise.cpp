// Arithmetic, comparisons and activations: what looks at one place of its inputs at a time, and matrix products.

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;
using Binary = Tensor (*)(const Tensor&, const Tensor&);

// Before opset 7, different shapes require `broadcast`; `axis` is where the second shape starts in the first.
Kernel pairwise(Call& call, Binary function) {
  const bool legacy = call.opset() < 7;
  const bool broadcast = legacy && call.flag("broadcast", false);
  const bool has_axis = call.has("axis") && broadcast;
  const std::int64_t axis = legacy ? call.integer("axis", 0) : 0;
  call.ignore("consumed_inputs");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    if (!legacy) return {function(in[0], in[1])};
    TORCH_CHECK(broadcast || in[0].sizes() == in[1].sizes(),
                "operands of different shapes without broadcast");
    if (!has_axis) return {function(in[0], in[1])};
    Integers sizes = in[1].sizes().vec();
    const std::int64_t first = axis_of(axis, in[0].dim());
    while (static_cast<std::int64_t>(sizes.size()) + first < in[0].dim()) sizes.push_back(1);
    return {function(in[0], in[1].reshape(sizes))};
  };
}

template <Binary function>
Kernel prepare_pairwise(Call& call) {
  return pairwise(call, function);
}

Tensor add(const Tensor& a, const Tensor& b) { return at::add(a, b); }
Tensor subtract(const Tensor& a, const Tensor& b) { return at::sub(a, b); }
Tensor divide(const Tensor& a, const Tensor& b) {
  return a.is_floating_point() ? at::div(a, b) : at::div(a, b, "trunc");
}

Tensors selected(const Tensors& in) { return {at::where(in[0], in[1], in[2])}; }
Tensors product(const Tensors& in) { return {at::matmul(in[0], in[1])}; }
Tensor soft_plus(const Tensor& x) { return at::softplus(x); }
Tensor soft_sign(const Tensor& x) { return x / (1 + x.abs()); }

Tensor power(const Tensor& a, const Tensor& b) { return at::pow(a, b).to(a.scalar_type()); }

template <Binary function, bool mean = false>
Kernel prepare_joined(Call& call) {
  call.ignore("consumed_inputs");
  return [](const Tensors& in, const Batch&) -> Tensors {
    Tensor result = in[0];
    for (std::size_t i = 1; i < in.size(); ++i) result = function(result, in[i]);
    return {mean ? result / static_cast<double>(in.size()) : result};
  };
}

// f(x, alpha), by default that many hundredths.
template <Tensor (*function)(const Tensor&, double), int hundredths>
Kernel prepare_with_alpha(Call& call) {
  call.ignore("consumed_inputs");
  const double alpha = call.real("alpha", hundredths / 100.);
  return [=](const Tensors& in, const Batch&) -> Tensors { return {function(in[0], alpha)}; };
}

Tensor leaky_by(const Tensor& x, double alpha) { return at::leaky_relu(x, alpha); }
Tensor elu_by(const Tensor& x, double alpha) { return at::elu(x, alpha); }
Tensor celu_by(const Tensor& x, double alpha) { return at::celu(x, alpha); }
Tensor above(const Tensor& x, double alpha) { return at::threshold(x, alpha, 0); }

// Before opset 13 the axes from `axis` on are one, and so are those before it.
template <Tensor (*function)(const Tensor&, std::int64_t)>
Kernel prepare_along(Call& call) {
  const bool flattens = call.opset() < 13;
  const std::int64_t axis = call.integer("axis", flattens ? 1 : -1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    const std::int64_t from = axis_of(axis, x.dim());
    if (!flattens || from == x.dim() - 1) return {function(x, from)};
    const auto before = x.sizes().slice(0, static_cast<std::size_t>(from));
    return {function(x.reshape({c10::multiply_integers(before), -1}), 1).reshape(x.sizes())};
  };
}

Tensor softmax_along(const Tensor& x, std::int64_t axis) { return at::softmax(x, axis); }
Tensor log_softmax_along(const Tensor& x, std::int64_t axis) { return at::log_softmax(x, axis); }
Tensor hardmax_along(const Tensor& x, std::int64_t axis) {
  return at::zeros_like(x).scatter(axis, x.argmax(axis, true), 1);
}

}  // namespace

// A number in place of a tensor of one is several times faster.
static Kernel prepare_pow(Call& call) {
  const Tensor exponent = call.constant(1);
  if (!exponent.defined() || exponent.numel() != 1 || exponent.dim() > 0) return pairwise(call, power);
  for (const char* name : {"broadcast", "axis", "consumed_inputs"}) call.ignore(name);
  return [number = exponent.item()](const Tensors& in, const Batch&) -> Tensors {
    return {at::pow(in[0], number).to(in[0].scalar_type())};
  };
}

// fmod 0: the sign of the divisor, for whole numbers; 1: that of the dividend.
static Kernel prepare_mod(Call& call) {
  if (call.flag("fmod", false)) return pairwise(call, at::fmod);
  return pairwise(call, at::remainder);
}

// Bounds are attributes before opset 11 and inputs from then on.
static Kernel prepare_clip(Call& call) {
  call.ignore("consumed_inputs");
  c10::optional<at::Scalar> low, high;
  bool fixed = true;
  if (call.opset() < 11) {
    if (call.has("min")) low = call.real("min", 0);
    if (call.has("max")) high = call.real("max", 0);
  } else {
    for (const std::size_t i : {1, 2}) {
      if (!call.given(i)) continue;
      const Tensor bound = call.constant(i);
      if (!bound.defined() || bound.numel() != 1)
        fixed = false;
      else
        (i == 1 ? low : high) = bound.item();
    }
  }
  if (fixed && !low && !high) return prepare_identity(call);
  if (fixed) return [=](const Tensors& in, const Batch&) -> Tensors { return {at::clamp(in[0], low, high)}; };
  return [](const Tensors& in, const Batch&) -> Tensors {
    Tensor x = in[0];
    if (in.size() > 1 && in[1].defined()) x = at::maximum(x, in[1]);
    if (in.size() > 2 && in[2].defined()) x = at::minimum(x, in[2]);
    return {x};
  };
}

// alpha A' B' + beta C. What torch.nn.Linear becomes runs as LibTorch's own.
static Kernel prepare_gemm(Call& call) {
  const double alpha = call.real("alpha", 1), beta = call.real("beta", 1);
  const bool turn_a = call.flag("transA", false), turn_b = call.flag("transB", false);
  call.ignore("broadcast");  // before opset 7; C is broadcast wherever its shape asks for it
  const bool linear = alpha == 1 && beta == 1 && !turn_a && turn_b;
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor c = in.size() > 2 ? in[2] : Tensor();
    if (linear && (!c.defined() || c.dim() == 1)) {
      if (!c.defined()) return {at::linear(in[0], in[1])};
      if (c.size(0) == in[1].size(0)) return {at::linear(in[0], in[1], c)};
    }
    const Tensor a = turn_a ? in[0].t() : in[0], b = turn_b ? in[1].t() : in[1];
    if (c.defined()) return {at::addmm(c, a, b, beta, alpha)};
    const Tensor product = at::mm(a, b);
    return {alpha == 1 ? product : product * alpha};
  };
}

static Kernel prepare_einsum(Call& call) {
  const std::string equation = call.text("equation", "");
  return [=](const Tensors& in, const Batch&) -> Tensors { return {at::einsum(equation, in)}; };
}

// Before opset 7 slopes are one a channel; later they are broadcast as they stand.
static Kernel prepare_prelu(Call& call) {
  call.ignore("consumed_inputs");
  const bool by_channel = call.opset() < 7;
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor &x = in[0], &slope = in[1];
    const bool channels = x.dim() > 1 && slope.numel() == x.size(1) &&
                          (slope.dim() == x.dim() - 1 ? slope.size(0) == x.size(1) : by_channel);
    if (slope.numel() == 1 || channels) return {at::prelu(x, slope.reshape({-1}))};
    return {at::clamp_min(x, 0) + slope * at::clamp_max(x, 0)};
  };
}

static Kernel prepare_selu(Call& call) {
  call.ignore("consumed_inputs");
  const bool old = call.opset() < 6;
  const double alpha = call.real("alpha", old ? 1.6732 : 1.67326319217681884765625);
  const double gamma = call.real("gamma", old ? 1.0507 : 1.05070102214813232421875);
  return [=](const Tensors& in, const Batch&) -> Tensors { return {at::elu(in[0], alpha, gamma)}; };
}

static Kernel prepare_gelu(Call& call) {
  constexpr std::string_view forms[] = {"none", "tanh"};
  const std::string form(forms[call.choice("approximate", forms)]);
  return [=](const Tensors& in, const Batch&) -> Tensors { return {at::gelu(in[0], form)}; };
}

static Kernel prepare_hard_sigmoid(Call& call) {
  call.ignore("consumed_inputs");
  const double alpha = call.real("alpha", .2), beta = call.real("beta", .5);
  return [=](const Tensors& in, const Batch&) -> Tensors { return {at::clamp(in[0] * alpha + beta, 0, 1)}; };
}

static Kernel prepare_shrink(Call& call) {
  const double bias = call.real("bias", 0), lambda = call.real("lambd", .5);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    return {at::where(x < -lambda, x + bias, at::where(x > lambda, x - bias, at::zeros_like(x)))};
  };
}

// clang-format off
static constexpr Operator elementwise_table[] = {
    {"Add", prepare_pairwise<add>, 2, 2}, {"And", prepare_pairwise<at::logical_and>, 2, 2},
    {"Celu", prepare_with_alpha<celu_by, 100>}, {"Clip", prepare_clip, 1, 3},
    {"Div", prepare_pairwise<divide>, 2, 2}, {"Einsum", prepare_einsum, 1, any_number},
    {"Elu", prepare_with_alpha<elu_by, 100>}, {"Equal", prepare_pairwise<at::eq>, 2, 2},
    {"Gelu", prepare_gelu}, {"Gemm", prepare_gemm, 2, 3}, {"Greater", prepare_pairwise<at::gt>, 2, 2},
    {"GreaterOrEqual", prepare_pairwise<at::ge>, 2, 2}, {"HardSigmoid", prepare_hard_sigmoid},
    {"Hardmax", prepare_along<hardmax_along>}, {"LeakyRelu", prepare_with_alpha<leaky_by, 1>},
    {"Less", prepare_pairwise<at::lt>, 2, 2}, {"LessOrEqual", prepare_pairwise<at::le>, 2, 2},
    {"LogSoftmax", prepare_along<log_softmax_along>}, {"MatMul", prepare_plain<product>, 2, 2},
    {"Max", prepare_joined<at::maximum>, 1, any_number}, {"Mean", prepare_joined<add, true>, 1, any_number},
    {"Min", prepare_joined<at::minimum>, 1, any_number}, {"Mod", prepare_mod, 2, 2},
    {"Mul", prepare_pairwise<at::mul>, 2, 2}, {"Or", prepare_pairwise<at::logical_or>, 2, 2},
    {"PRelu", prepare_prelu, 2, 2}, {"Pow", prepare_pow, 2, 2}, {"Selu", prepare_selu},
    {"Shrink", prepare_shrink}, {"Softmax", prepare_along<softmax_along>},
    {"Softplus", prepare_one<soft_plus>}, {"Softsign", prepare_one<soft_sign>},
    {"Sub", prepare_pairwise<subtract>, 2, 2}, {"Sum", prepare_joined<add>, 1, any_number},
    {"ThresholdedRelu", prepare_with_alpha<above, 100>}, {"Where", prepare_plain<selected>, 3, 3},
    {"Xor", prepare_pairwise<at::logical_xor>, 2, 2},
};
// clang-format on

std::span<const Operator> elementwise_operators() { return elementwise_table; }

}  // namespace leeway::nn::onnx
