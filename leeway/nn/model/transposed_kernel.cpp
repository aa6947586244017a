#include "leeway/nn/model/transposed_kernel.h"

#include <algorithm>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/vector_lanes.h"

namespace leeway::nn {
namespace {

constexpr std::size_t lanes = 16;  // of the widest vector

// Output pixels phase + stride i share the taps for which stride divides phase + padding - tap.
struct Tap {
  std::ptrdiff_t row, column;  // of the gradient, less i
  std::size_t weight;
};

// (phase + padding - tap) / stride where that is a whole number.
bool meets(std::size_t phase, std::size_t padding, std::size_t tap, std::size_t stride,
           std::ptrdiff_t& result) {
  const auto distance = static_cast<std::ptrdiff_t>(phase + padding) - static_cast<std::ptrdiff_t>(tap);
  result = distance / static_cast<std::ptrdiff_t>(stride);
  return result * static_cast<std::ptrdiff_t>(stride) == distance;
}

std::vector<Tap> taps_of(const ConvolutionShape& shape, std::size_t row_phase, std::size_t column_phase) {
  std::vector<Tap> taps;
  Tap tap{};
  for (std::size_t i = 0; i < shape.kernel[0]; ++i)
    for (std::size_t j = 0;
         meets(row_phase, shape.padding[0], i, shape.stride[0], tap.row) && j < shape.kernel[1]; ++j)
      if (meets(column_phase, shape.padding[1], j, shape.stride[1], tap.column)) {
        tap.weight = i * shape.kernel[1] + j;
        taps.push_back(tap);
      }
  return taps;
}

// Pixels `phase`, phase + stride, ... below `size`.
std::size_t count_of(std::size_t size, std::size_t phase, std::size_t stride) {
  return size > phase ? (size - phase + stride - 1) / stride : 0;
}

// Gradients of one image with so many zeros around them that every tap of every pixel finds a number.
struct Padded {
  std::size_t before[2], height, pitch;
  std::vector<float> values;

  explicit Padded(const ConvolutionShape& shape) {
    const std::size_t out[2] = {shape.height, shape.width};
    std::size_t padded[2];
    for (std::size_t axis = 0; axis < 2; ++axis) {
      before[axis] = (shape.kernel[axis] + shape.stride[axis] - 1) / shape.stride[axis];
      const std::size_t last = (out[axis] + shape.padding[axis]) / shape.stride[axis] + 1;
      padded[axis] = before[axis] + std::max(shape.output[axis], last);
    }
    height = padded[0], pitch = padded[1];
    values.assign(shape.maps * height * pitch + lanes, 0.F);
  }
  void take(const ConvolutionShape& shape, const float* gradient) {
    for (std::size_t map = 0; map < shape.maps; ++map)
      for (std::size_t row = 0; row < shape.output[0]; ++row)
        std::copy_n(gradient + (map * shape.output[0] + row) * shape.output[1], shape.output[1],
                    values.data() + (map * height + before[0] + row) * pitch + before[1]);
  }
};

// The taps of a phase for one channel: weights by map, and where their gradients begin.
struct Phase {
  std::size_t row, column, rows, columns;
  std::vector<std::size_t> offsets;  // of taps within a map's gradients
  std::vector<float> weights;        // (channels, maps, taps)
};

std::vector<Phase> phases_of(const ConvolutionShape& shape, const Padded& padded, const float* weight) {
  const std::size_t size = shape.kernel[0] * shape.kernel[1];
  std::vector<Phase> phases;
  for (std::size_t row = 0; row < shape.stride[0]; ++row)
    for (std::size_t column = 0; column < shape.stride[1]; ++column) {
      Phase phase{row,
                  column,
                  count_of(shape.height, row, shape.stride[0]),
                  count_of(shape.width, column, shape.stride[1]),
                  {},
                  {}};
      const std::vector<Tap> taps = taps_of(shape, row, column);
      const auto pitch = static_cast<std::ptrdiff_t>(padded.pitch);
      for (const Tap& tap : taps)
        phase.offsets.push_back(
            static_cast<std::size_t>((static_cast<std::ptrdiff_t>(padded.before[0]) + tap.row) * pitch +
                                     static_cast<std::ptrdiff_t>(padded.before[1]) + tap.column));
      for (std::size_t channel = 0; channel < shape.channels; ++channel)
        for (std::size_t map = 0; map < shape.maps; ++map)
          for (const Tap& tap : taps)
            phase.weights.push_back(weight[(map * shape.channels + channel) * size + tap.weight]);
      phases.push_back(std::move(phase));
    }
  return phases;
}

// Some pixels of one phase: sums in four independent parts, every fourth map or (fewer maps) tap.
template <class V>
LEEWAY_INLINE void pixels(const float* gradient, std::size_t plane, std::size_t maps, const Phase& phase,
                          const float* weights, float* out) {
  const std::size_t taps = phase.offsets.size();
  V sum[4]{};
  std::size_t tap = 0;
  for (; maps < 4 && tap + 4 <= taps; tap += 4)
    for (std::size_t map = 0; map < maps; ++map)
      for (std::size_t part = 0; part < 4; ++part)
        sum[part] += weights[map * taps + tap + part] *
                     reinterpret_cast<const Loose<V>*>(gradient + map * plane + phase.offsets[tap + part])->v;
  for (; tap < taps; ++tap) {
    const float* from = gradient + phase.offsets[tap];
    const float* w = weights + tap;
    std::size_t map = 0;
    for (; map + 4 <= maps; map += 4, from += 4 * plane, w += 4 * taps)
      for (std::size_t part = 0; part < 4; ++part)
        sum[part] += w[part * taps] * reinterpret_cast<const Loose<V>*>(from + part * plane)->v;
    for (; map < maps; ++map, from += plane, w += taps)
      sum[0] += *w * reinterpret_cast<const Loose<V>*>(from)->v;
  }
  reinterpret_cast<Loose<V>*>(out)->v = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

template <class V>
LEEWAY_INLINE void image(const ConvolutionShape& shape, const std::vector<Phase>& phases,
                         const Padded& padded, float* out) {
  float found[width_of<V>];
  for (const Phase& phase : phases)
    for (std::size_t channel = 0; channel < shape.channels; ++channel)
      for (std::size_t i = 0; i < phase.rows; ++i) {
        const std::size_t row = phase.row + i * shape.stride[0];
        float* const to = out + (channel * shape.height + row) * shape.width + phase.column;
        for (std::size_t first = 0; first < phase.columns; first += width_of<V>) {
          pixels<V>(padded.values.data() + i * padded.pitch + first, padded.height * padded.pitch, shape.maps,
                    phase, phase.weights.data() + channel * shape.maps * phase.offsets.size(), found);
          const std::size_t count = std::min(width_of<V>, phase.columns - first);
          for (std::size_t j = 0; j < count; ++j) to[(first + j) * shape.stride[1]] = found[j];
        }
      }
}

using Image = void (*)(const ConvolutionShape&, const std::vector<Phase>&, const Padded&, float*);

// NOLINTBEGIN(bugprone-macro-parentheses): TARGET is an attribute, or nothing
#define LEEWAY_TRANSPOSED_KERNEL(NAME, TARGET, V)                                           \
  TARGET void image_##NAME(const ConvolutionShape& shape, const std::vector<Phase>& phases, \
                           const Padded& padded, float* out) {                              \
    image<V>(shape, phases, padded, out);                                                   \
  }
// NOLINTEND(bugprone-macro-parentheses)

#ifdef __x86_64__
LEEWAY_TRANSPOSED_KERNEL(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))),
                         Avx512)
LEEWAY_TRANSPOSED_KERNEL(avx2, __attribute__((target("avx2,fma"))), Avx2)
#endif
LEEWAY_TRANSPOSED_KERNEL(baseline, , Sse)

Image kernel() {
#ifdef __x86_64__
  if (instruction_set == InstructionSet::avx512) return image_avx512;
  if (instruction_set == InstructionSet::avx2) return image_avx2;
#endif
  return image_baseline;
}

}  // namespace

void transposed_convolution(const ConvolutionShape& shape, std::size_t n, const float* gradient,
                            const float* weight, float* out) {
  Padded padded(shape);
  const std::vector<Phase> phases = phases_of(shape, padded, weight);
  const Image one = kernel();
  for (std::size_t i = 0; i < n; ++i) {
    padded.take(shape, gradient + i * shape.maps * shape.output[0] * shape.output[1]);
    one(shape, phases, padded, out + i * shape.channels * shape.height * shape.width);
  }
}

}  // namespace leeway::nn
