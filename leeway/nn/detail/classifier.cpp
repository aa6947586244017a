#include <ATen/record_function.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {
namespace {

// Rows [begin, end) of (n,d) numbers as images; nothing is copied, the numbers must outlive the tensor.
torch::Tensor as_images(std::span<const float> x, const InputShape& shape, std::size_t begin,
                        std::size_t end) {
  // LibTorch has no read-only tensors; this one is only read.
  auto* const first = const_cast<float*>(x.data() + begin * shape.pixels());  // NOLINT
  return torch::from_blob(first, sizes_of(end - begin, shape), torch::kFloat32);
}

// Of a row: a bound on memory.
constexpr std::size_t cotangents_at_once = 16;

void copy_out(const torch::Tensor& values, float* out) {
  const torch::Tensor plain = values.detach().to(torch::kCPU, torch::kFloat32).contiguous();
  std::copy_n(plain.data_ptr<float>(), plain.numel(), out);
}

// A shard is not split again: attacks ask for one at a time, from several threads.
std::size_t shard_of_call(std::size_t n) { return n <= shard_rows ? n : shard_of(n); }

// By automatic differentiation, of one cotangent for each row.
Network::Linearized differentiated(const ForwardFunction& forward, const torch::Tensor& images) {
  const torch::Tensor x = images.clone().requires_grad_(), logits = forward(x).logits;
  return {logits, [x, logits](const torch::Tensor& cotangents) {
            return gradient_of(logits, x, cotangents.view(logits.sizes()), /*keep_graph=*/true);
          }};
}

// `cotangents` (n,m,k) of the rows of `here`; `out` (n,m,d).
void backward(const Network::Linearized& here, std::span<const float> cotangents, float* out) {
  const std::int64_t n = here.logits.size(0), k = here.logits.size(1);
  const std::int64_t m = static_cast<std::int64_t>(cotangents.size()) / (n * k);
  auto* const first = const_cast<float*>(cotangents.data());  // NOLINT: read only
  const torch::Tensor weights = torch::from_blob(first, {n, m, k}, torch::kFloat32);
  copy_out(here.vjp(weights.to(here.logits.device())), out);
}

template <class>
struct TotalType;
template <class T>
struct TotalType<void (c10::MemoryReportingInfoBase::*)(void*, std::int64_t, T, T, c10::Device)> {
  using Type = T;  // differs between versions of LibTorch
};
using Total = TotalType<decltype(&c10::MemoryReportingInfoBase::reportMemoryUsage)>::Type;

// What LibTorch allocates on this thread for tensors.
class TensorBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t size, Total, Total, c10::Device) override {
    now_ += size;
    most_ = std::max(most_, now_);
  }
  [[nodiscard]] bool memoryProfilingEnabled() const override { return true; }
  [[nodiscard]] std::size_t most() const { return static_cast<std::size_t>(most_); }

 private:
  std::int64_t now_ = 0, most_ = 0;
};

thread_local double counted_flops = 0;

// FLOPs of each value that a convolution makes.
struct OfEachValue : at::ObserverContext {
  explicit OfEachValue(double count) : flops(count) {}
  double flops;
};

std::unique_ptr<at::ObserverContext> count_flops(const at::RecordFunction& operation) {
  const std::string_view name = operation.name();
  const auto tensor = [&](std::size_t i) { return operation.inputs()[i].toTensor(); };
  const auto add_product = [&](std::size_t a, std::size_t b) {
    counted_flops += 2 * static_cast<double>(tensor(a).numel() * tensor(b).size(-1));
  };
  if (name == "aten::mm" || name == "aten::bmm") add_product(0, 1);
  if (name == "aten::addmm" || name == "aten::baddbmm") add_product(1, 2);
  if (name != "aten::convolution") return nullptr;
  const torch::Tensor weight = tensor(1);
  const double of_each = 2 * static_cast<double>(weight.numel() / weight.size(0));
  if (!operation.inputs()[6].toBool()) return std::make_unique<OfEachValue>(of_each);
  counted_flops += of_each * static_cast<double>(tensor(0).numel());  // transposed
  return nullptr;
}

void count_values(const at::RecordFunction& operation, at::ObserverContext* of_each) {
  if (of_each != nullptr)
    counted_flops += static_cast<OfEachValue*>(of_each)->flops *
                     static_cast<double>(operation.outputs()[0].toTensor().numel());
}

// FLOPs are those of `forward`.
CallCost cost_of(const std::function<void()>& forward, const std::function<void()>& rest) {
  const auto bytes = std::make_shared<TensorBytes>();
  const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, bytes);
  counted_flops = 0;
  const auto handle = at::addThreadLocalCallback(
      at::RecordFunctionCallback(count_flops, count_values).needsInputs(true).needsOutputs(true));
  const std::shared_ptr<void> at_the_end(nullptr, [handle](void*) { at::removeCallback(handle); });
  forward();
  const double flops = counted_flops;
  rest();
  return {flops, bytes->most()};
}

// Of a shard of images of 0, which a call of that many rows is cut into; each is measured once.
std::function<std::optional<CallCost>(std::size_t, bool)> cost_function(const Classifier& classifier) {
  using Known = std::map<std::pair<std::size_t, bool>, CallCost>;
  return [logits = classifier.logits, linearize = classifier.linearize, d = classifier.d, k = classifier.k,
          known = std::make_shared<Known>()](std::size_t rows, bool gradients) -> std::optional<CallCost> {
    const std::size_t shard = shard_of_call(rows);
    const auto [at, is_new] = known->try_emplace({shard, gradients});
    if (is_new) {
      const std::vector<float> x(shard * d);
      Linearized here;
      at->second = cost_of([&] { gradients ? void(here = linearize(x)) : void(logits(x)); },
                           [&] {
                             if (gradients) (void)class_gradients(here, k);
                           });
    }
    if (!(at->second.flops > 0)) return std::nullopt;
    return CallCost{at->second.flops / static_cast<double>(shard) * static_cast<double>(rows),
                    at->second.bytes};
  };
}

}  // namespace

attack::Points points_of(const torch::Tensor& images) {
  const auto n = static_cast<std::size_t>(images.size(0));
  attack::Points points = attack::Points::zeros(n, static_cast<std::size_t>(images.numel()) / n);
  copy_out(images, points.values.data());
  return points;
}

torch::Tensor images_of(const attack::Points& points, const torch::Tensor& like) {
  return torch::tensor(points.values, torch::kFloat32).view(like.sizes()).to(like.device());
}

std::vector<std::int64_t> values_of(const torch::Tensor& classes) {
  const torch::Tensor plain = classes.to(torch::kCPU, torch::kInt64).contiguous();
  return {plain.data_ptr<std::int64_t>(), plain.data_ptr<std::int64_t>() + plain.numel()};
}

Classifier batch_classifier(const ForwardFunction& forward, const torch::Tensor& batch, std::size_t classes) {
  const std::vector<std::int64_t> shape(batch.sizes().begin() + 1, batch.sizes().end());
  const torch::Device device = batch.device();
  const auto d = static_cast<std::size_t>(batch.numel() / batch.size(0));
  const auto images = [shape, device, d](std::span<const float> x) {
    std::vector<std::int64_t> sizes = shape;
    sizes.insert(sizes.begin(), static_cast<std::int64_t>(x.size() / d));
    return torch::from_blob(const_cast<float*>(x.data()), sizes, torch::kFloat32)
        .to(device);  // NOLINT: read only
  };
  Classifier classifier{d, classes};
  classifier.logits = [&forward, images, classes, d](std::span<const float> x) {
    const torch::NoGradGuard no_grad;
    std::vector<float> logits(x.size() / d * classes);
    copy_out(forward(images(x)).logits, logits.data());
    return logits;
  };
  classifier.linearize = [&forward, images, classes, d](std::span<const float> x) {
    Linearized found{std::vector<float>(x.size() / d * classes)};
    const Network::Linearized here = differentiated(forward, images(x));
    copy_out(here.logits, found.logits.data());
    found.vjp = [here, size = x.size()](std::span<const float> cotangents) {
      std::vector<float> gradient(size);
      backward(here, cotangents, gradient.data());
      return gradient;
    };
    return found;
  };
  return classifier;
}

Classifier make_classifier(ForwardFunction forward, LinearizeFunction linearize, const InputShape& input,
                           std::size_t classes, torch::Device device) {
  Classifier classifier{input.pixels(), classes};
  classifier.rows_at_once = shard_rows, classifier.reentrant = true;
  classifier.logits = [forward, input, classes, device](std::span<const float> x) {
    const std::size_t n = x.size() / input.pixels();
    std::vector<float> logits(n * classes);
    for_shards(n, shard_of_call(n), "outputs", nullptr, [&](std::size_t begin, std::size_t end) {
      const torch::NoGradGuard no_grad;
      copy_out(forward(as_images(x, input, begin, end).to(device)).logits, logits.data() + begin * classes);
    });
    return logits;
  };
  classifier.linearize = [forward, linearize = std::move(linearize), input, classes,
                          device](std::span<const float> x) {
    const std::size_t n = x.size() / input.pixels(), shard = shard_of_call(n);
    Linearized found{std::vector<float>(n * classes)};
    if (linearize) found.cotangents_at_once = cotangents_at_once;
    std::vector<Network::Linearized> parts((n + shard - 1) / shard);
    for_shards(n, shard, "outputs", nullptr, [&](std::size_t begin, std::size_t end) {
      const torch::Tensor images = as_images(x, input, begin, end).to(device);
      Network::Linearized& part = parts[begin / shard];
      part = linearize ? linearize(images) : differentiated(forward, images);
      copy_out(part.logits, found.logits.data() + begin * classes);
    });
    found.vjp = [parts = std::move(parts), n, shard, classes,
                 d = input.pixels()](std::span<const float> cotangents) {
      const std::size_t m = cotangents.size() / (n * classes);
      std::vector<float> gradients(n * m * d);
      for_shards(n, shard, "gradients", nullptr, [&](std::size_t begin, std::size_t end) {
        backward(parts[begin / shard], cotangents.subspan(begin * m * classes, (end - begin) * m * classes),
                 gradients.data() + begin * m * d);
      });
      return gradients;
    };
    return found;
  };
  classifier.cost = cost_function(classifier);
  return classifier;
}

}  // namespace leeway::nn
