// Operators that rearrange elements.
//
// Files with a fixed batch contain it in constant shapes. If a constant shape begins with the declared batch
// and the run has another number of rows, Reshape and Expand use the latter, and Concat repeats inputs of the
// declared size. onnx/program.h verifies this guess.
#include <numeric>

#include "leeway/nn/onnx/operator.h"

namespace leeway::nn::onnx {
namespace {

using torch::Tensor;

constexpr std::string_view depth_modes[] = {"DCR", "CRD"};

Tensor size_of(const Tensor& x) { return torch::scalar_tensor(x.numel(), torch::kInt64); }
Tensor same(const Tensor& x) { return x; }

std::int64_t block_of(Call& call) {
  const std::int64_t block = call.integer("blocksize", 0);
  if (block < 1 || block > 1 << 20) call.fail("a blocksize from 1", std::to_string(block));
  return block;
}

// Elements of `x` along `axis` from `start` to before `end`, in steps; bounds as Python has them.
Tensor sliced(const Tensor& x, std::int64_t axis, std::int64_t start, std::int64_t end, std::int64_t step) {
  TORCH_CHECK(step != 0, "a step of 0");
  const std::int64_t size = x.size(axis);
  const auto from_end = [size](std::int64_t place) { return place < 0 ? place + size : place; };
  if (step > 0) {
    const std::int64_t first = std::clamp<std::int64_t>(from_end(start), 0, size);
    const std::int64_t last = std::clamp<std::int64_t>(from_end(end), first, size);
    return x.slice(axis, first, last, std::min(step, std::max<std::int64_t>(size, 1)));
  }
  const std::int64_t first = std::clamp<std::int64_t>(from_end(start), -1, size - 1);
  const std::int64_t last = std::clamp<std::int64_t>(from_end(end), -1, size - 1);
  if (first <= last) return x.slice(axis, 0, 0);
  const std::int64_t stride = std::max(step, -size);
  return x.index_select(axis, at::arange(first, last, stride, torch::kInt64).to(x.device()));
}

}  // namespace

Kernel prepare_identity(Call& call) { return prepare_one<same>(call); }

// 0 takes the size of the data there (unless allowzero), -1 what is left.
static Kernel prepare_reshape(Call& call) {
  const bool zeros = call.flag("allowzero", false);
  const IntegerInput shape(call, "shape", 1);
  if (!shape.given()) call.fail("a shape", "none");
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    const Tensor& x = in[0];
    Integers sizes = *shape.read(in);
    const bool is_data = x.is_floating_point();  // and no arithmetic on shapes
    if (is_data && batch.differs() && shape.is_fixed() && !sizes.empty() && sizes[0] == batch.declared &&
        x.dim() > 0 && x.size(0) == batch.rows)
      sizes[0] = batch.rows;
    for (std::size_t d = 0; d < sizes.size() && !zeros; ++d) {
      if (sizes[d] != 0) continue;
      TORCH_CHECK(static_cast<std::int64_t>(d) < x.dim(), "a size to keep that does not exist in the data");
      sizes[d] = x.size(static_cast<std::int64_t>(d));
    }
    return {x.reshape(sizes)};
  };
}

static Kernel prepare_flatten(Call& call) {
  const std::int64_t axis = call.integer("axis", 1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    const std::int64_t from = axis == x.dim() ? axis : axis_of(axis, x.dim());
    const auto at = static_cast<std::size_t>(from);
    return {x.reshape(
        {c10::multiply_integers(x.sizes().slice(0, at)), c10::multiply_integers(x.sizes().slice(at))})};
  };
}

static Kernel prepare_transpose(Call& call) {
  const auto order = call.integers("perm");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    if (order) return {in[0].permute(*order)};
    Integers reversed(static_cast<std::size_t>(in[0].dim()));
    std::iota(reversed.rbegin(), reversed.rend(), 0);
    return {in[0].permute(reversed)};
  };
}

static Kernel prepare_squeeze(Call& call) {
  const IntegerInput given(call, "axes", 1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    Tensor x = in[0];
    const auto axes = given.read(in);
    if (!axes) return {x.squeeze()};
    std::vector<bool> drop(static_cast<std::size_t>(x.dim()), false);
    for (const std::int64_t axis : *axes) {
      const std::int64_t at = axis_of(axis, x.dim());
      TORCH_CHECK(x.size(at) == 1, "an axis of ", x.size(at), " elements to be dropped");
      drop[static_cast<std::size_t>(at)] = true;
    }
    for (std::int64_t d = x.dim(); d-- > 0;)
      if (drop[static_cast<std::size_t>(d)]) x = x.squeeze(d);
    return {x};
  };
}

static Kernel prepare_unsqueeze(Call& call) {
  const IntegerInput given(call, "axes", 1);
  if (!given.given()) call.fail("axes", "none");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    Integers axes = *given.read(in);
    const std::int64_t rank = in[0].dim() + static_cast<std::int64_t>(axes.size());
    for (std::int64_t& axis : axes) axis = axis_of(axis, rank);
    std::sort(axes.begin(), axes.end());
    Tensor x = in[0];
    for (const std::int64_t axis : axes) x = x.unsqueeze(axis);
    return {x};
  };
}

static Kernel prepare_concat(Call& call) {
  const std::int64_t axis = call.integer("axis", 1);
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    const std::int64_t along = axis_of(axis, in[0].dim());
    if (!batch.differs() || along == 0) return {at::cat(in, along)};
    Tensors parts = in;
    const auto has = [](std::int64_t rows) {
      return [rows](const Tensor& x) { return x.dim() > 0 && x.size(0) == rows; };
    };
    if (std::any_of(in.begin(), in.end(), has(batch.rows)))
      for (Tensor& part : parts)
        if (part.dim() > 0 && part.size(0) == 1 && batch.declared == 1) {
          Integers sizes(static_cast<std::size_t>(part.dim()), -1);
          sizes[0] = batch.rows;
          part = part.expand(sizes);
        }
    return {at::cat(parts, along)};
  };
}

// Bounds are attributes before opset 10 and inputs from then on.
static Kernel prepare_slice(Call& call) {
  const IntegerInput starts(call, "starts", 1), ends(call, "ends", 2), axes(call, "axes", 3),
      steps(call, "steps", 4);
  if (!starts.given() || !ends.given()) call.fail("starts and ends", "none");
  return [=](const Tensors& in, const Batch&) -> Tensors {
    Tensor x = in[0];
    const Integers from = *starts.read(in), to = *ends.read(in);
    Integers along = axes.read(in).value_or(Integers{});
    const Integers by = steps.read(in).value_or(Integers(from.size(), 1));
    if (!axes.given()) {
      along.resize(from.size());
      std::iota(along.begin(), along.end(), 0);
    }
    TORCH_CHECK(to.size() == from.size() && along.size() == from.size() && by.size() == from.size(),
                "as many starts as ends, axes and steps");
    for (std::size_t i = 0; i < from.size(); ++i)
      x = sliced(x, axis_of(along[i], x.dim()), from[i], to[i], by[i]);
    return {x};
  };
}

static Kernel prepare_split(Call& call) {
  const std::int64_t axis = call.integer("axis", 0);
  const IntegerInput parts(call, "split", 1);
  const auto count = static_cast<std::int64_t>(call.outputs());
  const bool may_end_short = call.opset() >= 18;  // the last part may then be smaller
  if (call.integer("num_outputs", count) != count)
    call.fail("as many outputs as num_outputs", std::to_string(count));
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t along = axis_of(axis, in[0].dim()), size = in[0].size(along);
    if (const auto sizes = parts.read(in)) return at::split_with_sizes(in[0], *sizes, along);
    const std::int64_t part = (size + count - 1) / count, last = size - part * (count - 1);
    TORCH_CHECK(last == part || (may_end_short && last >= 0), count, " equal parts of ", size);
    Integers sizes(static_cast<std::size_t>(count), part);
    sizes.back() = last;
    return at::split_with_sizes(in[0], sizes, along);
  };
}

static Kernel prepare_shape(Call& call) {
  const std::int64_t start = call.integer("start", 0);
  const bool has_end = call.has("end");
  const std::int64_t end = call.integer("end", 0);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const std::int64_t rank = in[0].dim();
    const auto place = [rank](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t first = place(start), last = std::max(first, has_end ? place(end) : rank);
    const auto sizes = in[0].sizes();
    return {torch::tensor(Integers(sizes.begin() + first, sizes.begin() + last), torch::kInt64)};
  };
}

// The shape that both the data's and the given one broadcast to.
static Kernel prepare_expand(Call& call) {
  const IntegerInput shape(call, "shape", 1);
  return [=](const Tensors& in, const Batch& batch) -> Tensors {
    Integers sizes = *shape.read(in);
    if (batch.differs() && shape.is_fixed() && sizes.size() > 1 && sizes[0] == batch.declared)
      sizes[0] = batch.rows;
    const Integers own = in[0].sizes().vec();
    if (sizes.size() < own.size()) sizes.insert(sizes.begin(), own.size() - sizes.size(), 1);
    for (std::size_t d = 0; d < own.size(); ++d) {
      std::int64_t& size = sizes[sizes.size() - own.size() + d];
      if (size == 1) size = own[d];
    }
    check_elements(sizes);
    return {in[0].expand(sizes)};
  };
}

static Kernel prepare_tile(Call& call) {
  const IntegerInput repeats(call, "repeats", 1);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Integers times = *repeats.read(in);
    TORCH_CHECK(static_cast<std::int64_t>(times.size()) == in[0].dim(), "one repeat per dimension");
    check_elements(times);
    Integers sizes = times;
    for (std::size_t d = 0; d < sizes.size(); ++d) sizes[d] *= in[0].size(static_cast<std::int64_t>(d));
    check_elements(sizes);
    return {in[0].repeat(times)};
  };
}

static Kernel prepare_depth_to_space(Call& call) {
  const std::int64_t block = block_of(call);
  const bool depth_first = call.choice("mode", depth_modes) == 0;
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    TORCH_CHECK(x.dim() == 4 && x.size(1) % (block * block) == 0, "channels in blocks of ", block);
    const std::int64_t n = x.size(0), c = x.size(1) / (block * block), h = x.size(2), w = x.size(3);
    const Tensor split = depth_first ? x.reshape({n, block, block, c, h, w}).permute({0, 3, 4, 1, 5, 2})
                                     : x.reshape({n, c, block, block, h, w}).permute({0, 1, 4, 2, 5, 3});
    return {split.reshape({n, c, h * block, w * block})};
  };
}

static Kernel prepare_space_to_depth(Call& call) {
  const std::int64_t block = block_of(call);
  return [=](const Tensors& in, const Batch&) -> Tensors {
    const Tensor& x = in[0];
    TORCH_CHECK(x.dim() == 4 && x.size(2) % block == 0 && x.size(3) % block == 0, "sides in blocks of ",
                block);
    const std::int64_t n = x.size(0), c = x.size(1), h = x.size(2) / block, w = x.size(3) / block;
    return {x.reshape({n, c, h, block, w, block})
                .permute({0, 3, 5, 1, 2, 4})
                .reshape({n, c * block * block, h, w})};
  };
}

// clang-format off
static constexpr Operator shapes_table[] = {
    {"Concat", prepare_concat, 1, any_number}, {"DepthToSpace", prepare_depth_to_space},
    {"Expand", prepare_expand, 2, 2}, {"Flatten", prepare_flatten}, {"Identity", prepare_identity},
    {"Reshape", prepare_reshape, 1, 2}, {"Shape", prepare_shape}, {"Size", prepare_one<size_of>},
    {"Slice", prepare_slice, 1, 5}, {"SpaceToDepth", prepare_space_to_depth},
    {"Split", prepare_split, 1, 2, any_number}, {"Squeeze", prepare_squeeze, 1, 2},
    {"Tile", prepare_tile, 2, 2}, {"Transpose", prepare_transpose}, {"Unsqueeze", prepare_unsqueeze, 1, 2},
};
// clang-format on

std::span<const Operator> shapes_operators() { return shapes_table; }

}  // namespace leeway::nn::onnx
