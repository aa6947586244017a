#include "leeway/nn/model/lane_convolution.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/parallel.h"
#include "leeway/core/vector_lanes.h"

namespace leeway::nn {
namespace {

// out(o, y, x) = bias(o) + the sum over c, i, j of weight(c, i, j, o) in(c, y + i - border, x + j - border); outside of `in` there is nothing.
struct Correlation {
  std::size_t channels, height, width;  // of the input
  std::size_t maps, rows, columns, row_border = 0, column_border = 0;
  std::vector<float> weight = {};  // (channels, rows, columns, maps)
  std::vector<float> bias;         // (maps)

  [[nodiscard]] std::size_t out_height() const { return height + 2 * row_border - rows + 1; }
  [[nodiscard]] std::size_t out_width() const { return width + 2 * column_border - columns + 1; }
};

// Columns of the output that are made at once at most. Beside every row of the input stand zeros, one less than those.
constexpr std::size_t longest_tile = 8;

// Zeros, each vector where it may be read whole.
template <class V>
class Vectors {
 public:
  explicit Vectors(std::size_t count) : numbers_((count + 1) * width_of<V>) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(numbers_.data()) % sizeof(V);
    first_ = reinterpret_cast<V*>(numbers_.data() + (sizeof(V) - past) / sizeof(float));
  }
  [[nodiscard]] V* data() { return first_; }

 private:
  std::vector<float> numbers_;
  V* first_;
};

// The first halves of a and b one by one in turn, or from `first` on.
template <std::size_t First, class V, std::size_t... I>
LEEWAY_INLINE V alternate(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (First + I / 2 + (I % 2) * sizeof...(I))...);
}

// Rows to columns. Each pass rotates the bits of an element's place by one: after log2(width) passes row and column have changed places.
template <class V>
LEEWAY_INLINE void transpose(V (&rows)[width_of<V>]) {
  constexpr std::size_t n = width_of<V>;
#pragma GCC unroll 4
  for (std::size_t pass = 1; pass < n; pass *= 2) {
    V next[n];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      next[2 * i] = alternate<0>(rows[i], rows[i + n / 2], std::make_index_sequence<n>());
      next[2 * i + 1] = alternate<n / 2>(rows[i], rows[i + n / 2], std::make_index_sequence<n>());
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) rows[i] = next[i];
  }
}

// `count` numbers of each of `images` rows, `size` apart, to vectors of one number of every image; lanes without an image are 0.
template <class V>
LEEWAY_INLINE void gather(const float* from, std::size_t size, std::size_t images, std::size_t count, V* to) {
  for (std::size_t first = 0; first < count; first += width_of<V>) {
    V block[width_of<V>]{};
    if (count - first >= width_of<V> && images == width_of<V>) {
      for (std::size_t i = 0; i < width_of<V>; ++i)
        block[i] = reinterpret_cast<const Loose<V>*>(from + i * size + first)->v;
    } else {
      for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < std::min(width_of<V>, count - first); ++j)
          block[i][j] = from[i * size + first + j];
    }
    transpose<V>(block);
    for (std::size_t j = 0; j < std::min(width_of<V>, count - first); ++j) to[first + j] = block[j];
  }
}

template <class V>
LEEWAY_INLINE void scatter(const V* from, std::size_t size, std::size_t images, std::size_t count,
                           float* to) {
  for (std::size_t first = 0; first < count; first += width_of<V>) {
    V block[width_of<V>]{};
    for (std::size_t j = 0; j < std::min(width_of<V>, count - first); ++j) block[j] = from[first + j];
    transpose<V>(block);
    if (count - first >= width_of<V> && images == width_of<V>) {
      for (std::size_t i = 0; i < width_of<V>; ++i)
        reinterpret_cast<Loose<V>*>(to + i * size + first)->v = block[i];
    } else {
      for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < std::min(width_of<V>, count - first); ++j)
          to[i * size + first + j] = block[i][j];
    }
  }
}

// A row of the output of all maps.
template <class V, std::size_t Maps, std::size_t Tile>
LEEWAY_INLINE void row_of(const Correlation& c, const V* in, std::size_t pitch, std::size_t y, V* out) {
  constexpr std::size_t margin = longest_tile - 1;
  const std::size_t width = c.out_width(), plane = c.out_height() * width;
  const std::size_t first_row = c.row_border > y ? c.row_border - y : 0;
  const std::size_t last_row = std::min(c.rows, c.height + c.row_border - y);
  for (std::size_t x = 0; x < width; x += Tile) {
    V sum[Maps][Tile];
    for (std::size_t o = 0; o < Maps; ++o)
      for (std::size_t t = 0; t < Tile; ++t) sum[o][t] = V{} + c.bias[o];
    const std::size_t last = x + Tile - 1;
    const std::size_t first_column = c.column_border > last ? c.column_border - last : 0;
    const std::size_t last_column = std::min(c.columns, c.width + c.column_border - x);
    for (std::size_t channel = 0; channel < c.channels; ++channel)
      for (std::size_t i = first_row; i < last_row; ++i) {
        const V* from = in + (channel * c.height + y + i - c.row_border) * pitch + margin + x + first_column -
                        c.column_border;
        const float* w = c.weight.data() + ((channel * c.rows + i) * c.columns + first_column) * Maps;
        for (std::size_t j = first_column; j < last_column; ++j, ++from, w += Maps)
#pragma GCC unroll 8
          for (std::size_t t = 0; t < Tile; ++t)
#pragma GCC unroll 3
            for (std::size_t o = 0; o < Maps; ++o) sum[o][t] += w[o] * from[t];
      }
    for (std::size_t o = 0; o < Maps; ++o)
      for (std::size_t t = 0; t < std::min(Tile, width - x); ++t)
        out[o * plane + y * width + x + t] = sum[o][t];
  }
}

// Up to width_of<V> images.
template <class V>
LEEWAY_INLINE void images_of(const Correlation& c, std::size_t images, const float* x, float* out) {
  constexpr std::size_t margin = longest_tile - 1;
  const std::size_t pitch = c.width + 2 * margin, size = c.channels * c.height * c.width;
  const std::size_t out_size = c.maps * c.out_height() * c.out_width();
  Vectors<V> in(c.channels * c.height * pitch), made(out_size);
  for (std::size_t row = 0; row < c.channels * c.height; ++row)
    gather<V>(x + row * c.width, size, images, c.width, in.data() + row * pitch + margin);
  for (std::size_t y = 0; y < c.out_height(); ++y) {
    if (c.maps == 1)
      row_of<V, 1, 8>(c, in.data(), pitch, y, made.data());
    else if (c.maps == 2)
      row_of<V, 2, 6>(c, in.data(), pitch, y, made.data());
    else
      row_of<V, 3, 4>(c, in.data(), pitch, y, made.data());
  }
  scatter<V>(made.data(), out_size, images, out_size, out);
}

using Images = void (*)(const Correlation&, std::size_t, const float*, float*);

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_LANE_CONVOLUTION(NAME, TARGET, V)                                                    \
  TARGET void images_##NAME(const Correlation& c, std::size_t images, const float* x, float* out) { \
    images_of<V>(c, images, x, out);                                                                \
  }
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_LANE_CONVOLUTION(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))),
                        Avx512)
LEEWAY_LANE_CONVOLUTION(avx2, __attribute__((target("avx2,fma"))), Avx2)
#endif
LEEWAY_LANE_CONVOLUTION(baseline, , Sse)

struct Kernel {
  Images run;
  std::size_t images;  // at once
};

Kernel kernel() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return {images_avx512, width_of<Avx512>};
  if (instruction_set == InstructionSet::avx2) return {images_avx2, width_of<Avx2>};
#endif
  return {images_baseline, width_of<Sse>};
}

void run(const Correlation& c, std::size_t n, const float* x, float* out) {
  const Kernel some = kernel();
  const std::size_t in_size = c.channels * c.height * c.width,
                    out_size = c.maps * c.out_height() * c.out_width();
  parallel_for((n + some.images - 1) / some.images, [&](std::size_t block) {
    const std::size_t first = block * some.images;
    some.run(c, std::min(some.images, n - first), x + first * in_size, out + first * out_size);
  });
}

std::vector<float> biases(const float* bias, std::size_t maps) {
  return bias ? std::vector<float>(bias, bias + maps) : std::vector<float>(maps, 0.F);
}

}  // namespace

void convolve(const LaneConvolution& shape, std::size_t n, const float* x, const float* weight,
              const float* bias, float* out) {
  Correlation c{.channels = shape.channels,
                .height = shape.height,
                .width = shape.width,
                .maps = shape.maps,
                .rows = shape.rows,
                .columns = shape.columns,
                .bias = biases(bias, shape.maps)};
  for (std::size_t channel = 0; channel < c.channels; ++channel)
    for (std::size_t tap = 0; tap < c.rows * c.columns; ++tap)
      for (std::size_t map = 0; map < c.maps; ++map)
        c.weight.push_back(weight[(map * c.channels + channel) * c.rows * c.columns + tap]);
  run(c, n, x, out);
}

void convolve_transposed(const LaneConvolution& shape, std::size_t n, const float* x, const float* weight,
                         const float* bias, float* out) {
  Correlation c{.channels = shape.maps,
                .height = shape.out_height(),
                .width = shape.out_width(),
                .maps = shape.channels,
                .rows = shape.rows,
                .columns = shape.columns,
                .row_border = shape.rows - 1,
                .column_border = shape.columns - 1,
                .bias = biases(bias, shape.channels)};
  const std::size_t taps = c.rows * c.columns;
  for (std::size_t map = 0; map < shape.maps; ++map)
    for (std::size_t tap = 0; tap < taps; ++tap)
      for (std::size_t channel = 0; channel < shape.channels; ++channel)
        c.weight.push_back(weight[(map * shape.channels + channel) * taps + taps - 1 - tap]);
  run(c, n, x, out);
}

}  // namespace leeway::nn
