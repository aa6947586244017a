// The gradient by its input of a convolution whose input has few channels, images say: a transposed convolution with few
// channels out, for which general libraries multiply matrices that they must fold back together.
#pragma once

#include <array>
#include <cstddef>

namespace leeway::nn {

struct ConvolutionShape {
  std::size_t channels, height, width;                         // of the input
  std::size_t maps;                                            // of the output
  std::array<std::size_t, 2> output, kernel, stride, padding;  // rows and columns
};

// out (n,channels,height,width) = the sum over maps and taps of weight (maps,channels,kernel,kernel) times gradient
// (n,maps,output), where the convolution took its products. One thread; every image by itself, so the bits do
// not depend on n.
void transposed_convolution(const ConvolutionShape& shape, std::size_t n, const float* gradient,
                            const float* weight, float* out);

}  // namespace leeway::nn
