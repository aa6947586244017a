#include "leeway/tasks/mvn_cdf/mvn_cdf.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const MvnCdf& record) {
  using One = average_case::MvnProbability;
  const std::vector<ColumnOf<One>> columns = {
      {number_column("Point"),
       [&](const One& one) { return count_cell(static_cast<std::size_t>(&one - record.results.data())); }},
      {number_column("Probability"), [](const One& one) { return significant_cell(one.probability, 6); }},
      {number_column("± (99%)", "Bound on the error, with probability 99%"),
       [](const One& one) { return significant_cell(one.error, 2); }},
      {number_column("Log"), [](const One& one) { return significant_cell(one.log_probability, 6); }},
      {number_column("Points"), &One::points},
      {text_column("Method"), [](const One& one) {
         return text_cell(std::string(name_of(one.method)) + (one.converged ? "" : " (not converged)"));
       }}};
  return plain_view("multivariate normal probabilities", record.envelope,
                    table_of("Every point", columns, record.results).block());
}

}  // namespace leeway::tasks
