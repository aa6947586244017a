// Correlation with a disc. Not part of the library's interface.
//
// The disc: cells of a grid with i^2 + j^2 <= r^2; or, in parts, each cell as the share of its 8 x 8 parts in
// the disc (whole cells beyond r = 128). Weights sum to 1 and are smoothed along both axes by exp(-i^2 / (2
// alias^2)) over
// i| <= `reach`, normalized. The plane, in [0,1], is mirrored without its border pixel.
//
// Disc sums are running sums of 32-bit integers, so no error accumulates: exact for levels; other values are
// rounded to 2^-t of a level, t as large as a white disc allows (14 at r = 10; in parts 8 at r = 12, 6 at r =
// 25). Cost per pixel: about 4 r additions, in parts three times as many. Error: a radius above 1600.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace leeway::shift {

class DiscFilter {
 public:
  struct Shape {
    double radius = 0;
    bool in_parts = false;
    double alias = 0;
    std::size_t reach = 0, width = 0;  // of the smoothing; of the planes
    bool operator==(const Shape&) const = default;
  };
  void set(const Shape& shape);  // nothing to do where it is the last one
  void apply(std::span<float> plane, std::size_t height) const;

 private:
  // Cells of one weight, as their distance from the middle in a surrounded plane: those that are added, and those taken away.
  struct Ring {
    std::uint32_t weight = 0;
    std::vector<std::ptrdiff_t> added = {}, taken = {};
  };
  void set_smoothing();
  void set_disc();
  static void add_rings(const std::vector<Ring>& rings, const std::uint32_t* row,
                        std::span<std::uint32_t> sums);

  Shape shape_;
  std::vector<float> smoothing_ = {1};  // along an axis
  std::size_t reach_ = 0, edge_ = 0;    // cells from the middle to the edge of the smoothing, and of the disc
  std::size_t stride_ = 0;              // of a surrounded plane
  std::vector<Ring> disc_, step_;       // the disc, and the disc less the one a row above
  float white_ = 1, mean_ = 1;          // what 1 is counted as, and 1 / (what a white disc sums to)
};

}  // namespace leeway::shift
