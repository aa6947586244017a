#include "leeway/nn/train/reversal.h"

#include <cmath>

namespace leeway::nn {
namespace {

struct Reversal : torch::autograd::Function<Reversal> {
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& x, double c) {
    context->saved_data["c"] = c;
    return x.view_as(x);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    return {gradients[0] * -context->saved_data["c"].toDouble(), torch::Tensor()};
  }
};

}  // namespace

torch::Tensor reversed(const torch::Tensor& x, double c) { return Reversal::apply(x, c); }

double reversal_weight(double p) { return 2 / (1 + std::exp(-10 * p)) - 1; }

}  // namespace leeway::nn
