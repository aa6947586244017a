// Resize and its predecessor Upsample: axis by axis, with a weight matrix (outputs, inputs) or
// nearest-neighbor indices, which covers all coordinate modes of ONNX and has gradients.
#include <cmath>

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

constexpr std::string_view resize_modes[] = {"nearest", "linear", "cubic"};
enum ResizeMode : std::size_t { by_nearest, by_linear, by_cubic };
constexpr std::string_view nearest_modes[] = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"};
enum NearestMode : std::size_t { round_prefer_floor, round_prefer_ceil, nearest_floor, nearest_ceil };
constexpr std::string_view placements[] = {"half_pixel", "pytorch_half_pixel",   "align_corners",
                                           "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};
constexpr std::string_view policies[] = {"stretch"};
enum Placement : std::size_t {
  half_pixel,
  pytorch_half_pixel,
  align_corners,
  asymmetric,
  tf_half_pixel_for_nn,
  tf_crop_and_resize,
};

struct Resampling {
  std::size_t mode = by_nearest, nearest = round_prefer_floor, placement = half_pixel;
  double cubic = -.75, outside = 0;
  bool exclude_outside = false;
};

struct Axis {
  std::int64_t from = 0, to = 0;  // sizes
  double scale = 1, start = 0, end = 1;
};

// Where output pixel i lies among the input pixels.
double place_of_pixel(std::int64_t i, const Axis& axis, std::size_t placement) {
  const auto at = static_cast<double>(i), last = static_cast<double>(axis.from - 1);
  switch (placement) {
    case align_corners: {
      const double outputs = axis.scale * static_cast<double>(axis.from);  // not rounded, as ONNX has it
      return axis.to == 1 ? 0 : at * last / (outputs - 1);
    }
    case asymmetric:
      return at / axis.scale;
    case tf_half_pixel_for_nn:
      return (at + .5) / axis.scale;
    case tf_crop_and_resize:
      return axis.to > 1
                 ? axis.start * last + at * (axis.end - axis.start) * last / static_cast<double>(axis.to - 1)
                 : .5 * (axis.start + axis.end) * last;
    case pytorch_half_pixel:
      if (axis.to == 1) return 0;
      [[fallthrough]];
    default:
      return (at + .5) / axis.scale - .5;
  }
}

std::int64_t nearest_place(double place, const Axis& axis, std::size_t mode) {
  double whole = std::ceil(place - .5);
  if (mode == round_prefer_ceil) whole = std::floor(place + .5);
  if (mode == nearest_floor) whole = std::floor(place);
  if (mode == nearest_ceil) whole = std::ceil(place);
  return static_cast<std::int64_t>(std::clamp(whole, 0., static_cast<double>(axis.from - 1)));
}

// Weights of the neighbours from floor(place) - 1 on (cubic), or from floor(place) on.
std::vector<double> weights_at(double ratio, const Resampling& how) {
  if (how.mode == by_linear) return {1 - ratio, ratio};
  const double a = how.cubic;
  const auto far = [a](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  const auto near = [a](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  return {far(ratio + 1), near(ratio), near(1 - ratio), far(2 - ratio)};
}

Tensor weight_matrix(const Axis& axis, const Resampling& how) {
  Tensor matrix = torch::zeros({axis.to, axis.from}, torch::kFloat64);
  auto entries = matrix.accessor<double, 2>();
  for (std::int64_t i = 0; i < axis.to; ++i) {
    const double place = place_of_pixel(i, axis, how.placement), below = std::floor(place);
    std::vector<double> weights = weights_at(place - below, how);
    const auto first = static_cast<std::int64_t>(below) - (how.mode == by_cubic ? 1 : 0);
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const std::int64_t at = first + static_cast<std::int64_t>(j);
      if (how.exclude_outside && (at < 0 || at >= axis.from)) weights[j] = 0;
      sum += weights[j];
    }
    for (std::size_t j = 0; j < weights.size(); ++j)
      entries[i][std::clamp<std::int64_t>(first + static_cast<std::int64_t>(j), 0, axis.from - 1)] +=
          weights[j] / sum;
  }
  return matrix;
}

Tensor resampled(const Tensor& x, std::int64_t d, const Axis& axis, const Resampling& how) {
  if (how.mode == by_nearest) {
    Integers places;
    for (std::int64_t i = 0; i < axis.to; ++i)
      places.push_back(nearest_place(place_of_pixel(i, axis, how.placement), axis, how.nearest));
    return x.index_select(d, torch::tensor(places, torch::kInt64).to(x.device()));
  }
  const Tensor matrix = weight_matrix(axis, how).to(x.device(), x.scalar_type());
  return at::matmul(x.movedim(d, -1), matrix.t()).movedim(-1, d);
}

// What lies outside the input gets a number of its own (tf_crop_and_resize).
Tensor without_outside(const Tensor& x, const std::vector<Axis>& axes, const Resampling& how) {
  Tensor inside = torch::ones(Integers(axes.size(), 1), torch::kBool);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    Integers sizes(axes.size(), 1);
    sizes[d] = axes[d].to;
    Tensor row = torch::ones({axes[d].to}, torch::kBool);
    for (std::int64_t i = 0; i < axes[d].to; ++i) {
      const double place = place_of_pixel(i, axes[d], how.placement);
      row[i] = place >= 0 && place <= static_cast<double>(axes[d].from - 1);
    }
    inside = inside & row.reshape(sizes);
  }
  return at::where(inside.to(x.device()), x, torch::scalar_tensor(how.outside, x.options()));
}

Tensor resize(const Tensor& x, const std::vector<Axis>& axes, const Resampling& how) {
  Integers sizes;
  for (const Axis& axis : axes) {
    TORCH_CHECK(axis.from > 0 && axis.to > 0, "an input and an output that are not empty");
    sizes.push_back(axis.to);
  }
  check_elements(sizes);
  Tensor result = x;
  for (std::size_t d = 0; d < axes.size(); ++d)
    if (axes[d].from != axes[d].to || axes[d].scale != 1 || how.placement == tf_crop_and_resize)
      result = resampled(result, static_cast<std::int64_t>(d), axes[d], how);
  return how.placement == tf_crop_and_resize ? without_outside(result, axes, how) : result;
}

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor plain = tensor.to(torch::kCPU, torch::kFloat64).contiguous();
  return {plain.data_ptr<double>(), plain.data_ptr<double>() + plain.numel()};
}

std::vector<Axis> axes_by_scales(const Tensor& x, const std::vector<double>& scales) {
  TORCH_CHECK(static_cast<std::int64_t>(scales.size()) == x.dim(), "one scale per dimension");
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < scales.size(); ++d) {
    const std::int64_t size = x.size(static_cast<std::int64_t>(d));
    const double to = std::floor(static_cast<double>(size) * scales[d]);
    TORCH_CHECK(scales[d] > 0 && to < 1 << 30, "valid scales");
    axes.push_back({size, static_cast<std::int64_t>(to), scales[d]});
  }
  return axes;
}

std::vector<Axis> axes_by_sizes(const Tensor& x, const Integers& sizes) {
  TORCH_CHECK(static_cast<std::int64_t>(sizes.size()) == x.dim(), "one size per dimension");
  std::vector<Axis> axes;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const std::int64_t size = x.size(static_cast<std::int64_t>(d));
    axes.push_back({size, sizes[d], static_cast<double>(sizes[d]) / static_cast<double>(size)});
  }
  return axes;
}

bool holds_something(const Tensors& in, std::size_t index) {
  return index < in.size() && in[index].defined() && in[index].numel() > 0;
}

}  // namespace

// Scales are an attribute before opset 9.
static Kernel prepare_upsample(Call& call) {
  Resampling how;
  how.mode = call.choice("mode", std::span(resize_modes).first(2));
  how.placement = asymmetric;
  how.nearest = nearest_floor;
  const auto attribute = call.reals("scales");
  if (!attribute && !call.given(1)) call.fail("scales", "none");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const auto scales =
        attribute ? std::vector<double>(attribute->begin(), attribute->end()) : numbers_of(in[1]);
    return {resize(in[0], axes_by_scales(in[0], scales), how)};
  };
}

// Opset 10: (x, scales), placed as Upsample does; from 11 on (x, roi, scales, sizes).
static Kernel prepare_resize(Call& call) {
  const bool first_form = call.opset() < 11;
  Resampling how;
  how.mode = call.choice("mode", resize_modes);
  if (first_form) {
    how.placement = asymmetric;
    how.nearest = nearest_floor;
  } else {
    how.placement = call.choice("coordinate_transformation_mode", placements);
    how.nearest = call.choice("nearest_mode", nearest_modes);
    (void)call.choice("keep_aspect_ratio_policy", policies);
    how.cubic = call.real("cubic_coeff_a", -.75);
    how.outside = call.real("extrapolation_value", 0);
    how.exclude_outside = call.flag("exclude_outside", false);
    if (call.flag("antialias", false)) call.fail("a Resize without antialias", "antialias 1");
  }
  const bool sizes_fixed = call.constant(3).defined();
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    const std::size_t scales = first_form ? 1 : 2;
    std::vector<Axis> axes;
    if (holds_something(in, scales)) {
      axes = axes_by_scales(in[0], numbers_of(in[scales]));
    } else {
      TORCH_CHECK(holds_something(in, 3), "scales or sizes");
      Integers sizes = integers_of(in[3]);
      if (batch.differs() && sizes_fixed && !sizes.empty() && sizes[0] == batch.declared)
        sizes[0] = batch.rows;
      axes = axes_by_sizes(in[0], sizes);
    }
    if (how.placement == tf_crop_and_resize) {
      TORCH_CHECK(holds_something(in, 1), "a region");
      const std::vector<double> region = numbers_of(in[1]);
      TORCH_CHECK(region.size() == 2 * axes.size(), "a region with two ends per dimension");
      for (std::size_t d = 0; d < axes.size(); ++d) {
        axes[d].start = region[d];
        axes[d].end = region[axes.size() + d];
      }
    }
    return {resize(in[0], axes, how)};
  };
}

static constexpr Operator resize_table[] = {{"Resize", prepare_resize, 1, 4},
                                            {"Upsample", prepare_upsample, 1, 2}};

std::span<const Operator> resize_operators() { return resize_table; }

}  // namespace leeway::nn::onnx
