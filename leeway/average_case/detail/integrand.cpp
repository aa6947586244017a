#include "leeway/average_case/detail/integrand.h"

#include <algorithm>
#include <cmath>

#include "leeway/average_case/detail/kernel.h"
#include "leeway/average_case/detail/lattice.h"
#include "leeway/core/array.h"

namespace leeway::average_case {
namespace {

// Memory of a thread, kept from call to call.
std::byte* scratch(std::size_t bytes) {
  thread_local std::shared_ptr<std::byte> storage;
  thread_local std::size_t size = 0;
  if (size < bytes) storage = allocate_bytes(bytes), size = bytes;
  return storage.get();
}

}  // namespace

template <class T>
Kernel::Packed<T> Kernel::pack(const Integrand& integrand) {
  const auto convert = [](const std::vector<double>& from) {
    std::vector<T> to(from.size());
    std::ranges::transform(from, to.begin(), [](double value) { return static_cast<T>(value); });
    return to;
  };
  Packed<T> packed{convert(integrand.limits),       convert(integrand.coefficients),
                   convert(integrand.tilt),         convert(integrand.reference),
                   convert(integrand.log_factor),   static_cast<T>(integrand.centre),
                   static_cast<T>(integrand.spread)};
  if constexpr (std::is_same_v<T, float>)  // multiplied there, not added
    for (float& factor : packed.factor) factor = std::exp(-factor);
  return packed;
}

Kernel::Kernel(const Integrand& integrand, Precision precision, std::vector<std::uint32_t> shifts)
    : variables_(integrand.variables),
      has_factor_(integrand.factor),
      rows_(integrand.rows),
      shifts_(std::move(shifts)),
      precision_(precision) {
  const double rows = static_cast<double>(rows_.size()), width = static_cast<double>(variables_);
  if (precision == Precision::f32) {
    f32_ = pack<float>(integrand);
    cycles_ = 4 * rows * (50 + .35 * width);
  } else {
    f64_ = pack<double>(integrand);
    cycles_ = 4 * rows * (250 + .7 * width);
  }
}

void Kernel::add(const LatticeRange& range, double* sums) const {
  const auto run = [&]<class T>(const Packed<T>& packed) {
    const std::size_t values = (variables_ + rows_.size() + 3) * kernel_lanes;
    kernel::Task<T> task;
    task.variables = variables_;
    task.rows = rows_;
    task.limits = packed.limits.data(), task.coefficients = packed.coefficients.data();
    task.tilt = packed.tilt.data(), task.reference = packed.reference.data();
    task.factor = packed.factor.data();
    task.has_factor = has_factor_, task.centre = packed.centre, task.spread = packed.spread;
    task.shifts = shifts_.data();
    task.range = range;
    std::byte* const memory = scratch(values * sizeof(T) + variables_ * sizeof(std::uint32_t));
    task.y = reinterpret_cast<T*>(memory);
    task.sums = task.y + variables_ * kernel_lanes;
    task.steps = reinterpret_cast<std::uint32_t*>(memory + values * sizeof(T));
    for (std::size_t j = 0; j < variables_; ++j) task.steps[j] = lattice_vector[j] << (32 - range.level);
    kernel::add(task, sums);
  };
  if (precision_ == Precision::f32)
    run(f32_);
  else
    run(f64_);
}

}  // namespace leeway::average_case
