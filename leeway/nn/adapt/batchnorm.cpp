#include "leeway/nn/adapt/batchnorm.h"

#include <ATen/record_function.h>
#include <fmt/format.h>

#include <cmath>

#include "leeway/core/message.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn {
namespace {

struct NormLayer {
  std::string name;
  torch::Tensor mean, variance;  // the layer's own
  double eps;
};

std::vector<NormLayer> norm_layers(Network& network) {
  std::vector<NormLayer> layers;
  const auto add = [&](const std::string& name, auto* layer) {
    if (layer && layer->running_mean.defined())
      layers.push_back({name, layer->running_mean, layer->running_var, layer->options.eps()});
  };
  for (const auto& item : network.named_modules()) {
    add(item.key(), item.value()->as<torch::nn::BatchNorm2d>());
    add(item.key(), item.value()->as<torch::nn::BatchNorm1d>());
  }
  return layers;
}

// Of some rows: how many numbers a channel, their mean and the sum of squares about it, float64.
struct Moments {
  double count = 0;
  torch::Tensor mean, squares;

  void add(const Moments& other) {
    if (count == 0) {
      *this = other;
      return;
    }
    const torch::Tensor between = other.mean - mean;
    const double all = count + other.count;
    squares = squares + other.squares + between.square() * (count * other.count / all);
    mean = mean + between * (other.count / all);
    count = all;
  }
};

Moments moments_of(const torch::Tensor& input) {
  const torch::Tensor x = input.detach().to(torch::kFloat64).transpose(0, 1).flatten(1);
  const torch::Tensor mean = x.mean(1);
  return {static_cast<double>(x.size(1)), mean.cpu(), (x - mean.unsqueeze(1)).square().sum(1).cpu()};
}

// What batch normalization is given in the passes of this thread while it lives: LibTorch reports its calls of operators.
class Watch {
 public:
  // `seen(running mean, input)`
  using Seen = std::function<void(const torch::Tensor& mean, const torch::Tensor& input)>;
  explicit Watch(Seen seen) : seen_(std::move(seen)), before_(current_) {
    current_ = this;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(&Watch::called).needsInputs(true).scopes({at::RecordScope::FUNCTION}));
  }
  ~Watch() {
    at::removeCallback(handle_);
    current_ = before_;
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  static std::unique_ptr<at::ObserverContext> called(const at::RecordFunction& function) {
    if (std::string_view(function.name()) != "aten::batch_norm") return nullptr;
    const auto inputs = function.inputs();  // input, weight, bias, running mean, ...
    current_->seen_(inputs[3].toTensor(), inputs[0].toTensor());
    return nullptr;
  }

  static inline thread_local Watch* current_ = nullptr;
  Seen seen_;
  Watch* before_;
  at::CallbackHandle handle_ = 0;
};

// The layers in the order in which the network runs them; those that it does not run come last.
std::vector<NormLayer> in_order(std::vector<NormLayer> layers, const ForwardFunction& forward,
                                const torch::Tensor& x) {
  std::vector<const void*> order;
  {
    const Watch watch([&](const torch::Tensor& mean, const torch::Tensor&) {
      order.push_back(mean.unsafeGetTensorImpl());
    });
    (void)forward(x);
  }
  std::ranges::stable_sort(layers, {}, [&](const NormLayer& layer) {
    return std::ranges::find(order, layer.mean.unsafeGetTensorImpl()) - order.begin();
  });
  return layers;
}

void pool(const std::vector<NormLayer>& layers, const ForwardFunction& forward, const Images& images,
          torch::Device device, Progress* progress) {
  const std::size_t n = images.n(), rows = shard_of(n);
  std::size_t number = 0;
  for (const NormLayer& layer : layers) {
    ++number;
    std::vector<Moments> parts((n + rows - 1) / rows);
    for_shards(n, rows, fmt::format("layer {} of {}", number, layers.size()), progress,
               [&](std::size_t begin, std::size_t end) {
                 const torch::NoGradGuard no_grad;
                 Moments& part = parts[begin / rows];
                 const Watch watch([&](const torch::Tensor& mean, const torch::Tensor& input) {
                   if (mean.unsafeGetTensorImpl() == layer.mean.unsafeGetTensorImpl())
                     part.add(moments_of(input));
                 });
                 (void)forward(pixels(images, begin, end).to(device));
               });
    Moments all;
    for (const Moments& part : parts)
      if (part.count > 0) all.add(part);
    if (all.count == 0) continue;  // the network does not run it
    const torch::NoGradGuard no_grad;
    torch::Tensor(layer.mean).copy_(all.mean);
    torch::Tensor(layer.variance).copy_(all.squares / all.count);
  }
}

AdaptedLayer change_of(const NormLayer& layer, const torch::Tensor& mean, const torch::Tensor& variance) {
  const torch::Tensor old_variance = variance.to(torch::kFloat64) + layer.eps;
  const torch::Tensor new_variance = layer.variance.to(torch::kFloat64) + layer.eps;
  const torch::Tensor moved = (layer.mean.to(torch::kFloat64) - mean).abs() / old_variance.sqrt();
  return {layer.name, static_cast<std::size_t>(mean.numel()), moved.mean().item<double>(),
          std::exp((new_variance / old_variance).log().mean().item<double>())};
}

}  // namespace

std::vector<AdaptedLayer> adapt_batchnorm(const std::shared_ptr<Network>& network,
                                          const Normalization& normalization, const Images& images,
                                          const std::string& name, torch::Device device, Progress* progress) {
  std::vector<NormLayer> layers = norm_layers(*network);
  if (layers.empty()) refuse(name, "a network with batch normalization", "none");
  if (images.n() < 2)
    refuse(images.path.empty() ? "images" : display_name(images.path), "at least 2 images",
           std::to_string(images.n()));
  network->to(device);
  network->eval();
  const ForwardFunction forward = forward_of(network, normalization);
  const torch::NoGradGuard no_grad;
  layers = in_order(norm_layers(*network), forward, pixels(images, 0, 1).to(device));
  std::vector<torch::Tensor> means, variances;
  for (const NormLayer& layer : layers) {
    means.push_back(layer.mean.to(torch::kFloat64).clone());
    variances.push_back(layer.variance.clone());
  }
  pool(layers, forward, images, device, progress);
  network->eval();
  std::vector<AdaptedLayer> changes;
  for (std::size_t i = 0; i < layers.size(); ++i)
    changes.push_back(change_of(layers[i], means[i], variances[i]));
  return changes;
}

}  // namespace leeway::nn
