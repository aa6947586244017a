#include "leeway/report/report.h"

#include "leeway/core/message.h"
#include "leeway/report/json_view.h"
#include "leeway/report/sections.h"

namespace leeway::report {

std::string html_report(const record::Pa& record) { return pa_page(record); }
std::string html_report(const record::Bound& record) { return bound_page(record); }
std::string html_report(const record::BoundEvaluation& record) { return evaluate_page(record); }
std::string html_report(const record::Select& record) { return select_page(record); }

std::string html_report(const record::AverageCase& record, const Pictures& pictures, const Options& options) {
  return average_case_page(record, pictures, options);
}
std::string html_report(const record::CondsDescribe& record) { return describe_page(record); }

std::string html_report(const record::Assess& record, const Pictures& pictures, const Options& options) {
  return assess_page(record, pictures, options);
}

std::string html_report(const Json& record, const Pictures& pictures, const Options& options) {
  const std::string schema = JsonView(record, options.record_name)["schema"].text();
  if (schema.starts_with("leeway.assess/"))
    return html_report(record::read_assess(record, options.record_name), pictures, options);
  if (schema.starts_with("leeway.pa/")) return html_report(record::read_pa(record, options.record_name));
  if (schema.starts_with("leeway.select/"))
    return html_report(record::read_select(record, options.record_name));
  if (schema.starts_with("leeway.bound/"))
    return html_report(record::read_bound(record, options.record_name));
  if (schema.starts_with("leeway.bound-evaluate/"))
    return html_report(record::read_bound_evaluation(record, options.record_name));
  if (schema.starts_with("leeway.conds-describe/"))
    return html_report(record::read_conds_describe(record, options.record_name));
  if (schema.starts_with("leeway.average-case/"))
    return html_report(record::read_average_case(record, options.record_name), pictures, options);
  refuse(options.record_name,
         "a record of schema leeway.assess/2, leeway.pa/2, leeway.select/2, leeway.bound/2, "
         "leeway.bound-evaluate/2, leeway.conds-describe/2 or leeway.average-case/2",
         schema.empty() ? "none" : in_quotes(schema));
}

}  // namespace leeway::report
