#include "leeway/error_bound/sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::error_bound {
namespace {

constexpr double limit = 1e140;

template <class T>
std::size_t first_bad(const Array& array) {
  const auto values = array.view<T>();
  return reduce_chunks<std::size_t>(
      values.size(), std::size_t{1} << 20,
      [&](std::size_t begin, std::size_t end) {
        for (; begin < end; ++begin)
          if (!(std::abs(static_cast<double>(values[begin])) < limit)) return begin;
        return values.size();
      },
      [](std::size_t a, std::size_t b) { return std::min(a, b); });
}

void check_matrix(const Sample& sample, const Array& array, std::string_view what,
                  std::size_t least_columns) {
  if (array.shape.size() != 2 || array.shape[0] < 1 || array.shape[1] < least_columns)
    refuse(sample.name,
           fmt::format("{} of shape (n,{}) with n >= 1, {} columns or more", what,
                       what == "logits" ? 'k' : 'd', least_columns),
           array.shape_text());
  if (!array.is_float()) refuse(sample.name, fmt::format("float32 or float64 {}", what), name_of(array.type));
  const std::size_t bad = array.type == ElementType::f32 ? first_bad<float>(array) : first_bad<double>(array);
  if (bad == array.size()) return;
  const double value = array.type == ElementType::f32 ? static_cast<double>(array.view<float>()[bad])
                                                      : array.view<double>()[bad];
  refuse(sample.name, fmt::format("finite {} below 1e140", what),
         fmt::format("{} at {}", value, position_text(array, bad)));
}

void check_labels(const Sample& sample) {
  if (sample.labels.size() != sample.n())
    refuse(sample.name, fmt::format("{} labels", sample.n()), fmt::format("{}", sample.labels.size()));
  for (std::size_t i = 0; i < sample.labels.size(); ++i)
    if (sample.labels[i] < 0 || static_cast<std::size_t>(sample.labels[i]) >= sample.k())
      refuse(sample.name, fmt::format("labels 0 to {}", sample.k() - 1),
             fmt::format("{} at row {}", sample.labels[i], i));
}

}  // namespace

void check(const Sample& source, const Sample& target) {
  for (const Sample* sample : {&source, &target}) {
    check_matrix(*sample, sample->logits, "logits", 2);
    if (sample->features) check_matrix(*sample, *sample->features, "features", 1);
    if (sample->features && sample->features->shape[0] != sample->n())
      refuse(sample->name, fmt::format("features of {} rows", sample->n()), sample->features->shape_text());
  }
  if (source.k() != target.k())
    refuse(target.name, fmt::format("{} classes as in {}", source.k(), source.name),
           fmt::format("{}", target.k()));
  if (source.features && target.features && source.features->shape[1] != target.features->shape[1])
    refuse(target.name, fmt::format("{} features as in {}", source.features->shape[1], source.name),
           fmt::format("{}", target.features->shape[1]));
  if (source.labels.empty()) refuse(source.name, "labels of the source", "none");
  check_labels(source);
  if (!target.labels.empty()) check_labels(target);
}

}  // namespace leeway::error_bound
