// Textures of DiagViB pictures: gray, tileable, with a flat histogram.
//
// Procedural, from noise with a fixed seed, 256 x 256: tiles (6 x 6 checkerboard of marbled squares with gray
// joints), wood (grain along rows), carpet (weave of 16 x 23 threads), bricks (8 staggered rows), lava
// (turbulence). The published pictures are not free; ours match their scale and nearly uniform histogram.
// Results mark ours with a star: tiles*. blank is gray level 1, so that objects have their lighter color: the
// published program's imageio reads its white one-bit picture as 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace leeway::data {

struct DiagvibTexture {
  std::string name;
  std::size_t height = 0, width = 0;
  std::vector<std::uint8_t> pixels;
  bool own = false;  // drawn here; false for blank, too

  // Name in results: a star after that of our own pictures.
  [[nodiscard]] std::string shown() const { return own ? name + "*" : name; }
};

// blank first, then the others in the order above. Made when first asked for, in some 50 ms.
[[nodiscard]] std::vector<DiagvibTexture> diagvib_textures();

// The same with the PNG and JPEG pictures of a folder, which replace ours of the same name. Color becomes
// gray (.299 red + .587 green + .114 blue). Errors (Error): no folder, no picture, two pictures of one name,
// one called blank, a side below 40 pixels, those of png.h.
[[nodiscard]] std::vector<DiagvibTexture> diagvib_textures(const std::filesystem::path& folder);

}  // namespace leeway::data
