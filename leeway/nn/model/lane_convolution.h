// Convolutions of few channels to few, with kernels as large as you like: images side by side. No LibTorch here.
//
// General libraries pad channels to a whole vector, of which 1 to 3 channels use little. Here every lane of a vector is another image, so
// that all lanes work at any number of channels and any size, and no product with a border's zeros is taken but within a tile of columns.
#pragma once

#include <cstddef>

namespace leeway::nn {

struct LaneConvolution {
  std::size_t channels, maps;  // of x and of the convolution's output, 1 to 3
  std::size_t height, width;   // of x; not below the kernel's
  std::size_t rows, columns;   // of the kernel

  [[nodiscard]] std::size_t out_height() const { return height - rows + 1; }
  [[nodiscard]] std::size_t out_width() const { return width - columns + 1; }
};

// out (n,maps,out_height,out_width) = bias + the sum over channels c and taps of weight (maps,channels,rows,columns) times
// x(c, row + tap, column + tap), x (n,channels,height,width). Step 1, no padding. No bias: 0.
// The transposed one: out (n,channels,height,width) = bias + the gradient by x where that by the output is x (n,maps,...): the same weight.
// Every image by itself: the bits depend on neither n nor threads. Cost: products of a convolution, 1 to 2 of a processor's vector
// units' whole rate.
void convolve(const LaneConvolution& shape, std::size_t n, const float* x, const float* weight,
              const float* bias, float* out);
void convolve_transposed(const LaneConvolution& shape, std::size_t n, const float* x, const float* weight,
                         const float* bias, float* out);

}  // namespace leeway::nn
