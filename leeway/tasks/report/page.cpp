#include "leeway/tasks/report/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "leeway/describe/json.h"
#include "leeway/tasks/report/join.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

// "leeway.pa/" of "leeway.pa/2".
std::string_view without_version(std::string_view schema) { return schema.substr(0, schema.rfind('/') + 1); }

std::string schema_of(const Json& json, const std::string& name) {
  std::optional<std::string> schema;
  read([&](Fields& f) { f("schema", schema, ""); }, json, name);
  return schema.value_or("");
}

using Saved = std::vector<std::pair<std::string, Json>>;

template <class Record>
Record joined(const Saved& records) {
  std::vector<std::string> names;
  std::vector<Record> typed;
  for (const auto& [name, json] : records) {
    names.push_back(name);
    typed.push_back(record_from<Record>(json, name));
  }
  return join_records(names, std::move(typed));
}

}  // namespace

View view(const Report& record) {
  View view = plain_view("a page", record.envelope, {});
  view.headline = record.results.front().page;
  return view;
}

View view(const Json& record, const Pictures& pictures, const PageOptions& options) {
  const std::string schema = schema_of(record, options.record_name);
  std::optional<View> found;
  std::vector<std::string> known;
  each_record([&]<class Record>(const RecordKind<Record>&) {
    known.push_back(Record().envelope.schema);
    if (without_version(schema) != without_version(known.back())) return;
    const auto typed = record_from<Record>(record, options.record_name);
    if constexpr (std::is_same_v<Record, Assess> || std::is_same_v<Record, AverageCase>)
      found = view(typed, pictures, options);
    else
      found = view(typed);
  });
  if (found) return *std::move(found);
  refuse(options.record_name, fmt::format("a record of schema {}", fmt::join(known, ", ")),
         schema.empty() ? "none" : in_quotes(schema));
}

View view(const Saved& records, const std::vector<PictureSource>& sources, const PageOptions& given) {
  if (records.empty()) refuse("report", "at least one record", "none");
  const auto& [name, first] = records[0];
  PageOptions options = given;
  options.record_name = records.size() == 1 ? name : "the joined record";
  const std::string schema = schema_of(first, name);
  const auto is = [&](std::string_view kind) { return without_version(schema) == without_version(kind); };
  if (is(pa_schema)) return view(joined<Pa>(records));
  if (is(assess_schema)) {
    const auto record = joined<Assess>(records);
    return view(record, flip_pictures(record, sources, options), options);
  }
  if (records.size() > 1)
    refuse(name, fmt::format("schema {} or {}, the schemas that can be joined", assess_schema, pa_schema),
           in_quotes(schema));
  if (sources.empty() || !is(average_case_schema)) return view(first, {}, options);
  if (sources.size() > 1 || !sources[0].name.empty()) refuse(name, "one unnamed set of images", "another");
  const AverageCase record = record_from<AverageCase>(first, name);
  return view(record, sample_pictures(record, *sources[0].images, options), options);
}

}  // namespace leeway::tasks
