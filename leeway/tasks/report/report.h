// The record of leeway report: the page that was made from saved records. leeway schema report lists the
// keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"

namespace leeway::tasks {

inline constexpr std::string_view report_schema = "leeway.report/2";

struct ReportOptions {
  std::size_t flips = 8;
};

struct WrittenPage {
  std::string page;
  std::size_t bytes = 0, records = 0;
};

using Report = RecordOf<report_schema, ReportOptions, WrittenPage>;

void fields(ReportOptions& options, Fields& f);
void fields(WrittenPage& page, Fields& f);

[[nodiscard]] std::string headline_of(const Report& record);
[[nodiscard]] View view(const Report& record);

}  // namespace leeway::tasks
