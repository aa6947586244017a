// The gradient by the input of a convolution with few input channels: a transposed convolution with few
// output channels, faster than the matrix products of general libraries.
#pragma once

#include <array>
#include <cstddef>

namespace leeway::nn {

struct ConvolutionShape {
  std::size_t channels, height, width;                         // of the input
  std::size_t maps;                                            // of the output
  std::array<std::size_t, 2> output, kernel, stride, padding;  // rows and columns
};

// out (n,channels,height,width) = sum over maps and taps of weight (maps,channels,kernel,kernel) times
// gradient (n,maps,output). Single-threaded; each image is independent, so the bits do not depend on n.
void transposed_convolution(const ConvolutionShape& shape, std::size_t n, const float* gradient,
                            const float* weight, float* out);

}  // namespace leeway::nn
