#include "leeway/core/lapack.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "leeway/core/instruction_set.h"

namespace leeway {
namespace {

constexpr int openblas_threads = 2;

// Routines in Fortran's calling convention; a missing one is a null pointer.
struct Routines {
  using Product = void(const char* a_form, const char* b_form, const int* m, const int* n, const int* k,
                       const double* factor, const double* a, const int* a_stride, const double* b,
                       const int* b_stride, const double* old, double* c, const int* c_stride);
  using Eigen = void(const char* job, const char* range, const char* triangle, const int* n, double* a,
                     const int* stride, const double* low, const double* high, const int* first,
                     const int* last, const double* tolerance, int* found, double* values, double* vectors,
                     const int* vectors_stride, int* support, double* work, const int* work_size,
                     int* integers, const int* integers_size, int* info);
  using Singular = void(const char* job, const int* m, const int* n, double* a, const int* stride,
                        double* values, double* u, const int* u_stride, double* v, const int* v_stride,
                        double* work, const int* work_size, int* integers, int* info);
  using Triangle = void(const int* m, const int* n, double* a, const int* stride, double* factors,
                        double* work, const int* work_size, int* info);
  using Gram = void(const char* triangle, const char* form, const int* n, const int* k, const double* factor,
                    const double* a, const int* a_stride, const double* old, double* c, const int* c_stride);
  using Solve = void(const char* side, const char* triangle, const char* form, const char* diagonal,
                     const int* m, const int* n, const double* factor, const double* a, const int* a_stride,
                     double* b, const int* b_stride);
  using Cholesky = void(const char* triangle, const int* n, double* a, const int* stride, int* info);
  using Condition = void(const char* triangle, const int* n, const double* a, const int* stride,
                         const double* norm, double* reciprocal, double* work, int* integers, int* info);
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  Product* dgemm = find<Product>("dgemm_");
  Eigen* dsyevr = find<Eigen>("dsyevr_");
  Singular* dgesdd = find<Singular>("dgesdd_");
  Triangle* dgeqrf = find<Triangle>("dgeqrf_");
  Gram* dsyrk = find<Gram>("dsyrk_");
  Solve* dtrsm = find<Solve>("dtrsm_");
  Cholesky* dpotrf = find<Cholesky>("dpotrf_");
  Condition* dpocon = find<Condition>("dpocon_");
  void (*set_threads)(int) = find<void(int)>("openblas_set_num_threads");
  int (*count_threads)() = find<int()>("openblas_get_num_threads");

  template <class Function>
  Function* find(const char* name) const {
    return library == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(library, name));
  }
};

const Routines& routines() {
  static const Routines found;
  return found;
}

int number(std::size_t n) { return static_cast<int>(n); }

// In OpenMP builds of OpenBLAS the number of threads belongs to the calling thread, in others to the process. The process keeps
// its number either way.
template <class Work>
void with_fixed_threads(const Work& work) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::thread([&] {
    const int before = routines().count_threads();
    routines().set_threads(openblas_threads);
    work();
    routines().set_threads(before);
  }).join();
}

// Calls a routine twice: for the size of its work space, and with that.
template <class Call>
void decompose(const char* name, const Call& call) {
  int info = 0;
  with_fixed_threads([&] {
    double size = 0;
    call(&size, -1, &info);
    std::vector<double> work(static_cast<std::size_t>(size));
    call(work.data(), static_cast<int>(size), &info);
  });
  if (info != 0) throw std::runtime_error(fmt::format("{} of LAPACK did not converge ({})", name, info));
}

}  // namespace

void name_processor_for_openblas() {
  if (instruction_set != InstructionSet::baseline)
    ::setenv("OPENBLAS_CORETYPE", instruction_set == InstructionSet::avx512 ? "SkylakeX" : "Haswell", 0);
}

bool has_lapack() {
  const Routines& r = routines();
  return r.dgemm && r.dsyevr && r.dgesdd && r.dgeqrf && r.dsyrk && r.dtrsm && r.dpotrf && r.dpocon &&
         r.set_threads && r.count_threads;
}

void lapack_product(const Operand& a, const Operand& b, double* c, double factor, double old) {
  const auto stride = [](const Operand& x) { return number(x.transposed ? x.columns : x.rows); };
  const auto form = [](const Operand& x) { return x.transposed ? "T" : "N"; };
  const int m = number(a.rows), n = number(b.columns), k = number(a.columns), a_stride = stride(a),
            b_stride = stride(b);
  with_fixed_threads([&] {
    routines().dgemm(form(a), form(b), &m, &n, &k, &factor, a.values, &a_stride, b.values, &b_stride, &old, c,
                     &m);
  });
}

void lapack_add_gram(Dense<double>& lower, RowMajor<double> a) {
  const int n = number(a.columns), k = number(a.rows);
  const double one = 1;
  with_fixed_threads(
      [&] { routines().dsyrk("L", "N", &n, &k, &one, a.values, &n, &one, lower.values.data(), &n); });
}

Dense<double> lapack_solve_upper(const Dense<double>& r, Dense<double> b) {
  const int m = number(b.rows), n = number(b.columns);
  const double one = 1;
  with_fixed_threads(
      [&] { routines().dtrsm("L", "U", "N", "N", &m, &n, &one, r.values.data(), &m, b.values.data(), &m); });
  return b;
}

SymmetricEigen lapack_symmetric_eigen(Dense<double> a, std::size_t leading) {
  const int n = number(a.rows), first = n - number(leading) + 1, integers_size = 10 * n;
  const double unused = 0, tolerance = 0;
  SymmetricEigen eigen{std::vector<double>(a.rows), Dense<double>(a.rows, leading)};
  std::vector<int> support(2 * leading), integers(10 * a.rows);
  int found = 0;
  decompose("dsyevr", [&](double* work, int size, int* info) {
    routines().dsyevr("V", "I", "L", &n, a.values.data(), &n, &unused, &unused, &first, &n, &tolerance,
                      &found, eigen.values.data(), eigen.vectors.values.data(), &n, support.data(), work,
                      &size, integers.data(), &integers_size, info);
  });
  eigen.values.resize(leading);
  return eigen;
}

Svd lapack_singular_values(Dense<double> a, bool vectors) {
  const std::size_t least = std::min(a.rows, a.columns);
  const int m = number(a.rows), n = number(a.columns), k = number(least);
  Svd svd{std::vector<double>(least), {}, {}};
  Dense<double> right;  // v'
  if (vectors) svd.u = Dense<double>(a.rows, least), right = Dense<double>(least, a.columns);
  std::vector<int> integers(8 * least);
  decompose("dgesdd", [&](double* work, int size, int* info) {
    routines().dgesdd(vectors ? "S" : "N", &m, &n, a.values.data(), &m, svd.values.data(),
                      svd.u.values.data(), &m, right.values.data(), &k, work, &size, integers.data(), info);
  });
  if (vectors) {
    svd.v = Dense<double>(a.columns, least);
    for (std::size_t i = 0; i < least; ++i)
      for (std::size_t j = 0; j < a.columns; ++j) svd.v(j, i) = right(i, j);
  }
  return svd;
}

Dense<double> lapack_triangular_factor(Dense<double> a) {
  const int m = number(a.rows), n = number(a.columns);
  std::vector<double> factors(a.columns);
  decompose("dgeqrf", [&](double* work, int size, int* info) {
    routines().dgeqrf(&m, &n, a.values.data(), &m, factors.data(), work, &size, info);
  });
  Dense<double> r(a.columns, a.columns);
  for (std::size_t j = 0; j < a.columns; ++j) std::copy_n(a.column(j).begin(), j + 1, r.column(j).begin());
  return r;
}

std::optional<Dense<double>> lapack_factor_of_gram(Dense<double> lower, double most_condition) {
  const int n = number(lower.rows);
  std::vector<double> sums(lower.rows), work(3 * lower.rows);  // sums of the columns without signs
  for (std::size_t c = 0; c < lower.columns; ++c)
    for (std::size_t i = c; i < lower.rows; ++i) {
      sums[c] += std::abs(lower(i, c));
      if (i > c) sums[i] += std::abs(lower(i, c));
    }
  const double norm = std::ranges::max(sums);
  std::vector<int> integers(lower.rows);
  int failed = 0, info = 0;
  double reciprocal = 0;
  with_fixed_threads([&] {
    routines().dpotrf("L", &n, lower.values.data(), &n, &failed);
    if (failed == 0)
      routines().dpocon("L", &n, lower.values.data(), &n, &norm, &reciprocal, work.data(), integers.data(),
                        &info);
  });
  if (failed != 0 || info != 0 || !(reciprocal * most_condition >= 1)) return std::nullopt;
  Dense<double> r(lower.rows, lower.columns);
  for (std::size_t c = 0; c < lower.columns; ++c)
    for (std::size_t i = c; i < lower.rows; ++i) r(c, i) = lower(i, c);
  return r;
}

}  // namespace leeway
