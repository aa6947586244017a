// The numbers of a leeway::Random by the thousand. No LibTorch here.
//
// Normals are those of Random(seed, purpose, sample).normal() (core/random.h), one after the other, made of the same words side by side and in
// float32: to 2e-7 of the length of each pair. The same bits for any instruction set, in two fifths of the time.
#pragma once

#include <cstdint>
#include <span>

namespace leeway::nn {

struct Draws {
  std::uint64_t seed = 0;
  std::uint32_t purpose = 0;
  std::uint64_t sample = 0;
};

void draw_normals(const Draws& draws, std::span<float> out);

// `kept` where the next word (Random::bits()) is at least `least`, else 0.
void draw_kept(const Draws& draws, std::uint32_t least, float kept, std::span<float> out);

}  // namespace leeway::nn
