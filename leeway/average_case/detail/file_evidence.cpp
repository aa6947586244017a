#include "leeway/average_case/detail/file_evidence.h"

#include <fmt/format.h>

#include <cmath>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::average_case {
namespace {

// Values [begin, end) of the flat array.
std::vector<double> values(const Array& array, std::size_t begin, std::size_t end) {
  const auto copy = [&](const auto& view) {
    return std::vector<double>(view.begin() + static_cast<std::ptrdiff_t>(begin),
                               view.begin() + static_cast<std::ptrdiff_t>(end));
  };
  return array.type == ElementType::f32 ? copy(array.view<float>()) : copy(array.view<double>());
}

std::vector<double> finite_values(const MadeElsewhere& files, const Array& array, std::string_view what,
                                  std::size_t row) {
  const std::size_t size = array.size() / array.shape[0];
  std::vector<double> found = values(array, row * size, (row + 1) * size);
  for (const double value : found)
    if (!std::isfinite(value))
      refuse(files.name, fmt::format("{} of finite numbers", what), fmt::format("{} at row {}", value, row));
  return found;
}

Boundaries from_gram(const MadeElsewhere& files, std::span<const double> logits, std::size_t row,
                     std::size_t target) {
  const std::vector<double> gram = finite_values(files, *files.gram, "Gram matrices", row);
  try {
    return boundaries_of_gram(logits, gram, target,
                              files.gram->type == ElementType::f32 ? rounding_f32 : rounding_f64);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: row {}: {}", files.name, row, error.what()));
  }
}

}  // namespace

void check(const MadeElsewhere& files, const Noise& noise) {
  const Array& logits = files.logits;
  if (!logits.is_float() || logits.shape.size() != 2 || logits.shape[0] < 1 || logits.shape[1] < 2)
    refuse(files.name, "logits (n,k) of floats, k at least 2",
           fmt::format("{} {}", name_of(logits.type), logits.shape_text()));
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  const auto fits = [&](const std::optional<Array>& array, std::size_t last, std::string_view what,
                        std::string_view expected) {
    if (!array) return;
    const bool right = array->is_float() && array->shape.size() == 3 && array->shape[0] == n &&
                       array->shape[1] == k && array->shape[2] == last && last > 0;
    if (!right)
      refuse(files.name, fmt::format("{} of shape {} of floats", what, expected),
             fmt::format("{} {}", name_of(array->type), array->shape_text()));
  };
  fits(files.jacobian, noise.d(), "a Jacobian",
       noise.d() > 0 ? fmt::format("({}, {}, {})", n, k, noise.d())
                     : fmt::format("({}, {}, d), d at least 1,", n, k));
  fits(files.gram, k, "Gram matrices", fmt::format("({}, {}, {})", n, k, k));
}

FileEvidence::FileEvidence(const MadeElsewhere& files, const Noise& noise, std::size_t begin, std::size_t end,
                           const AverageCaseOptions& options)
    : Evidence(options, begin, end - begin,
               values(files.logits, begin * files.logits.shape[1], end * files.logits.shape[1])),
      files_(files),
      noise_(noise) {}

const Evidence::Linearised& FileEvidence::at_input() {
  if (at_input_) return *at_input_;
  const double start = now();
  at_input_.emplace();
  at_input_->rows.resize(n());
  parallel_for(n(), [&](std::size_t i) {
    stop_if_asked(options().progress);
    const std::size_t row = first_row() + i;
    const auto target = static_cast<std::size_t>(targets()[i]);
    if (files_.jacobian)
      at_input_->rows[i] = boundaries_of(
          logits(i), finite_values(files_, *files_.jacobian, "a Jacobian", row), target, noise_);
    else
      at_input_->rows[i] = from_gram(files_, logits(i), row, target);
  });
  at_input_->spent.seconds = now() - start;
  return *at_input_;
}

}  // namespace leeway::average_case
