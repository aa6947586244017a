// What picks, puts or counts elements by their places.

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

// Indices (..., r) into the first r of these sizes as places in a plain array of them.
Tensor flat_places(const Tensor& indices, torch::IntArrayRef sizes) {
  const std::int64_t depth = indices.size(-1);
  TORCH_CHECK(depth >= 1 && depth <= static_cast<std::int64_t>(sizes.size()), "indices of ", depth,
              " numbers");
  Tensor flat =
      at::zeros(indices.sizes().slice(0, static_cast<std::size_t>(indices.dim()) - 1), indices.options());
  for (std::int64_t d = 0; d < depth; ++d) {
    const std::int64_t size = sizes[static_cast<std::size_t>(d)];
    const Tensor at = indices.select(-1, d);
    TORCH_CHECK(
        at.numel() == 0 || (at.min().item<std::int64_t>() >= -size && at.max().item<std::int64_t>() < size),
        "indices within ", size);
    flat = flat * size + nonnegative(at, size);
  }
  return flat;
}

constexpr std::string_view reductions[] = {"none", "add", "mul", "max", "min"};
constexpr const char* modes_of_reduction[] = {"", "sum", "prod", "amax", "amin"};

// `updates` (m, ...) onto rows of x (n, ...).
Tensor put_rows(const Tensor& x, const Tensor& rows, const Tensor& updates, std::size_t reduction) {
  if (reduction == 0) return x.index_copy(0, rows, updates);
  if (reduction == 1) return x.index_add(0, rows, updates);
  Integers sizes(static_cast<std::size_t>(updates.dim()), 1);
  sizes[0] = rows.numel();
  return x.scatter_reduce(0, rows.reshape(sizes).expand_as(updates), updates, modes_of_reduction[reduction],
                          true);
}

Tensor non_zero(const Tensor& x) { return x.nonzero().t().contiguous(); }

Kernel prepare_scatter_elements(Call& call) {
  const std::int64_t axis = call.integer("axis", 0);
  const std::size_t reduction = call.choice("reduction", reductions);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t along = axis_of(axis, in[0].dim());
    const Tensor places = nonnegative(in[1], in[0].size(along));
    if (reduction == 0) return {in[0].scatter(along, places, in[2])};
    return {in[0].scatter_reduce(along, places, in[2], modes_of_reduction[reduction], true)};
  };
}

}  // namespace

Tensor nonnegative(const Tensor& indices, std::int64_t size) {
  const Tensor whole = indices.to(torch::kInt64);
  return at::where(whole < 0, whole + size, whole);
}

// Indices (..., r) name parts of x by their first r places.
static Kernel prepare_scatter_nd(Call& call) {
  const std::size_t reduction = call.choice("reduction", reductions);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    const auto depth = static_cast<std::size_t>(in[1].size(-1));
    const Tensor places = flat_places(in[1], x.sizes()).reshape({-1});
    const auto rest = x.sizes().slice(depth);
    Integers sizes{-1};
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    return {put_rows(x.reshape(sizes), places, in[2].reshape(sizes), reduction).reshape(x.sizes())};
  };
}

static Kernel prepare_gather_nd(Call& call) {
  const std::int64_t batches = call.integer("batch_dims", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor &x = in[0], &indices = in[1];
    TORCH_CHECK(batches >= 0 && batches < x.dim() && batches < indices.dim(), batches,
                " dimensions of batches");
    const auto b = static_cast<std::size_t>(batches);
    const auto depth = static_cast<std::size_t>(indices.size(-1));
    const std::int64_t groups = c10::multiply_integers(x.sizes().slice(0, b));
    const Tensor places = flat_places(indices, x.sizes().slice(b)).reshape({groups, -1});
    const auto rest = x.sizes().slice(b + depth);
    const std::int64_t parts = c10::multiply_integers(x.sizes().slice(b, depth));
    const Tensor first = at::arange(groups, places.options()).unsqueeze(1) * parts;
    Integers sizes{-1};
    sizes.insert(sizes.end(), rest.begin(), rest.end());
    Integers out = indices.sizes().slice(0, static_cast<std::size_t>(indices.dim()) - 1).vec();
    out.insert(out.end(), rest.begin(), rest.end());
    return {x.reshape(sizes).index_select(0, (places + first).reshape({-1})).reshape(out)};
  };
}

// `values` holds what stands elsewhere and what stands at the index.
static Kernel prepare_one_hot(Call& call) {
  const std::int64_t axis = call.integer("axis", -1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const auto depth = static_cast<std::int64_t>(in[1].reshape({-1})[0].item<double>());
    TORCH_CHECK(depth >= 0, "a depth of at least 0, not ", depth);
    Integers sizes = in[0].sizes().vec();
    sizes.push_back(depth);
    check_elements(sizes);
    const Tensor places = nonnegative(in[0].to(torch::kInt64), depth);
    const Tensor hot =
        (places.unsqueeze(-1) == at::arange(depth, places.options())) & (places >= 0).unsqueeze(-1);
    const Tensor result = at::where(hot, in[2][1], in[2][0]);
    return {result.movedim(-1, axis_of(axis, result.dim()))};
  };
}

static Kernel prepare_compress(Call& call) {
  const bool flat = !call.has("axis");
  const std::int64_t axis = call.integer("axis", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor x = flat ? in[0].reshape({-1}) : in[0];
    return {x.index_select(axis_of(axis, x.dim()), in[1].nonzero().reshape({-1}))};
  };
}

static Kernel prepare_eye_like(Call& call) {
  const std::int64_t diagonal = call.integer("k", 0);
  const bool typed = call.has("dtype");
  const torch::ScalarType type = type_of_code(call, call.integer("dtype", 1));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    TORCH_CHECK(in[0].dim() == 2, "a matrix");
    const Tensor ones = at::ones(in[0].sizes(), in[0].options().dtype(typed ? type : in[0].scalar_type()));
    return {at::tril(at::triu(ones, diagonal), diagonal)};
  };
}

static Kernel prepare_is_inf(Call& call) {
  const bool negative = call.flag("detect_negative", true), positive = call.flag("detect_positive", true);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor infinite = at::isinf(in[0]);
    if (negative && positive) return {infinite};
    return {infinite & (positive ? in[0] > 0 : negative ? in[0] < 0 : at::zeros_like(infinite))};
  };
}

// The first `lengths` places along the time axis in reverse, row by row; the rest as it is.
static Kernel prepare_reverse_sequence(Call& call) {
  const std::int64_t time = call.integer("time_axis", 0), rows = call.integer("batch_axis", 1);
  if (time == rows || time < 0 || time > 1 || rows < 0 || rows > 1)
    call.fail("axes 0 and 1", std::to_string(time) + " and " + std::to_string(rows));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor x = time == 0 ? in[0] : in[0].transpose(0, 1);  // (time, rows, ...)
    const Tensor lengths = in[1].to(torch::kInt64).unsqueeze(0);
    const Tensor t = at::arange(x.size(0), lengths.options()).unsqueeze(1);
    Tensor places = at::where(t < lengths, lengths - 1 - t, t);
    Integers sizes(static_cast<std::size_t>(x.dim()), 1);
    sizes[0] = x.size(0), sizes[1] = x.size(1);
    const Tensor result = at::gather(x, 0, places.reshape(sizes).expand_as(x));
    return {time == 0 ? result : result.transpose(0, 1)};
  };
}

// Where `grid` (n, rows, columns, 2) points to, from -1 to 1.
static Kernel prepare_grid_sample(Call& call) {
  constexpr std::string_view interpolations[] = {"bilinear", "nearest", "bicubic", "linear", "cubic"};
  constexpr std::string_view borders[] = {"zeros", "border", "reflection"};
  constexpr std::int64_t code_of[] = {0, 1, 2, 0, 2};
  const std::int64_t kind = code_of[call.choice("mode", interpolations)];
  const auto padding = static_cast<std::int64_t>(call.choice("padding_mode", borders));
  const bool corners = call.flag("align_corners", false);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    return {at::grid_sampler(in[0], in[1], kind, padding, corners)};
  };
}

// clang-format off
static constexpr Operator places_table[] = {
    {"Compress", prepare_compress, 2, 2}, {"EyeLike", prepare_eye_like},
    {"GatherND", prepare_gather_nd, 2, 2}, {"GridSample", prepare_grid_sample, 2, 2},
    {"IsInf", prepare_is_inf}, {"NonZero", prepare_one<non_zero>}, {"OneHot", prepare_one_hot, 3, 3},
    {"ReverseSequence", prepare_reverse_sequence, 2, 2}, {"Scatter", prepare_scatter_elements, 3, 3},
    {"ScatterElements", prepare_scatter_elements, 3, 3}, {"ScatterND", prepare_scatter_nd, 3, 3},
};
// clang-format on

std::span<const Operator> places_operators() { return places_table; }

}  // namespace leeway::nn::onnx
