// Pictures of frost for the corruption `frost`: procedural ones, or a user's.
//
// Procedural: 8 pictures of 480 x 640 per seed; picture p draws from Random(seed, stream("frost pictures"),
// p). Each sums fractal gradient noise (Perlin, "An image synthesizer", SIGGRAPH 1985; octaves keep 2^-.15 of
// the amplitude at half the wavelength), ridged noise (1 - |n|)^4 for feathers, and the same on stretched
// coordinates for needles, all displaced by slow noise; mapped to its own luminance mean (124 to 200) and
// deviation (42 to 22), tinted by (.89, 1.02, 1.09). The pool has about the mean color (145.9, 167.2, 178.9)
// of the published pictures and, at a fifth of the size, a similar power spectrum (f^-1.8 to f^-2.8; here
// f^-2 to f^-2.3; at full size f^-3.2, no detail below 10 pixels). Results are not those of the published
// corruption.
//
// A user's: the .png, .jpg and .jpeg files of a folder (not of its subfolders) by name; gray ones get three
// channels.
//
// Errors (Error): a folder that is missing or has no such file; an unreadable picture. Cost: procedural .4 s
// on two threads, once, cached for the latest seed; 7.4 MB.
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
