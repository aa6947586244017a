#include "leeway/nn/classifier.h"

#include <algorithm>

#include "leeway/nn/shards.h"
#include "leeway/nn/tensors.h"

namespace leeway::nn {
namespace {

// Every backward pass has a cost of its own, so shards are large; of few rows smaller ones, as even as can be, which
// keep more threads busy.
std::size_t gradient_shard(std::size_t n) {
  constexpr std::size_t few_rows = 256, small_shard = 32;
  if (n >= few_rows) return shard_rows;
  const std::size_t shards = std::max<std::size_t>(1, (n + small_shard - 1) / small_shard);
  return std::max<std::size_t>(1, (n + shards - 1) / shards);
}

// Rows [begin, end) of (n,d) numbers as images; nothing is copied, the numbers must outlive the tensor.
torch::Tensor as_images(std::span<const float> x, const InputShape& shape, std::size_t begin,
                        std::size_t end) {
  const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  // LibTorch has no read-only tensors; this one is only read.
  auto* const first = const_cast<float*>(x.data() + begin * shape.pixels());  // NOLINT
  return torch::from_blob(first,
                          {size(end - begin), size(shape.channels), size(shape.height), size(shape.width)},
                          torch::kFloat32);
}

void copy_out(const torch::Tensor& values, float* out) {
  const torch::Tensor plain = values.detach().to(torch::kFloat32).contiguous();
  std::copy_n(plain.data_ptr<float>(), plain.numel(), out);
}

ClassGradients gradients_of(const ForwardFunction& forward, const InputShape& input, std::size_t k,
                            std::span<const float> x, std::span<const std::int32_t> classes) {
  const std::size_t d = input.pixels(), n = x.size() / d, m = classes.empty() ? k : classes.size() / n;
  ClassGradients result{std::vector<float>(n * k), std::vector<float>(n * m * d)};
  const std::vector<std::int64_t> wanted(classes.begin(), classes.end());
  for_shards(n, gradient_shard(n), "class gradients", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::Tensor images = as_images(x, input, begin, end).requires_grad_();
    const torch::Tensor logits = forward(images).logits;
    copy_out(logits, result.logits.data() + begin * k);
    torch::Tensor chosen = logits;
    if (!wanted.empty())
      chosen =
          logits.gather(1, to_tensor(wanted, begin * m, end * m).view({-1, static_cast<std::int64_t>(m)}));
    const torch::Tensor one = torch::zeros_like(chosen);  // of the class at hand
    for (std::size_t j = 0; j < m; ++j) {
      const torch::Tensor column = one.select(1, static_cast<std::int64_t>(j));
      column.fill_(1);
      const torch::Tensor gradient = torch::autograd::grad({chosen}, {images}, {one}, j + 1 < m)[0];
      column.zero_();
      const torch::Tensor plain = gradient.to(torch::kFloat32).contiguous();
      for (std::size_t i = begin; i < end; ++i)
        std::copy_n(plain.data_ptr<float>() + (i - begin) * d, d, result.gradients.data() + (i * m + j) * d);
    }
  });
  return result;
}

}  // namespace

Classifier make_classifier(ForwardFunction forward, const InputShape& input, std::size_t classes) {
  Classifier classifier{input.pixels(), classes, {}, {}};
  classifier.logits = [forward, input, classes](std::span<const float> x) {
    const std::size_t n = x.size() / input.pixels();
    std::vector<float> logits(n * classes);
    for_shards(n, shard_rows, "outputs", nullptr, [&](std::size_t begin, std::size_t end) {
      const torch::NoGradGuard no_grad;
      copy_out(forward(as_images(x, input, begin, end)).logits, logits.data() + begin * classes);
    });
    return logits;
  };
  classifier.gradients = [forward, input, classes](std::span<const float> x,
                                                   std::span<const std::int32_t> chosen) {
    return gradients_of(forward, input, classes, x, chosen);
  };
  return classifier;
}

}  // namespace leeway::nn
