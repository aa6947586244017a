#include "leeway/report/report.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "leeway/core/message.h"
#include "leeway/record/join.h"
#include "leeway/record/json.h"
#include "leeway/record/records.h"
#include "leeway/report/detail/sections.h"

namespace leeway::report {
namespace {

template <class Record>
std::string plain(const Json& json, const Pictures&, const Options& options) {
  return html_report(record::record_from<Record>(json, options.record_name));
}

template <class Record>
std::string pictured(const Json& json, const Pictures& pictures, const Options& options) {
  return html_report(record::record_from<Record>(json, options.record_name), pictures, options);
}

struct ReportKind {
  std::string_view schema;
  std::string (*html)(const Json&, const Pictures&, const Options&);
};
constexpr std::array kinds{ReportKind{record::assess_schema, pictured<record::Assess>},
                           ReportKind{record::pa_schema, plain<record::Pa>},
                           ReportKind{record::select_schema, plain<record::Select>},
                           ReportKind{record::bound_schema, plain<record::Bound>},
                           ReportKind{record::bound_evaluate_schema, plain<record::BoundEvaluation>},
                           ReportKind{record::conds_describe_schema, plain<record::CondsDescribe>},
                           ReportKind{record::align_schema, plain<record::Align>},
                           ReportKind{record::corruptions_schema, plain<record::Corruptions>},
                           ReportKind{record::attack_schema, plain<record::Attack>},
                           ReportKind{record::train_schema, plain<record::Train>},
                           ReportKind{record::sweep_report_schema, plain<record::SweepReport>},
                           ReportKind{record::distances_schema, plain<record::Distances>},
                           ReportKind{record::average_case_schema, pictured<record::AverageCase>}};

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

std::string html_report(const Json& record, const Pictures& pictures, const Options& options) {
  const std::string schema = schema_of(record, options.record_name);
  for (const ReportKind& kind : kinds)
    if (stem(schema) == stem(kind.schema)) return kind.html(record, pictures, options);
  std::string known;
  for (const record::Record& kind : record::records()) {
    if (stem(schema) == stem(kind.schema)) return plain_html(kind, record, options.record_name);
    known += (known.empty()                        ? ""
              : &kind == &record::records().back() ? " or "
                                                   : ", ") +
             std::string(kind.schema);
  }
  refuse(options.record_name, "a record of schema " + known, schema.empty() ? "none" : in_quotes(schema));
}

std::string html_report(const Saved& records, const std::vector<PictureSource>& sources,
                        const Options& given) {
  if (records.empty()) refuse("report", "at least one record", "none");
  const auto& [name, first] = records[0];
  Options options = given;
  options.record_name = records.size() == 1 ? name : "the joined record";
  const std::string schema = schema_of(first, name);
  const auto is = [&](std::string_view kind) { return stem(schema) == stem(kind); };
  if (is(record::pa_schema)) return html_report(joined<record::Pa>(records));
  if (is(record::assess_schema)) {
    const auto record = joined<record::Assess>(records);
    return html_report(record, flip_pictures(record, sources, options), options);
  }
  if (records.size() > 1)
    refuse(name,
           fmt::format("schema {} or {}, the schemas that can be joined", record::assess_schema,
                       record::pa_schema),
           in_quotes(schema));
  if (sources.empty() || !is(record::average_case_schema)) return html_report(first, {}, options);
  if (sources.size() > 1 || !sources[0].name.empty()) refuse(name, "one unnamed set of images", "another");
  const record::AverageCase record = record::record_from<record::AverageCase>(first, name);
  return html_report(record, sample_pictures(record, *sources[0].images, options), options);
}

}  // namespace leeway::report
