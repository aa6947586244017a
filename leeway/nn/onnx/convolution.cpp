// Convolutions and pooling, in one to three dimensions.
#include <limits>
#include <numeric>

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

constexpr std::string_view paddings[] = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"};
enum Padding : std::size_t { as_given, valid, same_upper, same_lower };

// What windows have in common. Vectors that the file leaves out have one entry a dimension once the rank is known.
struct Window {
  Integers kernel, strides, dilations, pads;  // pads: all beginnings, then all ends
  std::size_t padding = as_given;
};

Window window_of(Call& call) {
  Window window;
  window.kernel = call.integers("kernel_shape").value_or(Integers{});
  window.strides = call.integers("strides").value_or(Integers{});
  window.dilations = call.integers("dilations").value_or(Integers{});
  window.padding = call.choice("auto_pad", paddings);
  const auto pads = call.integers("pads");
  if (window.padding == as_given) window.pads = pads.value_or(Integers{});
  const auto check = [&](const Integers& values, const char* name, std::int64_t least) {
    for (const std::int64_t value : values)
      if (value < least || value > std::numeric_limits<std::int32_t>::max())
        call.fail(std::string(name) + " of at least " + std::to_string(least), std::to_string(value));
  };
  check(window.kernel, "kernel_shape", 1);
  check(window.strides, "strides", 1);
  check(window.dilations, "dilations", 1);
  check(window.pads, "pads", 0);
  return window;
}

// The window over an input of these sizes (without rows and channels), with everything filled in.
Window filled(Window window, torch::IntArrayRef sizes) {
  const std::size_t rank = sizes.size();
  if (window.strides.empty()) window.strides.assign(rank, 1);
  if (window.dilations.empty()) window.dilations.assign(rank, 1);
  if (window.pads.empty()) window.pads.assign(2 * rank, 0);
  TORCH_CHECK(rank >= 1 && rank <= 3, "windows over ", rank, " dimensions");
  TORCH_CHECK(window.kernel.size() == rank && window.strides.size() == rank &&
                  window.dilations.size() == rank && window.pads.size() == 2 * rank,
              "a window of another number of dimensions than ", rank);
  if (window.padding == same_upper || window.padding == same_lower)
    for (std::size_t d = 0; d < rank; ++d) {
      const std::int64_t out = (sizes[d] + window.strides[d] - 1) / window.strides[d];
      const std::int64_t reach = (window.kernel[d] - 1) * window.dilations[d] + 1;
      const std::int64_t total = std::max<std::int64_t>(0, (out - 1) * window.strides[d] + reach - sizes[d]);
      const std::int64_t less = total / 2;
      window.pads[d] = window.padding == same_upper ? less : total - less;
      window.pads[rank + d] = total - window.pads[d];
    }
  Integers padded_sizes = sizes.vec();
  for (std::size_t d = 0; d < 2 * rank; ++d) padded_sizes[d % rank] += window.pads[d];
  check_elements(padded_sizes);
  return window;
}

bool is_symmetric(const Integers& pads) {
  const std::size_t rank = pads.size() / 2;
  return std::equal(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(rank),
                    pads.begin() + static_cast<std::ptrdiff_t>(rank));
}

Integers beginnings(const Integers& pads) {
  return {pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2)};
}

at::Scalar lowest(const Tensor& x) {
  if (x.is_floating_point()) return -std::numeric_limits<double>::infinity();
  return x.scalar_type() == torch::kUInt8 ? 0 : -128;
}

// LibTorch pools float types alone, and takes at most half a window of padding.
bool pads_itself(const Window& window) {
  if (!is_symmetric(window.pads)) return false;
  for (std::size_t d = 0; d < window.kernel.size(); ++d)
    if (window.pads[d] > window.kernel[d] / 2) return false;
  return true;
}

// By number of dimensions, from 1.
constexpr decltype(&at::max_pool1d) max_pools[] = {at::max_pool1d, at::max_pool2d, at::max_pool3d};
constexpr decltype(&at::max_pool1d_with_indices) max_pools_with_indices[] = {
    at::max_pool1d_with_indices, at::max_pool2d_with_indices, at::max_pool3d_with_indices};

Tensor max_pool(const Tensor& x, const Window& w, const Integers& pads, bool ceil) {
  return max_pools[w.kernel.size() - 1](x, w.kernel, w.strides, pads, w.dilations, ceil);
}

Tensor average_pool(const Tensor& x, const Window& w, const Integers& pads, bool ceil, bool include) {
  switch (w.kernel.size()) {
    case 1:
      return at::avg_pool1d(x, w.kernel, w.strides, pads, ceil, include);
    case 2:
      return at::avg_pool2d(x, w.kernel, w.strides, pads, ceil, include);
    default:
      return at::avg_pool3d(x, w.kernel, w.strides, pads, ceil, include);
  }
}

// Indices of maxima in the input, in C order (storage_order 0) or with the first dimension fastest (1).
Tensor places_of_maxima(const Tensor& x, const Window& w, bool ceil, bool columns_first) {
  TORCH_CHECK(w.kernel.size() <= 2 || !columns_first,
              "indices of maxima in column-major order in three dimensions");
  const Integers none(w.kernel.size(), 0);
  Tensor values = x.to(torch::kFloat64);
  values = padded(values, w.pads, lowest(values));
  const auto pool = max_pools_with_indices[w.kernel.size() - 1];
  // places within the padded planes
  Tensor inner = std::get<1>(pool(values, w.kernel, w.strides, none, w.dilations, ceil));
  std::vector<Tensor> place(w.kernel.size());
  for (std::size_t d = w.kernel.size(); d-- > 0;) {
    const std::int64_t size = values.size(static_cast<std::int64_t>(d) + 2);
    place[d] = inner.remainder(size) - w.pads[d];
    inner = at::div(inner, size, "floor");
  }
  if (columns_first) std::reverse(place.begin(), place.end());
  Integers sizes = x.sizes().slice(2).vec();
  if (columns_first) std::reverse(sizes.begin(), sizes.end());
  Tensor result = at::zeros_like(place[0]);
  for (std::size_t d = 0; d < place.size(); ++d) result = result * sizes[d] + place[d];
  const Tensor plane = at::arange(x.size(0) * x.size(1), result.options());
  Integers spread(static_cast<std::size_t>(x.dim()), 1);
  spread[0] = x.size(0);
  spread[1] = x.size(1);
  return result + plane.reshape(spread) * c10::multiply_integers(x.sizes().slice(2));
}

void check_images(const Tensor& x) { TORCH_CHECK(x.dim() >= 3, "an input of ", x.dim(), " dimensions"); }

Integers place_axes(const Tensor& x) {
  check_images(x);
  Integers axes(static_cast<std::size_t>(x.dim() - 2));
  std::iota(axes.begin(), axes.end(), 2);
  return axes;
}
Tensor mean_of_places(const Tensor& x) { return at::mean(x, place_axes(x), true); }
Tensor maximum_of_places(const Tensor& x) { return at::amax(x, place_axes(x), true); }

}  // namespace

Tensor padded(const Tensor& x, const Integers& pads, const at::Scalar& value) {
  const std::size_t rank = pads.size() / 2;
  Integers reversed;
  for (std::size_t d = rank; d-- > 0;) {
    reversed.push_back(pads[d]);
    reversed.push_back(pads[rank + d]);
  }
  return at::constant_pad_nd(x, reversed, value);
}

Kernel prepare_conv(Call& call) {
  const std::int64_t groups = call.integer("group", 1);
  Window given = window_of(call);
  if (const Tensor weight = call.constant(1); given.kernel.empty() && weight.defined() && weight.dim() > 2)
    given.kernel = weight.sizes().slice(2).vec();
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    check_images(x);
    Window w = given;
    if (w.kernel.empty()) w.kernel = in[1].sizes().slice(2).vec();
    w = filled(std::move(w), x.sizes().slice(2));
    const Tensor bias = in.size() > 2 ? in[2] : Tensor();
    const bool symmetric = is_symmetric(w.pads);
    const Integers none(w.kernel.size(), 0);
    return {at::convolution(symmetric ? x : padded(x, w.pads, 0), in[1], bias, w.strides,
                            symmetric ? beginnings(w.pads) : none, w.dilations, false, none, groups)};
  };
}

// The whole transposed convolution, of which pads crop; where output_shape asks for more, it is padded by zeros.
static Kernel prepare_conv_transpose(Call& call) {
  const std::int64_t groups = call.integer("group", 1);
  const Window given = window_of(call);
  const Integers added = call.integers("output_padding").value_or(Integers{});
  const auto asked = call.integers("output_shape");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    check_images(x);
    Window w = given;
    const bool same = w.padding == same_upper || w.padding == same_lower;
    const std::size_t padding = w.padding;
    w.padding = as_given;
    w.kernel = in[1].sizes().slice(2).vec();
    w = filled(std::move(w), x.sizes().slice(2));
    const std::size_t rank = w.kernel.size();
    const Integers more = added.empty() ? Integers(rank, 0) : added;
    const Tensor bias = in.size() > 2 ? in[2] : Tensor();
    TORCH_CHECK(!asked || asked->size() >= rank, "an output_shape that is too short");
    if (asked || same)
      for (std::size_t d = 0; d < rank; ++d) {
        const std::int64_t size = x.size(static_cast<std::int64_t>(d) + 2);
        const std::int64_t wanted = asked ? (*asked)[asked->size() - rank + d] : size * w.strides[d];
        const std::int64_t whole =
            w.strides[d] * (size - 1) + more[d] + (w.kernel[d] - 1) * w.dilations[d] + 1;
        const std::int64_t total = whole - wanted;
        // the larger half at the beginning, but for SAME_UPPER; what is missing comes at the end
        const std::int64_t half = padding == same_upper ? total / 2 : total - total / 2;
        const std::int64_t begin = total < 0 ? 0 : half;
        w.pads[d] = begin;
        w.pads[rank + d] = total - begin;
      }
    const auto negative = [](std::int64_t pad) { return pad < 0; };
    const bool direct = is_symmetric(w.pads) && std::none_of(w.pads.begin(), w.pads.end(), negative);
    const bool plain = std::all_of(more.begin(), more.end(), [](std::int64_t m) { return m == 0; });
    if (direct && plain)
      return {
          at::convolution(x, in[1], bias, w.strides, beginnings(w.pads), w.dilations, true, more, groups)};
    // an output padding may be as long as a stride or more once it is cropped: zeros, and the bias last
    const Integers none(rank, 0);
    Integers change = w.pads;
    for (std::size_t d = 0; d < 2 * rank; ++d) change[d] = (d < rank ? 0 : more[d - rank]) - change[d];
    Tensor y = at::convolution(x, in[1], {}, w.strides, none, w.dilations, true, none, groups);
    y = padded(y, change, 0);
    if (!bias.defined()) return {y};
    Integers sizes(rank + 1, 1);
    sizes[0] = bias.numel();
    return {y + bias.reshape(sizes)};
  };
}

static Kernel prepare_max_pool(Call& call) {
  const Window given = window_of(call);
  const bool ceil = call.flag("ceil_mode", false), columns_first = call.flag("storage_order", false);
  const bool places = call.wanted(1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    check_images(in[0]);
    const bool is_float = in[0].is_floating_point();
    const Tensor x = is_float ? in[0] : in[0].to(torch::kFloat32);
    const Window w = filled(given, x.sizes().slice(2));
    const Integers none(w.kernel.size(), 0);
    Tensor y = pads_itself(w) ? max_pool(x, w, beginnings(w.pads), ceil)
                              : max_pool(padded(x, w.pads, lowest(x)), w, none, ceil);
    if (!is_float) y = y.to(in[0].scalar_type());
    if (!places) return {y};
    return {y, places_of_maxima(x.detach(), w, ceil, columns_first)};
  };
}

// count_include_pad counts pads. If LibTorch cannot pad: mean of the padded window / its share that counts.
static Kernel prepare_average_pool(Call& call) {
  const Window given = window_of(call);
  const bool ceil = call.flag("ceil_mode", false), include = call.flag("count_include_pad", false);
  for (const std::int64_t dilation : given.dilations)
    if (dilation != 1) call.fail("averages of dilation 1", std::to_string(dilation));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    check_images(x);
    const Window w = filled(given, x.sizes().slice(2));
    if (pads_itself(w)) return {average_pool(x, w, beginnings(w.pads), ceil, include)};
    const Integers none(w.kernel.size(), 0);
    const Tensor sums = average_pool(padded(x, w.pads, 0), w, none, ceil, true);
    if (include) return {sums};
    const Tensor ones = padded(at::ones_like(x.slice(0, 0, 1).slice(1, 0, 1)), w.pads, 0);
    return {sums / average_pool(ones, w, none, ceil, true)};
  };
}

static constexpr Operator convolution_table[] = {{"AveragePool", prepare_average_pool},
                                                 {"Conv", prepare_conv, 2, 3},
                                                 {"ConvTranspose", prepare_conv_transpose, 2, 3},
                                                 {"GlobalAveragePool", prepare_one<mean_of_places>},
                                                 {"GlobalMaxPool", prepare_one<maximum_of_places>},
                                                 {"MaxPool", prepare_max_pool, 1, 1, 2}};

std::span<const Operator> convolution_operators() { return convolution_table; }

}  // namespace leeway::nn::onnx
