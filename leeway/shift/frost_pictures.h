// Pictures of frost for the corruption of that name: procedural ones, or a user's.
//
// Procedural: 8 pictures of 480 x 640 for a seed. Each is a sum of fractal noise (gradient noise, octaves that keep 2^-.15 of
// the amplitude at half the wavelength), ridged noise (1 - |n|)^4 for feathers and the same on stretched coordinates for needles,
// all at places that slow noise has moved; mapped to a luminance of its own mean (124 to 200) and deviation (42 to 22), and tinted
// by (.89, 1.02, 1.09). So the pool has the mean colour (145.9, 167.2, 178.9) of the published pictures to a few levels and, at a fifth
// of the size, a power spectrum like theirs (f^-1.8 to f^-2.8; here f^-2 to f^-2.3, at full size f^-3.2: no detail below 10 pixels).
// Results from them are not the published corruption.
// Gradient noise: Perlin, "An image synthesizer", SIGGRAPH 1985. Picture p draws from Random(seed, stream("frost pictures"), p).
//
// A user's: all files of a folder that are called .png, .jpg or .jpeg, in the order of their names; grey ones in three
// channels. Folders in it are not looked into.
//
// Errors (Error): a folder that is missing or has no such file; a picture that cannot be read (its name, and why). Cost: the procedural
// ones .4 s on two threads, once, kept for the latest seed; 7.4 MB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace leeway::shift {

struct FrostPicture {
  std::size_t height = 0, width = 0;
  std::vector<std::uint8_t> levels;  // (3,h,w): red, green, blue
};

using FrostPictures = std::vector<FrostPicture>;

[[nodiscard]] std::shared_ptr<const FrostPictures> procedural_frost_pictures(std::uint64_t seed);
[[nodiscard]] std::shared_ptr<const FrostPictures> read_frost_pictures(const std::filesystem::path& folder);

}  // namespace leeway::shift
