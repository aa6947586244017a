// The gradients of a layer that sees the input are the layer's own, once and twice differentiated.
#include <gtest/gtest.h>

#include <vector>

#include "leeway/nn/model/layers.h"

namespace leeway::nn::input_convolution_test {

struct LayerShape {
  std::int64_t channels, height, width, kernel, stride, padding;
  bool bias = true;
};

class InputConvolution : public ::testing::TestWithParam<LayerShape> {};

using LayerGradients = std::vector<torch::Tensor>;  // of the input, the weights, the biases

LayerGradients input_gradients_of(const torch::Tensor& value, const std::vector<torch::Tensor>& by,
                                  bool again) {
  return torch::autograd::grad({value}, by, {}, true, again);
}

void expect_close_gradients(const LayerGradients& a, const LayerGradients& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_TRUE(torch::allclose(a[i], b[i], 1e-4, 1e-4))
        << i << ": " << (a[i] - b[i]).abs().max().item<float>();
}

TEST_P(InputConvolution, HasTheLayersGradients) {
  const LayerShape c = GetParam();
  torch::manual_seed(0);
  torch::nn::Conv2d layer(
      torch::nn::Conv2dOptions(c.channels, 5, c.kernel).stride(c.stride).padding(c.padding).bias(c.bias));
  const torch::Tensor x = torch::randn({3, c.channels, c.height, c.width}).requires_grad_();
  std::vector<torch::Tensor> by = {x, layer->weight};
  if (c.bias) by.push_back(layer->bias);
  const torch::Tensor own = layer(x), ours = input_convolution(layer, x);
  EXPECT_TRUE(torch::equal(own, ours));
  const LayerGradients first = input_gradients_of(own.sin().sum(), by, true),
                       same = input_gradients_of(ours.sin().sum(), by, true);
  expect_close_gradients(first, same);
  expect_close_gradients(input_gradients_of(first[0].square().sum(), by, false),
                         input_gradients_of(same[0].square().sum(), by, false));
}

INSTANTIATE_TEST_SUITE_P(Shapes, InputConvolution,
                         ::testing::Values(LayerShape{1, 28, 28, 4, 2, 1}, LayerShape{1, 27, 30, 4, 2, 1},
                                           LayerShape{2, 9, 11, 3, 3, 0}, LayerShape{1, 8, 8, 1, 1, 0},
                                           LayerShape{3, 12, 12, 3, 1, 1}, LayerShape{4, 12, 12, 3, 1, 1},
                                           LayerShape{3, 17, 12, 7, 2, 3, false}));

TEST(InputConvolutions, LeavesOutWhatIsNotAskedFor) {
  torch::nn::Conv2d layer(torch::nn::Conv2dOptions(1, 4, 3));
  const torch::Tensor x = torch::randn({2, 1, 6, 6}).requires_grad_();
  input_convolution(layer, x).sum().backward();
  EXPECT_TRUE(x.grad().defined());
  EXPECT_TRUE(layer->weight.grad().defined());
  const torch::Tensor plain = torch::randn({2, 1, 6, 6});
  EXPECT_TRUE(torch::equal(input_convolution(layer, plain), layer(plain)));
}

}  // namespace leeway::nn::input_convolution_test
