#include "leeway/nn/tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::nn {
namespace {

void copy_checked(const Images& images, std::size_t row, float* out) {
  const std::span<float> image(out, images.pixels_per_image());
  images.copy_row(row, image);
  if (images.pixels.type == ElementType::u8) return;
  for (const float value : image)
    if (!(value >= 0 && value <= 1))
      refuse(images.path.empty() ? "images" : display_name(images.path), "pixels in [0,1]",
             fmt::format("{} at row {}", value, row));
}

torch::Tensor empty_like_rows(const Images& images, std::size_t rows) {
  return torch::empty({static_cast<std::int64_t>(rows), static_cast<std::int64_t>(images.channels()),
                       static_cast<std::int64_t>(images.height()),
                       static_cast<std::int64_t>(images.width())});
}

}  // namespace

torch::Tensor pixels(const Images& images, std::size_t begin, std::size_t end) {
  torch::Tensor tensor = empty_like_rows(images, end - begin);
  float* const data = tensor.data_ptr<float>();
  for (std::size_t row = begin; row < end; ++row)
    copy_checked(images, row, data + (row - begin) * images.pixels_per_image());
  return tensor;
}

torch::Tensor all_pixels(const Images& images) {
  torch::Tensor tensor = empty_like_rows(images, images.n());
  float* const data = tensor.data_ptr<float>();
  constexpr std::size_t chunk = 256;
  parallel_for((images.n() + chunk - 1) / chunk, [&](std::size_t c) {
    for (std::size_t row = c * chunk; row < std::min(images.n(), (c + 1) * chunk); ++row)
      copy_checked(images, row, data + row * images.pixels_per_image());
  });
  return tensor;
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

torch::Tensor to_tensor(const std::vector<std::int64_t>& labels, std::size_t begin, std::size_t end) {
  torch::Tensor tensor = torch::empty({static_cast<std::int64_t>(end - begin)}, torch::kInt64);
  std::copy(labels.begin() + static_cast<std::ptrdiff_t>(begin),
            labels.begin() + static_cast<std::ptrdiff_t>(end), tensor.data_ptr<std::int64_t>());
  return tensor;
}

std::string text_of(const InputShape& shape) {
  return fmt::format("({}, {}, {})", shape.channels, shape.height, shape.width);
}

std::string text_of(torch::IntArrayRef sizes) { return fmt::format("({})", fmt::join(sizes, ", ")); }

torch::Device device_from_name(const std::string& name) {
  if (name == "cpu") return torch::kCPU;
  throw std::runtime_error("device " + in_quotes(name) + ": models run on the cpu only");
}

std::string first_line(const std::exception& failure) {
  const auto* const torch_error = dynamic_cast<const c10::Error*>(&failure);
  std::string text = torch_error ? torch_error->what_without_backtrace() : failure.what();
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  return text.empty() ? "LibTorch gave no reason" : text;
}

}  // namespace leeway::nn
