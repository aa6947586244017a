// Decompositions by the LAPACK of OpenBLAS, opened at the first call; a program without it is told so.
//
// Two threads whatever the machine, so that no bit depends on their number. Use this when a matrix has a hundred
// rows and columns or more: linear_algebra.h chooses.
#pragma once

#include "leeway/core/linear_algebra.h"

namespace leeway {

// Whether OpenBLAS is there and has what follows.
[[nodiscard]] bool has_lapack();

// As symmetric_eigen() and singular_value_decomposition(); u and v are empty unless asked for.
[[nodiscard]] SymmetricEigen lapack_symmetric_eigen(Dense<double> a);
[[nodiscard]] Svd lapack_singular_values(Dense<double> a, bool vectors);

}  // namespace leeway
