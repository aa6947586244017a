#include "leeway/shift/detail/level_planes.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace leeway::shift {
namespace {

// The plane with its border pixels once more on every side, (h + 2) x (w + 2), in memory of the thread.
const std::vector<int>& bordered(std::span<const std::uint8_t> plane, std::size_t height, std::size_t width) {
  thread_local std::vector<int> copy;
  copy.resize((height + 2) * (width + 2));
  for (std::size_t y = 0; y < height + 2; ++y) {
    const auto row = plane.subspan((std::clamp<std::size_t>(y, 1, height) - 1) * width, width);
    int* const out = copy.data() + y * (width + 2);
    out[0] = row.front();
    std::ranges::copy(row, out + 1);
    out[width + 1] = row.back();
  }
  return copy;
}

struct Slopes {
  std::vector<int> x, y, size;  // each (h + 2) x (w + 2); size is 0 on the border
};

const Slopes& slopes_of(std::span<const std::uint8_t> plane, std::size_t height, std::size_t width) {
  thread_local Slopes slopes;
  const std::size_t stride = width + 2, whole = (height + 2) * stride;
  const std::vector<int>& in = bordered(plane, height, width);
  slopes.x.resize(whole);
  slopes.y.resize(whole);
  slopes.size.assign(whole, 0);
  for (std::size_t y = 1; y <= height; ++y) {
    const int *const here = in.data() + y * stride, *const above = here - stride,
                     *const below = here + stride;
    for (std::size_t x = 1; x <= width; ++x) {
      const int dx =
          above[x + 1] - above[x - 1] + 2 * (here[x + 1] - here[x - 1]) + below[x + 1] - below[x - 1];
      const int dy = below[x - 1] + 2 * below[x] + below[x + 1] - above[x - 1] - 2 * above[x] - above[x + 1];
      const std::size_t i = y * stride + x;
      slopes.x[i] = dx;
      slopes.y[i] = dy;
      slopes.size[i] = std::abs(dx) + std::abs(dy);
    }
  }
  return slopes;
}

bool is_ridge(const Slopes& slopes, std::size_t i, std::size_t stride) {
  constexpr int unit = 1 << 15, tangent = 13573;  // of 22.5 degrees, in units
  const int size = slopes.size[i], dx = slopes.x[i], dy = slopes.y[i];
  const int width = std::abs(dx) * tangent, height = std::abs(dy) * unit;
  if (height < width) return size > slopes.size[i - 1] && size >= slopes.size[i + 1];
  if (height > width + std::abs(dx) * 2 * unit)
    return size > slopes.size[i - stride] && size >= slopes.size[i + stride];
  const std::size_t aside = stride + 1, across = stride - 1;
  return (dx ^ dy) < 0 ? size > slopes.size[i - across] && size > slopes.size[i + across]
                       : size > slopes.size[i - aside] && size > slopes.size[i + aside];
}

}  // namespace

void canny_edges(std::span<const std::uint8_t> plane, std::size_t height, std::size_t width, int low,
                 int high, std::vector<std::uint8_t>& out) {
  enum State : std::uint8_t { none, weak, edge };
  out.assign(height * width, 0);
  if (std::all_of(plane.begin(), plane.end(), [&](std::uint8_t level) { return level == plane.front(); }))
    return;
  const Slopes& slopes = slopes_of(plane, height, width);
  const std::size_t stride = width + 2;
  thread_local std::vector<State> states;
  thread_local std::vector<std::size_t> open;
  states.assign(slopes.size.size(), none);
  open.clear();
  for (std::size_t y = 1; y <= height; ++y)
    for (std::size_t i = y * stride + 1; i <= y * stride + width; ++i)
      if (slopes.size[i] > low && is_ridge(slopes, i, stride)) {
        states[i] = slopes.size[i] > high ? edge : weak;
        if (states[i] == edge) open.push_back(i);
      }
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    out[(i / stride - 1) * width + i % stride - 1] = 1;
    for (const std::size_t row : {i - stride, i, i + stride})
      for (const std::size_t j : {row - 1, row, row + 1})
        if (states[j] == weak) {
          states[j] = edge;
          open.push_back(j);
        }
  }
}

void chamfer_distance(std::span<const std::uint8_t> marked, std::size_t height, std::size_t width,
                      double farthest, std::vector<float>& out) {
  constexpr int straight = 65536, diagonal = 91750, knight = 143976;
  constexpr int never = std::numeric_limits<int>::max() / 4;
  constexpr std::size_t margin = 2;
  const std::size_t stride = width + 2 * margin;
  thread_local std::vector<int> distances;
  distances.assign((height + 2 * margin) * stride, never);
  out.resize(height * width);
  for (std::size_t y = 0; y < height; ++y) {
    int* const here = distances.data() + (y + margin) * stride + margin;
    for (std::size_t x = 0; x < width; ++x) {
      if (marked[y * width + x] != 0) {
        here[x] = 0;
        continue;
      }
      const int *const above = here + x - stride, *const second = above - stride;
      here[x] = std::min({*(here + x - 1) + straight, above[0] + straight, above[-1] + diagonal,
                          above[1] + diagonal, above[-2] + knight, above[2] + knight, second[-1] + knight,
                          second[1] + knight, never});
    }
  }
  for (std::size_t y = height; y-- > 0;) {
    int* const here = distances.data() + (y + margin) * stride + margin;
    for (std::size_t x = width; x-- > 0;) {
      const int *const below = here + x + stride, *const second = below + stride;
      here[x] = std::min({here[x], here[x + 1] + straight, below[0] + straight, below[-1] + diagonal,
                          below[1] + diagonal, below[-2] + knight, below[2] + knight, second[-1] + knight,
                          second[1] + knight});
      out[y * width + x] = static_cast<float>(std::min(static_cast<double>(here[x]) / straight, farthest));
    }
  }
}

void equalize_levels(std::span<std::uint8_t> plane) {
  std::array<std::uint32_t, 256> counts{};
  for (const std::uint8_t level : plane) ++counts[level];
  std::size_t least = 0;
  while (least < 255 && counts[least] == 0) ++least;
  if (counts[least] == plane.size()) return;
  const float scale = 255.f / static_cast<float>(plane.size() - counts[least]);
  std::array<std::uint8_t, 256> table{};
  std::uint32_t sum = 0;
  for (std::size_t level = least + 1; level < 256; ++level) {
    sum += counts[level];
    table[level] = static_cast<std::uint8_t>(std::nearbyint(static_cast<float>(sum) * scale));
  }
  for (std::uint8_t& level : plane) level = table[level];
}

}  // namespace leeway::shift
