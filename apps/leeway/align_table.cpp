#include <fmt/format.h>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/message.h"
#include "leeway/core/text.h"

namespace leeway::app {

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
