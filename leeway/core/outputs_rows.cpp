#include "leeway/core/outputs_rows.h"

#include <optional>
#include <utility>
#include <vector>

namespace leeway {
namespace {

template <class T>
void keep(std::vector<T>& values, std::span<const std::size_t> rows) {
  std::vector<T> kept;
  kept.reserve(rows.size());
  for (const std::size_t row : rows) kept.push_back(values[row]);
  values = std::move(kept);
}

template <class T>
void keep(std::optional<std::vector<T>>& values, std::span<const std::size_t> rows) {
  if (values) keep(*values, rows);
}

}  // namespace

OutputsShards take(const OutputsShards& set, std::span<const std::size_t> rows) {
  OutputsShards some{Rows(set.logits.take(rows)), set.rest, set.files};
  Outputs& rest = some.rest;
  rest.logits = some.logits.joined();
  keep(rest.labels, rows), keep(rest.norms, rows), keep(rest.ids, rows);
  if (rest.times) keep(rest.times->values, rows);
  if (rest.features) rest.features = Rows(*rest.features).take(rows);
  for (GroupColumn& group : rest.groups) keep(group.codes, rows);
  return some;
}

}  // namespace leeway
