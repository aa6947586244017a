// Products and decompositions by OpenBLAS, opened at the first call.
//
// On a thread of its own and two of OpenBLAS's, whatever the machine: no bit depends on their number, and LibTorch,
// which shares OpenBLAS, keeps its own. One call at a time. Use this through linear_algebra.h, which chooses by size.
#pragma once

#include <optional>

#include "leeway/core/linear_algebra.h"

namespace leeway {

// Sets OPENBLAS_CORETYPE, unless it is set: an OpenBLAS older than the processor would take it for one of 2004, three times
// slower. For programs to call while they have one thread and before they open LibTorch.
void name_processor_for_openblas();

// Whether OpenBLAS is there and has what follows.
[[nodiscard]] bool has_lapack();

// A matrix as OpenBLAS reads it: column after column, or as rows of its transpose.
struct Operand {
  const double* values;
  std::size_t rows, columns;  // of the operand
  bool transposed;            // values hold row after row
};
// c (a.rows, b.columns) = a b, column after column.
void lapack_product(const Operand& a, const Operand& b, double* c);

// As symmetric_eigen(), singular_value_decomposition() and triangular_factor(); u and v are empty unless asked for.
[[nodiscard]] SymmetricEigen lapack_symmetric_eigen(Dense<double> a, std::size_t leading);
[[nodiscard]] Svd lapack_singular_values(Dense<double> a, bool vectors);
[[nodiscard]] Dense<double> lapack_triangular_factor(Dense<double> a);

}  // namespace leeway
