#include "leeway/tasks/adapt/adapt.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const Adapt& record) {
  using One = nn::AdaptedLayer;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Layer"), &One::name},
      {number_column("Channels"), &One::channels},
      {number_column("Mean shift", "Mean distance between the means, in standard deviations of the source"),
       [](const One& one) { return significant_cell(one.mean_shift, 3); }},
      {number_column("Variance ratio", "Mean ratio of new to old variances"),
       [](const One& one) { return significant_cell(one.variance_ratio, 3); }}};
  return plain_view("adapted batch normalization", record.envelope,
                    table_of("Batch normalization layers", columns, record.results.front().layers).block());
}

}  // namespace leeway::tasks
