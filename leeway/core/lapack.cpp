#include "leeway/core/lapack.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace leeway {
namespace {

constexpr int threads = 2;

// Routines of LAPACK, in Fortran's calling convention: a null pointer where one is missing.
struct Routines {
  using Eigen = void(const char* job, const char* triangle, const int* n, double* a, const int* stride,
                     double* values, double* work, const int* work_size, int* integers,
                     const int* integers_size, int* info);
  using Singular = void(const char* job, const int* m, const int* n, double* a, const int* stride,
                        double* values, double* u, const int* u_stride, double* v, const int* v_stride,
                        double* work, const int* work_size, int* integers, int* info);
  void* library = ::dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  Eigen* dsyevd = find<Eigen>("dsyevd_");
  Singular* dgesdd = find<Singular>("dgesdd_");
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

// The number of threads is one for the process: LibTorch gets its own back.
class FixedThreads {
 public:
  FixedThreads() : lock_(mutex()), before_(routines().count_threads()) { routines().set_threads(threads); }
  ~FixedThreads() { routines().set_threads(before_); }
  FixedThreads(const FixedThreads&) = delete;
  FixedThreads& operator=(const FixedThreads&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  int before_;
};

void check(const char* routine, int info) {
  if (info != 0) throw std::runtime_error(fmt::format("{} of LAPACK did not converge ({})", routine, info));
}

// Calls a routine twice: for the size of its work space, then with it.
template <class Call>
void with_work_space(const Call& call) {
  double size = 0;
  call(&size, -1);
  std::vector<double> work(static_cast<std::size_t>(size));
  call(work.data(), static_cast<int>(size));
}

}  // namespace

bool has_lapack() {
  const Routines& r = routines();
  return r.dsyevd && r.dgesdd && r.set_threads && r.count_threads;
}

SymmetricEigen lapack_symmetric_eigen(Dense<double> a) {
  const FixedThreads fixed;
  const int n = static_cast<int>(a.rows), integers_size = 3 + 5 * n;
  std::vector<double> values(a.rows);
  std::vector<int> integers(static_cast<std::size_t>(integers_size));
  int info = 0;
  with_work_space([&](double* work, int size) {
    routines().dsyevd("V", "L", &n, a.values.data(), &n, values.data(), work, &size, integers.data(),
                      &integers_size, &info);
  });
  check("dsyevd", info);
  return {std::move(values), std::move(a)};
}

Svd lapack_singular_values(Dense<double> a, bool vectors) {
  const FixedThreads fixed;
  const std::size_t least = std::min(a.rows, a.columns);
  const int m = static_cast<int>(a.rows), n = static_cast<int>(a.columns), k = static_cast<int>(least);
  Svd svd{std::vector<double>(least), {}, {}};
  Dense<double> right;  // v'
  if (vectors) svd.u = Dense<double>(a.rows, least), right = Dense<double>(least, a.columns);
  std::vector<int> integers(8 * least);
  int info = 0;
  with_work_space([&](double* work, int size) {
    routines().dgesdd(vectors ? "S" : "N", &m, &n, a.values.data(), &m, svd.values.data(),
                      svd.u.values.data(), &m, right.values.data(), &k, work, &size, integers.data(), &info);
  });
  check("dgesdd", info);
  if (vectors) {
    svd.v = Dense<double>(a.columns, least);
    for (std::size_t i = 0; i < least; ++i)
      for (std::size_t j = 0; j < a.columns; ++j) svd.v(j, i) = right(i, j);
  }
  return svd;
}

}  // namespace leeway
