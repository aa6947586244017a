#include <fmt/format.h>

#include <algorithm>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"

namespace leeway::app {

// The first points, one a line.
std::string table_of(const record::MvnCdf& record) {
  constexpr std::size_t most = 20;
  const auto& found = record.results;
  TextTable table({right("point", 6), right("probability", 13), right("+- (99%)", 10), right("log", 13),
                   right("points", 9), left("method")});
  for (std::size_t i = 0; i < std::min(most, found.size()); ++i) {
    const average_case::MvnProbability& one = found[i];
    table.add(i, fmt::format("{:.6g}", one.probability), fmt::format("{:.2g}", one.error),
              fmt::format("{:.6g}", one.log_probability), one.points,
              std::string(name_of(one.method)) + (one.converged ? "" : " (not converged)"));
  }
  return words_of(record.envelope) + "\n" + table.text() +
         (found.size() > most ? fmt::format("... {} more: --json or --out\n", found.size() - most) : "");
}

}  // namespace leeway::app
