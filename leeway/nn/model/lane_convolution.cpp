#include "leeway/nn/model/lane_convolution.h"

#include <algorithm>
#include <cstdint>
#include <memory>
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

// Vectors of anything, each where it may be read whole.
template <class V>
class Vectors {
 public:
  explicit Vectors(std::size_t count)
      : numbers_(std::make_unique_for_overwrite<float[]>((count + 1) * width_of<V>)) {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(numbers_.get()) % sizeof(V);
    first_ = reinterpret_cast<V*>(numbers_.get() + (sizeof(V) - past) / sizeof(float));
  }
  [[nodiscard]] V* data() { return first_; }

 private:
  std::unique_ptr<float[]> numbers_;
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

// `images` of `size` numbers to vectors of one number of every image; lanes without an image are 0. Beside every `width` of them `margin` zeros.
template <class V>
LEEWAY_INLINE void gather(const float* from, std::size_t size, std::size_t images, std::size_t width,
                          std::size_t margin, V* to) {
  std::size_t column = 0;
  for (std::size_t first = 0; first < size; first += width_of<V>) {
    const std::size_t count = std::min(width_of<V>, size - first);
    V block[width_of<V>];
    if (count == width_of<V> && images == width_of<V>) {
      for (std::size_t i = 0; i < width_of<V>; ++i)
        block[i] = reinterpret_cast<const Loose<V>*>(from + i * size + first)->v;
    } else {
      std::fill_n(block, width_of<V>, V{});
      for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < count; ++j) block[i][j] = from[i * size + first + j];
    }
    transpose<V>(block);
    for (std::size_t j = 0; j < count; ++j) {
      if (column == 0) to = std::fill_n(to, margin, V{});
      *to++ = block[j];
      if (++column == width) to = std::fill_n(to, margin, V{}), column = 0;
    }
  }
}

template <class V>
LEEWAY_INLINE void scatter(const V* from, std::size_t size, std::size_t images, float* to) {
  for (std::size_t first = 0; first < size; first += width_of<V>) {
    const std::size_t count = std::min(width_of<V>, size - first);
    V block[width_of<V>];
    if (count == width_of<V> && images == width_of<V>) {
      for (std::size_t j = 0; j < width_of<V>; ++j) block[j] = from[first + j];
      transpose<V>(block);
      for (std::size_t i = 0; i < width_of<V>; ++i)
        reinterpret_cast<Loose<V>*>(to + i * size + first)->v = block[i];
    } else {
      std::fill(std::copy_n(from + first, count, block), block + width_of<V>, V{});
      transpose<V>(block);
      for (std::size_t i = 0; i < images; ++i)
        for (std::size_t j = 0; j < count; ++j) to[i * size + first + j] = block[i][j];
    }
  }
}

// Columns of the kernel that see something of the input from one of `tile` columns of the output, x, x + 1, ...
struct Columns {
  std::size_t first, last;
  [[nodiscard]] std::size_t count() const { return last - first; }
};

LEEWAY_INLINE Columns columns_of(const Correlation& c, std::size_t x, std::size_t tile) {
  const std::size_t last = x + tile - 1;
  return {c.column_border > last ? c.column_border - last : 0,
          std::min(c.columns, c.width + c.column_border - x)};
}

// A row of the output of all maps.
template <class V, std::size_t Maps, std::size_t Tile>
LEEWAY_INLINE void row_of(const Correlation& c, const V* in, std::size_t y, V* out) {
  constexpr std::size_t margin = Tile - 1;
  const std::size_t pitch = c.width + 2 * margin, width = c.out_width(), plane = c.out_height() * width;
  const std::size_t first_row = c.row_border > y ? c.row_border - y : 0;
  const std::size_t last_row = std::min(c.rows, c.height + c.row_border - y);
  for (std::size_t x = 0; x < width; x += Tile) {
    V sum[Maps][Tile];
    for (std::size_t o = 0; o < Maps; ++o)
      for (std::size_t t = 0; t < Tile; ++t) sum[o][t] = V{} + c.bias[o];
    const auto [first_column, last_column] = columns_of(c, x, Tile);
    for (std::size_t channel = 0; channel < c.channels; ++channel)
      for (std::size_t i = first_row; i < last_row; ++i) {
        const V* from = in + (channel * c.height + y + i - c.row_border) * pitch + margin + x + first_column -
                        c.column_border;
        const float* w = c.weight.data() + ((channel * c.rows + i) * c.columns + first_column) * Maps;
        for (std::size_t j = first_column; j < last_column; ++j, ++from, w += Maps)
#pragma GCC unroll 14
          for (std::size_t t = 0; t < Tile; ++t)
#pragma GCC unroll 3
            for (std::size_t o = 0; o < Maps; ++o) sum[o][t] += w[o] * from[t];
      }
#pragma GCC unroll 3
    for (std::size_t o = 0; o < Maps; ++o)
#pragma GCC unroll 14
      for (std::size_t t = 0; t < Tile; ++t)
        if (t < width - x) out[o * plane + y * width + x + t] = sum[o][t];
  }
}

// Up to width_of<V> images. Beside every row of the input stand zeros, one less than the columns of the output that are made at once.
template <class V, std::size_t Maps, std::size_t Tile>
LEEWAY_INLINE void tiles_of(const Correlation& c, std::size_t images, const float* x, float* out) {
  const std::size_t size = c.channels * c.height * c.width,
                    out_size = c.maps * c.out_height() * c.out_width();
  Vectors<V> in(c.channels * c.height * (c.width + 2 * (Tile - 1))), made(out_size);
  gather<V>(x, size, images, c.width, Tile - 1, in.data());
  for (std::size_t y = 0; y < c.out_height(); ++y) row_of<V, Maps, Tile>(c, in.data(), y, made.data());
  scatter<V>(made.data(), out_size, images, out);
}

// What a row of one map reads where `tile` columns are made at once: for every column of the kernel that one of them needs, all they see and
// a weight.
std::size_t reads(const Correlation& c, std::size_t tile) {
  std::size_t columns = 0;
  for (std::size_t x = 0; x < c.out_width(); x += tile) columns += columns_of(c, x, tile).count();
  return columns * (tile + 1);
}

template <class V>
LEEWAY_INLINE void images_of(const Correlation& c, std::size_t images, const float* x, float* out) {
  if (c.maps == 2) return tiles_of<V, 2, 6>(c, images, x, out);
  if (c.maps == 3) return tiles_of<V, 3, 4>(c, images, x, out);
  constexpr bool is_wide = sizeof(V) > sizeof(Sse);  // with registers for more than 8 sums
  std::size_t tile = 8;                              // the latency of a product times those begun in its time
  if (is_wide)
    for (const std::size_t more : {10, 12, 14})
      if (reads(c, more) < reads(c, tile)) tile = more;
  if (tile == 10) return tiles_of<V, 1, 10>(c, images, x, out);
  if (tile == 12) return tiles_of<V, 1, 12>(c, images, x, out);
  if (tile == 14) return tiles_of<V, 1, 14>(c, images, x, out);
  tiles_of<V, 1, 8>(c, images, x, out);
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

// A kernel of one tap: pixels by themselves, as they lie.
void one_tap(const Correlation& c, const float* x, float* out) {
  const std::size_t plane = c.height * c.width;
  for (std::size_t o = 0; o < c.maps; ++o) {
    float* const made = out + o * plane;
    std::fill_n(made, plane, c.bias[o]);
    for (std::size_t channel = 0; channel < c.channels; ++channel) {
      const float weight = c.weight[channel * c.maps + o], *const from = x + channel * plane;
      for (std::size_t i = 0; i < plane; ++i) made[i] += weight * from[i];
    }
  }
}

void run(const Correlation& c, std::size_t n, const float* x, float* out) {
  const Kernel some = kernel();
  const std::size_t in_size = c.channels * c.height * c.width,
                    out_size = c.maps * c.out_height() * c.out_width();
  if (c.rows * c.columns == 1)
    return parallel_for(n, [&](std::size_t i) { one_tap(c, x + i * in_size, out + i * out_size); });
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
