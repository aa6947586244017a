#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/agreement/distance.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway::app {
namespace {

// A line a set, and below why a value is not there.
std::string table(const record::Distances& record) {
  std::vector<Column> columns{left("shifted")};
  for (const agreement::Distance& distance : agreement::distances())  // in the order of the family
    if (record.results.front().distances.contains(std::string(distance.name)))
      columns.push_back(right(std::string(distance.name), 9));
  TextTable table(columns);
  using Names = std::vector<std::string>;
  using Reason = std::pair<std::string, Names>;  // why, and which distances
  std::vector<Reason> reasons;
  for (const record::DistancesSet& set : record.results) {
    std::vector<std::string> cells{cut_at_front(display_name(set.shifted), 28)};
    for (std::size_t j = 1; j < columns.size(); ++j) {
      const std::string& name = columns[j].title;
      const std::optional<double> value = set.distances.at(name);
      cells.push_back(value ? fmt::format("{:.5g}", *value) : "-");
      if (value) continue;
      const std::string& reason = set.not_computed.at(name);
      const auto known = std::ranges::find(reasons, reason, &Reason::first);
      append_new(known == reasons.end() ? reasons.emplace_back(reason, Names{}).second : known->second, name);
    }
    table.add(std::move(cells));
  }
  std::string text = table.text();
  for (const auto& [reason, names] : reasons)
    text += fmt::format("-  {}: {}\n", fmt::join(names, ", "), reason);
  return text;
}

}  // namespace

std::string table_of(const record::Distances& record) {
  std::string text;
  for (const std::string& doubt : record.envelope.findings) text += doubt + "\n";
  return text + wrapped(record.envelope.headline) + "\n" + table(record);
}

std::string table_of(const record::Align& record) {
  TextTable table({left("shifted"), right("n", 7), right("error", 8), left("[95% interval]"),
                   right("angle", 7), right("corr.", 7), right("explained", 15),
                   right("within classes", 15)});
  const auto share = [](double value) { return fmt::format("{:.0f}%", 100 * value); };
  for (const record::AlignSet& set : record.results) {
    const bool labelled = set.class_variance_clean && set.class_variance_shifted;
    table.add(cut_at_front(display_name(set.shifted), 28), set.n,
              fmt::format("{:.4f}", set.cross_domain_error),
              fmt::format("[{:.4f}, {:.4f}]", set.cross_domain_error_interval.low,
                          set.cross_domain_error_interval.high),
              fmt::format("{:.1f}", set.angle), fmt::format("{:.3f}", set.correlation),
              share(set.explained_variance_clean) + ", " + share(set.explained_variance_shifted),
              labelled ? share(*set.class_variance_clean) + ", " + share(*set.class_variance_shifted) : "-");
  }
  std::string text;
  for (const std::string& doubt : record.envelope.findings) text += doubt + "\n";
  text += wrapped(record.envelope.headline) + "\n" + table.text();
  return text +
         "error: mean squared difference of a pair's projections, scaled to [-1,1]; angle in degrees; "
         "explained, within\n"
         "classes: shares of variance, clean and shifted.\n";
}

}  // namespace leeway::app
