#include "leeway/error_bound/sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::error_bound {
namespace {

constexpr double too_large = 1e140;  // squares of what lies below, summed over all rows, stay finite

// `what` is "logits" or "features", `column` what one of their columns is called.
void check_values(const std::string& name, std::string_view what, std::string_view column, const Rows& rows) {
  if ((rows.type() != ElementType::f32 && rows.type() != ElementType::f64) || rows.shape().size() != 2)
    refuse(name, fmt::format("{} as a matrix of floats", what),
           fmt::format("{} {}", name_of(rows.type()), rows.shape_text()));
  const auto index = first_beyond(rows, too_large);
  if (!index) return;
  const std::size_t row = *index / rows.shape()[1], at = *index % rows.shape()[1];
  refuse(name, fmt::format("finite {} below 1e140", what),
         fmt::format("{:g} at {}, {} {}", rows.at(row, at), rows.position_text(row), column, at));
}

void check_rows(const Sample& sample) {
  check_values(sample.name, "logits", "class", sample.logits);
  if (sample.n() == 0) refuse(sample.name, "at least 1 row", "none");
  if (sample.k() < 2) refuse(sample.name, "at least 2 classes", std::to_string(sample.k()));
  if (!sample.features) return;
  check_values(sample.name, "features", "column", *sample.features);
  if (sample.features->shape[0] != sample.n())
    refuse(sample.name, fmt::format("features of {} rows, as many as logits", sample.n()),
           sample.features->shape[0]);
}

void check_labels(const Sample& sample) {
  if (sample.labels.size() != sample.n())
    refuse(sample.name, fmt::format("{} labels, one for each row", sample.n()), sample.labels.size());
  const auto k = static_cast<std::int64_t>(sample.k());
  const auto bad = std::ranges::find_if(sample.labels, [&](std::int64_t y) { return y < 0 || y >= k; });
  if (bad != sample.labels.end())
    refuse(sample.name, fmt::format("labels 0 to {}", k - 1),
           fmt::format("{} at row {}", *bad, bad - sample.labels.begin()));
}

}  // namespace

void check(const Sample& source, const Sample& target) {
  check_rows(source);
  check_rows(target);
  if (source.k() != target.k())
    refuse(target.name, fmt::format("{} classes, as in {}", source.k(), source.name),
           std::to_string(target.k()));
  if (source.labels.empty())
    refuse(source.name, "labels, which the source must have (--labels or --label-column names them)", "none");
  check_labels(source);
  if (!target.labels.empty()) check_labels(target);
  if (source.features && target.features && source.features->shape[1] != target.features->shape[1])
    refuse(target.name, fmt::format("{} features, as in {}", source.features->shape[1], source.name),
           std::to_string(target.features->shape[1]));
}

}  // namespace leeway::error_bound
