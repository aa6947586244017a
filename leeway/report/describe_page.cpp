#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/report/describe_record.h"
#include "leeway/report/sections.h"

namespace leeway::report {

std::string describe_page(const Json& json, const Options& options) {
  const JsonView view(json, options.record_name);
  const auto results = view["results"].items();
  if (results.empty()) refuse(options.record_name, "at least one result", "none");
  const Description said = read_description(results.front());
  return page("leeway: shifts of labels and attributes", strongest_shift(said), shift_measures(said),
              {maps_section(said), cell_accuracy_section(said),
               source_section(read_envelope(json, options.record_name))});
}

}  // namespace leeway::report
