#include "leeway/nn/train/ascent.h"

namespace leeway::nn {
namespace {

// The objective of every image, (b).
torch::Tensor ascent_objective(const Forward& found, const torch::Tensor& z, const torch::Tensor& y,
                               const Ascent& ascent) {
  const torch::Tensor log_p = found.logits.log_softmax(1);
  torch::Tensor gain = -log_p.gather(1, y.unsqueeze(1)).squeeze(1) -
                       ascent.gamma * (found.features - z).flatten(1).square().mean(1);
  if (ascent.entropy > 0) gain = gain - ascent.entropy * (log_p.exp() * log_p).sum(1);
  return gain;
}

}  // namespace

Ascended ascended(const ForwardFunction& forward, const torch::Tensor& x, const torch::Tensor& y,
                  const Ascent& ascent) {
  const torch::NoGradGuard no_grad;
  const Forward given = forward(x);
  torch::Tensor image = x;
  for (std::size_t step = 0; step < ascent.steps; ++step) {
    const torch::AutoGradMode with_gradients(true);
    image = image.detach().clone().requires_grad_();
    const torch::Tensor gain = ascent_objective(forward(image), given.features, y, ascent).sum();
    image = image.detach() + ascent.rate * torch::autograd::grad({gain}, {image})[0];
  }
  image = image.detach().clamp(0, 1);
  return {image, ascent_objective(forward(image), given.features, y, ascent) >
                     ascent_objective(given, given.features, y, ascent)};
}

}  // namespace leeway::nn
