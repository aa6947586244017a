#include "leeway/agreement/ratios.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/core/error.h"

namespace leeway::agreement {
namespace {

std::vector<std::size_t> order_of(std::span<const double> norms, std::size_t n) {
  if (!norms.empty() && norms.size() != n)
    throw Error(fmt::format("ratio_sweep: norms: expected {} of them, found {}", n, norms.size()));
  for (std::size_t i = 0; i < norms.size(); ++i)
    if (!(norms[i] >= 0))
      throw Error(fmt::format("ratio_sweep: norms: expected at least 0, found {} at row {}", norms[i], i));
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!norms.empty())
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return norms[a] < norms[b]; });
  return order;
}

// The clean set with the rows of `order` that are to be shifted replaced.
template <class T>
Array mixture(std::span<const T> clean, std::span<const T> shifted, const std::vector<std::size_t>& shape,
              std::span<const std::size_t> order) {
  const std::size_t k = shape[1];
  std::vector<T> values(clean.begin(), clean.end());
  for (const std::size_t row : order) std::copy_n(shifted.data() + row * k, k, values.data() + row * k);
  return make_array(shape, std::move(values));
}

}  // namespace

std::vector<RatioPoint> ratio_sweep(const Array& clean, const Array& shifted, const Sweep& sweep) {
  const Options& options = sweep.options;
  for (const double ratio : sweep.ratios)
    if (!(ratio >= 0 && ratio <= 1))
      throw Error(fmt::format("ratio_sweep: ratios: expected 0 to 1, found {}", ratio));
  // The whole shift first: it checks both sets.
  const Agreement whole =
      sweep.whole ? *sweep.whole : posterior_agreement(clean, shifted, sweep.labels, options);
  const std::size_t n = whole.n;
  const std::vector<std::size_t> order = order_of(sweep.norms, n);
  const bool floats = clean.type == ElementType::f32 && shifted.type == ElementType::f32;
  const std::vector<double> clean_wide = floats ? std::vector<double>() : to_f64(clean, options.clean_name);
  const std::vector<double> shifted_wide =
      floats ? std::vector<double>() : to_f64(shifted, options.shifted_name);

  std::vector<RatioPoint> points;
  for (const double ratio : sweep.ratios) {
    if (options.progress != nullptr) {
      if (options.progress->stop_requested()) throw Interrupted("ratios stopped: nothing was written");
      options.progress->update("ratios", points.size(), sweep.ratios.size(),
                               fmt::format("ratio {:g}", ratio));
    }
    const auto count = static_cast<std::size_t>(std::lround(ratio * static_cast<double>(n)));
    if (count == n) {
      points.push_back({ratio, n, whole});
      continue;
    }
    const std::span<const std::size_t> rows(order.data(), count);
    const Array mixed = floats ? mixture<float>(clean.view<float>(), shifted.view<float>(), clean.shape, rows)
                               : mixture<double>(clean_wide, shifted_wide, clean.shape, rows);
    points.push_back({ratio, count, posterior_agreement(clean, mixed, sweep.labels, options)});
    // A set beside itself: every pair agrees, whatever rows were drawn. Tied top classes alone leave something to chance.
    Agreement& found = points.back().agreement;
    if (count == 0 && found.value == 0) found.pa_interval = {found.pa, found.pa};
  }
  return points;
}

}  // namespace leeway::agreement
