// Textures of DiagViB pictures: grey, tileable, with a flat histogram.
//
// Our own, made from noise with a fixed seed, 256 x 256: tiles (a 6 x 6 checkerboard of marbled squares with grey joints), wood
// (grain along rows), carpet (a weave of 16 x 23 threads), bricks (8 staggered rows), lava (turbulence). The published pictures of
// these names are not free; ours have their scale and, by ranks, the uniform histogram they nearly have. Results mark ours
// with a star: tiles*.
//
// blank is grey level 1 everywhere, so that objects have their lighter colour. The published picture is white, one bit a pixel, which
// the published program's version of imageio reads as 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
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

// The same with the pictures of a folder, PNG or JPEG, in place of ours of their names, and besides them. Colour becomes grey
// (.299 red + .587 green + .114 blue). Errors (Error): no folder, no picture in it, two pictures of one name, one that is
// called blank, a side below 40 pixels, those of png.h.
[[nodiscard]] std::vector<DiagvibTexture> diagvib_textures(const std::filesystem::path& folder);

}  // namespace leeway::data
