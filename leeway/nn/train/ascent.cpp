#include "leeway/nn/train/ascent.h"

namespace leeway::nn {

torch::Tensor ascended(const ForwardFunction& forward, const torch::Tensor& x, const torch::Tensor& y,
                       const Ascent& ascent) {
  using namespace torch::nn::functional;
  const torch::Tensor z = [&] {
    const torch::NoGradGuard no_grad;
    return forward(x).features;
  }();
  torch::Tensor image = x;
  for (std::size_t step = 0; step < ascent.steps; ++step) {
    const torch::AutoGradMode with_gradients(true);
    image = image.detach().clone().requires_grad_();
    const Forward found = forward(image);
    torch::Tensor gain = cross_entropy(found.logits, y, CrossEntropyFuncOptions().reduction(torch::kSum)) -
                         ascent.gamma * .5 * (found.features - z).square().sum();
    if (ascent.entropy > 0) {
      const torch::Tensor log_p = found.logits.log_softmax(1);
      gain = gain - ascent.entropy * (log_p.exp() * log_p).sum();
    }
    image = image.detach() + ascent.rate * torch::autograd::grad({gain}, {image})[0];
  }
  return image.detach().clamp(0, 1);
}

}  // namespace leeway::nn
