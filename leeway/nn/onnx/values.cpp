// Constants, types, and what picks elements or adds some.
#include <algorithm>

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

// What holds numbers of an ONNX type, by its code.
struct Held {
  std::int64_t code = 0;
  torch::ScalarType type = torch::kFloat32;
  std::optional<torch::ScalarType> rounded_to = {};
};
constexpr Held held_types[] = {{1, torch::kFloat32},
                               {2, torch::kUInt8},
                               {3, torch::kInt8},
                               {4, torch::kInt32},  // uint16
                               {5, torch::kInt16},
                               {6, torch::kInt32},
                               {7, torch::kInt64},
                               {9, torch::kBool},
                               {10, torch::kFloat32, torch::kFloat16},
                               {11, torch::kFloat64},
                               {12, torch::kInt64},  // uint32
                               {13, torch::kInt64},  // uint64
                               {16, torch::kFloat32, torch::kBFloat16}};

const Held& held_by(const Call& call, std::int64_t code) {
  const auto* const found = std::ranges::find(held_types, code, &Held::code);
  if (found == std::end(held_types)) call.fail("a cast to a type of numbers", "type " + std::to_string(code));
  return *found;
}

// Rounded as float16 would be, with the gradient of a cast: 1, unrounded, so that small ones are not lost.
Tensor rounded(const Tensor& x, torch::ScalarType type) {
  const Tensor plain = x.to(torch::kFloat32), near = plain.detach().to(type).to(torch::kFloat32);
  if (!plain.requires_grad()) return near;
  return at::where(near.isfinite(), plain + (near - plain.detach()), near);
}

constexpr std::string_view pad_modes[] = {"constant", "reflect", "edge"};
enum PadMode : std::size_t { constant_pad, reflect_pad, edge_pad };

// Where the elements of a padded axis come from.
Tensor sources(std::int64_t size, std::int64_t before, std::int64_t after, bool reflect) {
  Integers places;
  for (std::int64_t i = -before; i < size + after; ++i) {
    std::int64_t place = i;
    if (reflect && size > 1) {
      const std::int64_t period = 2 * (size - 1);
      place = (place % period + period) % period;
      if (place >= size) place = period - place;
    }
    places.push_back(std::clamp<std::int64_t>(place, 0, size - 1));
  }
  return torch::tensor(places, torch::kInt64);
}

// Pads of the axes named as pads of all axes.
Integers over_all_axes(const Integers& pads, const Integers& axes, std::int64_t rank) {
  TORCH_CHECK(pads.size() == 2 * axes.size(), "two pads per axis");
  Integers all(2 * static_cast<std::size_t>(rank), 0);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t axis = axis_of(axes[i], rank);
    all.at(static_cast<std::size_t>(axis)) = pads[i];
    all.at(static_cast<std::size_t>(axis + rank)) = pads[axes.size() + i];
  }
  return all;
}

Tensor pad(const Tensor& x, const Integers& pads, std::size_t mode, const at::Scalar& value) {
  const auto rank = static_cast<std::size_t>(x.dim());
  TORCH_CHECK(pads.size() == 2 * rank, "two pads per dimension");
  Integers sizes = x.sizes().vec();
  for (std::size_t d = 0; d < rank; ++d) {
    TORCH_CHECK(std::abs(pads[d]) < 1 << 30 && std::abs(pads[rank + d]) < 1 << 30, "pads below 2^30");
    sizes[d] += pads[d] + pads[rank + d];
  }
  check_elements(sizes);
  if (mode == constant_pad) return padded(x, pads, value);
  Tensor result = x;
  for (std::size_t d = 0; d < rank; ++d) {
    if (pads[d] == 0 && pads[rank + d] == 0) continue;
    const auto axis = static_cast<std::int64_t>(d);
    TORCH_CHECK(x.size(axis) > 0, "something to repeat");
    result = result.index_select(
        axis, sources(x.size(axis), pads[d], pads[rank + d], mode == reflect_pad).to(x.device()));
  }
  return result;
}

}  // namespace

torch::ScalarType type_of_code(const Call& call, std::int64_t code) { return held_by(call, code).type; }

static Kernel prepare_constant(Call& call) {
  Tensor value = call.tensor("value");
  const auto numbers = call.reals("value_floats");
  const auto whole = call.integers("value_ints");
  if (call.has("value_float")) value = torch::scalar_tensor(call.real("value_float", 0), torch::kFloat32);
  if (call.has("value_int")) value = torch::scalar_tensor(call.integer("value_int", 0), torch::kInt64);
  if (numbers) value = torch::tensor(*numbers, torch::kFloat32);
  if (whole) value = torch::tensor(*whole, torch::kInt64);
  call.check_all_read();
  if (!value.defined()) call.fail("a value", "none");
  return [=](const Tensors&, const Batch&) -> Tensors { return {value}; };
}

// One number seen as many: it takes no memory, whatever the shape says.
static Kernel prepare_constant_of_shape(Call& call) {
  Tensor value = call.tensor("value");
  if (!value.defined()) value = torch::zeros({1});
  if (value.numel() != 1) call.fail("a value with a single number", std::to_string(value.numel()));
  return [number = value.reshape({})](const Tensors& in, const Batch&) -> Tensors {
    const Integers sizes = integers_of(in[0]);
    check_elements(sizes);
    return {number.expand(sizes)};
  };
}

// Before opset 6 the type was text.
static Kernel prepare_cast(Call& call) {
  if (!call.has("to")) call.fail("a type to cast to", "none");
  call.ignore("saturate");  // of types of a byte, which are refused
  const Held target = held_by(call, call.integer("to", 0));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    if (target.rounded_to) return {rounded(in[0], *target.rounded_to)};
    return {in[0].to(target.type)};
  };
}

// Pads are attributes before opset 11 and inputs from then on; the axes they are for may be named from opset 18 on.
static Kernel prepare_pad(Call& call) {
  const std::size_t mode = call.choice("mode", pad_modes);
  const double value = call.real("value", 0);
  const IntegerInput pads(call, "pads", 1), axes(call, "axes", 3);
  if (!pads.given()) call.fail("pads", "none");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const at::Scalar fill = in.size() > 2 && in[2].defined() ? in[2].item() : at::Scalar(value);
    const auto named = axes.read(in);
    return {
        pad(in[0], named ? over_all_axes(*pads.read(in), *named, in[0].dim()) : *pads.read(in), mode, fill)};
  };
}

static Kernel prepare_gather(Call& call) {
  const std::int64_t axis = call.integer("axis", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    const std::int64_t along = axis_of(axis, x.dim());
    const Tensor places = nonnegative(in[1], x.size(along));
    if (places.dim() == 0) return {x.select(along, places.item<std::int64_t>())};
    Integers sizes = x.sizes().vec();
    sizes.erase(sizes.begin() + along);
    sizes.insert(sizes.begin() + along, places.sizes().begin(), places.sizes().end());
    return {x.index_select(along, places.reshape({-1})).reshape(sizes)};
  };
}

static Kernel prepare_gather_elements(Call& call) {
  const std::int64_t axis = call.integer("axis", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t along = axis_of(axis, in[0].dim());
    return {at::gather(in[0], along, nonnegative(in[1], in[0].size(along)))};
  };
}

static Tensors cast_like(const Tensors& in) { return {in[0].to(in[1].scalar_type())}; }

static Tensors arithmetic_range(const Tensors& in) {
  const double count = std::ceil((in[1].item<double>() - in[0].item<double>()) / in[2].item<double>());
  TORCH_CHECK(count < 1 << 30, "a range of fewer than 2^30 numbers");
  if (!(count > 0)) return {at::empty({0}, in[0].options())};
  return {at::arange(static_cast<std::int64_t>(count), in[0].options()) * in[2] + in[0]};
}

static Kernel prepare_trilu(Call& call) {
  const bool upper = call.flag("upper", true);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t diagonal = in.size() > 1 && in[1].defined() ? in[1].item<std::int64_t>() : 0;
    return {upper ? at::triu(in[0], diagonal) : at::tril(in[0], diagonal)};
  };
}

static constexpr Operator values_table[] = {
    {"Cast", prepare_cast, 1, 1, 1},         {"CastLike", prepare_plain<cast_like>, 2, 2, 1},
    {"Constant", prepare_constant, 0, 0, 1}, {"ConstantOfShape", prepare_constant_of_shape, 1, 1, 1},
    {"Gather", prepare_gather, 2, 2, 1},     {"GatherElements", prepare_gather_elements, 2, 2, 1},
    {"Pad", prepare_pad, 1, 4, 1},           {"Range", prepare_plain<arithmetic_range>, 3, 3, 1},
    {"Trilu", prepare_trilu, 1, 2, 1}};

std::span<const Operator> values_operators() { return values_table; }

}  // namespace leeway::nn::onnx
