// An embedded lattice sequence: for every m up to 20 the points {k z / 2^m}, k < 2^m, are a good lattice that
// contains the lattice of m - 1 (Cools, Kuo and Nuyens 2006).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace leeway::average_case {

inline constexpr std::size_t lattice_dimensions = 1001;
inline constexpr int finest_lattice = 20;
inline constexpr std::size_t lattice_shifts = 16;

// z. Odd, so that each coordinate is evenly spread. Found component by component for 2^4 to 2^13 points at
// once, in the Korobov space of smoothness 2 (tests/reference/lattice_vector.py).
extern const std::array<std::uint32_t, lattice_dimensions> lattice_vector;

}  // namespace leeway::average_case
