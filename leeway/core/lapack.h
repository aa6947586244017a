// Products and decompositions by OpenBLAS, which the first call opens.
//
// OpenBLAS always uses two threads, so that no bit depends on the machine. Each call runs on a thread of its own, because
// LibTorch shares OpenBLAS and its number of threads; one call runs at a time. Errors (std::runtime_error): a
// decomposition that does not converge. Use this through linear_algebra.h, which chooses by size.
#pragma once

#include "leeway/core/linear_algebra.h"

namespace leeway {

// Sets OPENBLAS_CORETYPE if it is not set. Otherwise an OpenBLAS older than the processor runs its kernels for processors of
// 2004, which take three times as long. Call this before the program starts threads or opens LibTorch.
void name_processor_for_openblas();

// Whether OpenBLAS is installed and has the routines below.
[[nodiscard]] bool has_lapack();

// A matrix in memory: column after column, or row after row.
struct Operand {
  const double* values;
  std::size_t rows, columns;
  bool transposed;  // row after row
};
// c (a.rows, b.columns) = factor a b + old c, column after column.
void lapack_product(const Operand& a, const Operand& b, double* c, double factor = 1, double old = 0);

void lapack_add_gram(Dense<double>& lower, RowMajor<double> a);  // as add_gram()
[[nodiscard]] Dense<double> lapack_solve_upper(const Dense<double>& r, Dense<double> b);

// As symmetric_eigen(), singular_value_decomposition(), triangular_factor() and factor_of_gram(); u and v are empty unless asked for.
[[nodiscard]] SymmetricEigen lapack_symmetric_eigen(Dense<double> a, std::size_t leading);
[[nodiscard]] Svd lapack_singular_values(Dense<double> a, bool vectors);
[[nodiscard]] Dense<double> lapack_triangular_factor(Dense<double> a);
[[nodiscard]] std::optional<Dense<double>> lapack_factor_of_gram(Dense<double> lower, double most_condition);

}  // namespace leeway
