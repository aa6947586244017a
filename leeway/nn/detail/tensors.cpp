#include "leeway/nn/detail/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/probabilities.h"
#include "leeway/core/random.h"

namespace leeway::nn {
namespace {

void copy_checked(const Images& images, std::size_t row, float* out) {
  const std::span<float> image(out, images.pixels_per_image());
  images.copy_row(row, image);
  if (images.pixels.type == ElementType::u8) return;
  for (const float value : image)
    if (!images.are_rows() && !(value >= 0 && value <= 1))
      refuse(images.path.empty() ? "images" : display_name(images.path), "pixels in [0,1]",
             fmt::format("{} at row {}", value, row));
}

// The first line from there on that says anything, without the blanks and full stops around it.
std::string line_from(std::string_view text, std::size_t begin) {
  constexpr std::string_view blank = " \t\r\n.:";
  begin = text.find_first_not_of(blank, begin);
  if (begin == std::string_view::npos) return "";
  const std::string_view line = text.substr(begin, text.find('\n', begin) - begin);
  return std::string(line.substr(0, line.find_last_not_of(" \t\r.:") + 1));
}

// Every number of row r is draw(random), the random numbers keyed by 2^24 `number` + r.
template <class Draw>
torch::Tensor drawn_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                         std::uint64_t number, const Draw& draw) {
  torch::Tensor tensor = torch::empty(shape);
  const auto rows = static_cast<std::size_t>(shape[0]);
  const std::size_t size = static_cast<std::size_t>(tensor.numel()) / rows;
  auto* const data = tensor.data_ptr<float>();
  parallel_for(rows, [&](std::size_t row) {
    Random random(seed, purpose, number << 24 | row);
    std::generate_n(data + row * size, size, [&] { return draw(random); });
  });
  return tensor;
}

// Element types that LibTorch 1.13 has.
struct SameType {
  ElementType type;
  torch::ScalarType held;
};
constexpr SameType same_types[] = {{ElementType::boolean, torch::kBool}, {ElementType::i8, torch::kInt8},
                                   {ElementType::u8, torch::kUInt8},     {ElementType::i16, torch::kInt16},
                                   {ElementType::i32, torch::kInt32},    {ElementType::i64, torch::kInt64},
                                   {ElementType::f32, torch::kFloat32},  {ElementType::f64, torch::kFloat64}};

}  // namespace

std::vector<std::int64_t> sizes_of(std::size_t rows, const InputShape& shape) {
  std::vector<std::int64_t> sizes;
  for (const std::size_t size : {rows, shape.channels, shape.height, shape.width})
    sizes.push_back(static_cast<std::int64_t>(size));
  return sizes;
}

std::vector<std::int64_t> predictions(const Array& logits) {
  const auto values = logits.view<float>();
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  std::vector<std::int64_t> classes(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = values.subspan(i * k, k);
    classes[i] = std::ranges::max_element(row) - row.begin();
  }
  return classes;
}

torch::Tensor pixels(const Images& images, std::size_t begin, std::size_t end) {
  torch::Tensor tensor = torch::empty(sizes_of(end - begin, shape_of(images)));
  float* const data = tensor.data_ptr<float>();
  for (std::size_t row = begin; row < end; ++row)
    copy_checked(images, row, data + (row - begin) * images.pixels_per_image());
  return tensor;
}

torch::Tensor pixels_of(const Images& images, std::span<const std::int64_t> rows) {
  torch::Tensor tensor = torch::empty(sizes_of(rows.size(), shape_of(images)));
  const std::size_t size = images.pixels_per_image();
  float* out = tensor.data_ptr<float>();
  for (const std::int64_t row : rows) {
    images.copy_row(static_cast<std::size_t>(row), {out, size});
    out += size;
  }
  return tensor;
}

void check_pixels(const Images& images) {
  if (images.pixels.type == ElementType::u8) return;
  constexpr std::size_t chunk = 256;
  parallel_for((images.n() + chunk - 1) / chunk, [&](std::size_t c) {
    std::vector<float> image(images.pixels_per_image());
    for (std::size_t row = c * chunk; row < std::min(images.n(), (c + 1) * chunk); ++row)
      copy_checked(images, row, image.data());
  });
}

torch::Tensor to_tensor(const Array& array, const std::string& name) {
  const std::vector<double> values = to_f64(array, name);
  const std::vector<std::int64_t> sizes(array.shape.begin(), array.shape.end());
  torch::Tensor tensor = torch::empty(sizes);
  float* const data = tensor.data_ptr<float>();
  for (std::size_t i = 0; i < values.size(); ++i) data[i] = static_cast<float>(values[i]);
  return tensor;
}

Array to_array(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  const float* const data = plain.data_ptr<float>();
  return make_array(std::vector<std::size_t>(plain.sizes().begin(), plain.sizes().end()),
                    std::vector<float>(data, data + plain.numel()));
}

torch::Tensor shared_tensor(const Array& array) {
  const auto* const same = std::ranges::find(same_types, array.type, &SameType::type);
  if (same == std::end(same_types)) return {};
  // LibTorch has no read-only tensors
  return torch::from_blob(
      const_cast<void*>(array.storage.get()),
      std::vector<std::int64_t>(array.shape.begin(), array.shape.end()), [keep = array.storage](void*) {},
      torch::TensorOptions(same->held));
}

Array shared_array(const torch::Tensor& tensor) {
  const torch::Tensor plain = tensor.detach().to(torch::kCPU).contiguous();
  const auto* const same = std::ranges::find(same_types, plain.scalar_type(), &SameType::held);
  if (same == std::end(same_types)) throw std::logic_error("a tensor of a type that arrays do not support");
  return {same->type,
          {plain.sizes().begin(), plain.sizes().end()},
          {plain.data_ptr(), [plain](const void*) {}},
          {}};
}

torch::Tensor to_tensor(const std::vector<std::int64_t>& labels, std::size_t begin, std::size_t end) {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(end - begin)}, torch::kInt64);
  std::copy(labels.begin() + static_cast<std::ptrdiff_t>(begin),
            labels.begin() + static_cast<std::ptrdiff_t>(end), tensor.data_ptr<std::int64_t>());
  return tensor;
}

std::string text_of(const InputShape& shape) {
  if (shape.rank == 2) return fmt::format("({})", shape.channels);
  if (shape.rank == 3) return fmt::format("({}, {})", shape.channels, shape.height);
  return fmt::format("({}, {}, {})", shape.channels, shape.height, shape.width);
}

std::string text_of(torch::IntArrayRef sizes) { return fmt::format("({})", fmt::join(sizes, ", ")); }

torch::Device device_from_name(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  const auto count = static_cast<std::size_t>(torch::cuda::device_count());
  for (std::size_t i = 0; i < count; ++i)
    if (name == fmt::format("cuda:{}", i) || (i == 0 && name == "cuda")) {
      at::globalContext().setAllowTF32CuDNN(false);
      return {torch::kCUDA, static_cast<c10::DeviceIndex>(i)};
    }
  refuse("device",
         count == 0 ? "cpu (no CUDA device found)" : fmt::format("cpu, or cuda:0 to cuda:{}", count - 1),
         in_quotes(name));
}

std::string first_line(const std::exception& failure) {
  const auto* const torch_error = dynamic_cast<const c10::Error*>(&failure);
  const std::string all = torch_error ? torch_error->what_without_backtrace() : failure.what();
  constexpr std::string_view listing_ends = "<--- HERE", plain = "RuntimeError: ";
  constexpr std::string_view unknown = "Unknown builtin op: ";
  if (const auto at = all.find(unknown); at != std::string::npos)
    return "unknown operator " + line_from(all, at + unknown.size());
  std::string text;
  if (const auto end = all.rfind(listing_ends); end != std::string::npos) {
    const auto reason = all.find(plain, end);  // more of the listing may come before the reason
    text = line_from(all, reason == std::string::npos ? end + listing_ends.size() : reason);
  }
  if (text.empty()) text = line_from(all, 0);
  if (text.starts_with(plain)) text = text.substr(plain.size());
  return text.empty() ? "unknown LibTorch error" : text;
}

torch::Tensor gradient_of(const torch::Tensor& of, const torch::Tensor& by, const torch::Tensor& weights,
                          bool keep_graph) {
  const std::string apart = "logits that do not depend differentiably on the pixels";
  if (!of.requires_grad()) throw NoGradients(apart);
  torch::autograd::variable_list factors;
  if (weights.defined()) factors.push_back(weights);
  torch::Tensor gradient;
  try {
    gradient = torch::autograd::grad({of}, {by}, factors, keep_graph, /*create_graph=*/false,
                                     /*allow_unused=*/true)[0];
  } catch (const c10::Error& failure) {
    const std::string reason = first_line(failure);
    if (reason.find("allocate") != std::string::npos) throw;
    throw NoGradients("\"" + printable(reason, 200) + "\"");
  }
  if (!gradient.defined()) throw NoGradients(apart);
  return gradient;
}

void refuse_without_gradients(const std::string& name, const NoGradients& failure) {
  refuse(name,
         "a model with input gradients (not needed for infer, assess, average-case --methods mc, and the "
         "attacks square, "
         "hopskipjump and noise)",
         failure.what());
}

torch::Tensor normal_rows(torch::IntArrayRef shape, std::uint64_t seed, std::uint32_t purpose,
                          std::uint64_t number) {
  return drawn_rows(shape, seed, purpose, number,
                    [](Random& random) { return static_cast<float>(random.normal()); });
}

torch::Tensor dropout_rows(torch::IntArrayRef shape, double probability, std::uint64_t seed,
                           std::uint32_t purpose, std::uint64_t number) {
  const auto least = static_cast<std::uint32_t>(probability * 4294967296.);
  const auto kept = static_cast<float>(1 / (1 - probability));
  return drawn_rows(shape, seed, purpose, number,
                    [&](Random& random) { return random.bits() >= least ? kept : 0.f; });
}

TorchThreads::TorchThreads(int count) : before_(at::get_num_threads()) {
  if (before_ != count) at::set_num_threads(count);
}

TorchThreads::~TorchThreads() {
  if (at::get_num_threads() != before_) at::set_num_threads(before_);
}

std::size_t even_shard(std::size_t n, std::size_t most) {
  const std::size_t shards = std::max<std::size_t>(1, (n + most - 1) / most);
  return std::max<std::size_t>(1, (n + shards - 1) / shards);
}

std::size_t shard_of(std::size_t n) {
  constexpr std::size_t few_rows = 64, small_shard = 16;
  return n >= few_rows ? shard_rows : even_shard(n, small_shard);
}

void for_shards(std::size_t n, std::size_t rows, const std::string& task, Progress* progress,
                const std::function<void(std::size_t, std::size_t)>& body) {
  const TorchThreads one(1);
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for((n + rows - 1) / rows, [&](std::size_t shard) {
    if (progress && progress->stop_requested()) throw Interrupted(task + ": stopped; nothing was written");
    if (at::get_num_threads() != 1) at::set_num_threads(1);  // a setting of the thread
    const std::size_t begin = shard * rows, end = std::min(n, begin + rows);
    body(begin, end);
    if (!progress) return;
    const std::lock_guard lock(mutex);
    done += end - begin;
    progress->update(task, done, n, "");
  });
}

torch::Tensor logarithms(const torch::Tensor& probabilities) {
  const torch::Tensor zero = probabilities.le(0);
  return probabilities.masked_fill(zero, 1).log().masked_fill(zero, log_of_zero);
}

bool is_single_output(const torch::Tensor& logits, std::int64_t rows) {
  return logits.dim() > 0 && logits.dim() <= 2 && logits.size(0) == rows && logits.numel() == rows;
}

torch::Tensor two_classes(const torch::Tensor& single, Binary binary, const std::string& name) {
  if (binary == Binary::refuse)
    refuse(name, "at least two classes (for the positive class of two: --binary logit or --binary prob)",
           fmt::format("outputs of shape {}", text_of(single.sizes())));
  const torch::Tensor v = single.view({-1, 1});
  if (binary == Binary::logit) return torch::cat({torch::zeros_like(v), v}, 1);
  constexpr double tolerance = 1e-3;  // of rounding, as in probabilities of files
  const torch::Tensor plain = v.detach(), outside = (plain < -tolerance) | (plain > 1 + tolerance);
  if (outside.any().item<bool>())
    refuse(name, "probabilities in [0,1] (--binary prob)",
           fmt::format("{:.6g}", plain.masked_select(outside)[0].item<double>()));
  return logarithms(torch::cat({1 - v, v}, 1));
}

}  // namespace leeway::nn
