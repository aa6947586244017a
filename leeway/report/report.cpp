#include "leeway/report/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
#include <string_view>

#include "leeway/core/message.h"
#include "leeway/record/join.h"
#include "leeway/record/json.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

template <class Record>
View plain(const Json& json, const Pictures&, const Options& options) {
  return view(record::record_from<Record>(json, options.record_name));
}

template <class Record>
View pictured(const Json& json, const Pictures& pictures, const Options& options) {
  return view(record::record_from<Record>(json, options.record_name), pictures, options);
}

struct ReportKind {
  std::string_view schema;
  View (*view)(const Json&, const Pictures&, const Options&);
};
constexpr std::array kinds{ReportKind{record::assess_schema, pictured<record::Assess>},
                           ReportKind{record::average_case_schema, pictured<record::AverageCase>},
                           ReportKind{record::adapt_schema, plain<record::Adapt>},
                           ReportKind{record::align_schema, plain<record::Align>},
                           ReportKind{record::attack_schema, plain<record::Attack>},
                           ReportKind{record::bound_schema, plain<record::Bound>},
                           ReportKind{record::bound_evaluate_schema, plain<record::BoundEvaluation>},
                           ReportKind{record::conds_describe_schema, plain<record::CondsDescribe>},
                           ReportKind{record::conds_draw_schema, plain<record::CondsDraw>},
                           ReportKind{record::corruptions_schema, plain<record::Corruptions>},
                           ReportKind{record::data_diagvib_schema, plain<record::DataDiagvib>},
                           ReportKind{record::data_load_schema, plain<record::DataLoad>},
                           ReportKind{record::data_render_schema, plain<record::DataRender>},
                           ReportKind{record::distances_schema, plain<record::Distances>},
                           ReportKind{record::infer_schema, plain<record::Infer>},
                           ReportKind{record::inspect_schema, plain<record::Inspect>},
                           ReportKind{record::list_schema, plain<record::List>},
                           ReportKind{record::mvn_cdf_schema, plain<record::MvnCdf>},
                           ReportKind{record::pa_schema, plain<record::Pa>},
                           ReportKind{record::report_schema, plain<record::Report>},
                           ReportKind{record::select_schema, plain<record::Select>},
                           ReportKind{record::shift_schema, plain<record::Shift>},
                           ReportKind{record::shift_text_schema, plain<record::ShiftText>},
                           ReportKind{record::sweep_collect_schema, plain<record::SweepCollect>},
                           ReportKind{record::sweep_plan_schema, plain<record::SweepPlan>},
                           ReportKind{record::sweep_report_schema, plain<record::SweepReport>},
                           ReportKind{record::sweep_run_schema, plain<record::SweepRun>},
                           ReportKind{record::sweep_status_schema, plain<record::SweepStatus>},
                           ReportKind{record::train_schema, plain<record::Train>}};

// "leeway.pa/" of "leeway.pa/2".
std::string_view stem(std::string_view schema) { return schema.substr(0, schema.rfind('/') + 1); }

std::string schema_of(const Json& json, const std::string& name) {
  std::optional<std::string> schema;
  record::read([&](record::Fields& f) { f("schema", schema, ""); }, json, name);
  return schema.value_or("");
}

using Saved = std::vector<std::pair<std::string, Json>>;

template <class Record>
Record joined(const Saved& records) {
  std::vector<std::string> names;
  std::vector<Record> typed;
  for (const auto& [name, json] : records) {
    names.push_back(name);
    typed.push_back(record::record_from<Record>(json, name));
  }
  return record::join_records(names, std::move(typed));
}

}  // namespace

View view(const Json& record, const Pictures& pictures, const Options& options) {
  const std::string schema = schema_of(record, options.record_name);
  for (const ReportKind& kind : kinds)
    if (stem(schema) == stem(kind.schema)) return kind.view(record, pictures, options);
  std::vector<std::string> known;
  for (const ReportKind& kind : kinds) known.emplace_back(kind.schema);
  refuse(options.record_name, fmt::format("a record of schema {}", fmt::join(known, ", ")),
         schema.empty() ? "none" : in_quotes(schema));
}

View view(const Saved& records, const std::vector<PictureSource>& sources, const Options& given) {
  if (records.empty()) refuse("report", "at least one record", "none");
  const auto& [name, first] = records[0];
  Options options = given;
  options.record_name = records.size() == 1 ? name : "the joined record";
  const std::string schema = schema_of(first, name);
  const auto is = [&](std::string_view kind) { return stem(schema) == stem(kind); };
  if (is(record::pa_schema)) return view(joined<record::Pa>(records));
  if (is(record::assess_schema)) {
    const auto record = joined<record::Assess>(records);
    return view(record, flip_pictures(record, sources, options), options);
  }
  if (records.size() > 1)
    refuse(name,
           fmt::format("schema {} or {}, the schemas that can be joined", record::assess_schema,
                       record::pa_schema),
           in_quotes(schema));
  if (sources.empty() || !is(record::average_case_schema)) return view(first, {}, options);
  if (sources.size() > 1 || !sources[0].name.empty()) refuse(name, "one unnamed set of images", "another");
  const record::AverageCase record = record::record_from<record::AverageCase>(first, name);
  return view(record, sample_pictures(record, *sources[0].images, options), options);
}

}  // namespace leeway::report
