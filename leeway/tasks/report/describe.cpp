#include <fmt/format.h>

#include "leeway/tasks/report/report.h"

namespace leeway::tasks {

void fields(ReportOptions& options, Fields& f) {
  f("flips", options.flips, from_to(0, 1000), "changed samples shown for each model and target");
}

void fields(WrittenPage& page, Fields& f) {
  f("page", page.page, "page file");
  f("bytes", page.bytes, at_least(1), "size in bytes");
  f("records", page.records, at_least(1), "records on the page");
}

std::string headline_of(const Report& record) {
  const WrittenPage& page = record.results.front();
  return fmt::format("The page of {} record{} is {} ({}).", page.records, page.records == 1 ? "" : "s",
                     page.page, bytes(page.bytes));
}

}  // namespace leeway::tasks
