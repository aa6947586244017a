// Operations on planes of h x w 8-bit levels, row after row. Not part of the library's interface.
//
// Each is a pure function of its arguments; `out` may be resized and must not be `plane`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::shift {

// Edges by Canny (PAMI 1986), 1 or 0. Gradients: 3x3 Sobel with replicated border, magnitude |dx| + |dy| (0
// outside). A pixel is kept if it is above `low` and, along the gradient rounded to 45 degrees, larger than
// the neighbor before and not smaller than the one behind (diagonals: larger than both); kept pixels are
// edges if above `high` or 8-connected to an edge.
void canny_edges(std::span<const std::uint8_t> plane, std::size_t height, std::size_t width, int low,
                 int high, std::vector<std::uint8_t>& out);

// Distance to the nearest pixel of `marked` that is not 0, by the 5x5 chamfer mask of Borgefors (CVGIP 1986) for the Euclidean distance:
// steps (1,0), (1,1), (2,1) of 1, 1.4 and 2.1969, in multiples of 1/65536; `farthest` where that is less, or no pixel is marked.
void chamfer_distance(std::span<const std::uint8_t> marked, std::size_t height, std::size_t width,
                      double farthest, std::vector<float>& out);

// Histogram equalisation: level v becomes round(255 (pixels of v or less - pixels of the least level) / (pixels - pixels of the
// least level)); a plane of one level stays.
void equalize_levels(std::span<std::uint8_t> plane);

}  // namespace leeway::shift
