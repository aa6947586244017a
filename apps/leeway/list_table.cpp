#include <fmt/format.h>

#include "apps/leeway/member_text.h"
#include "apps/leeway/tables.h"

namespace leeway::app {

std::string table_of(const record::List& record) {
  std::string text;
  for (const record::ListedFamily& family : record.results) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", family.family, family.summary);
    for (const record::ListedMember& member : family.members) text += text_of(member);
    if (!family.missing.empty()) text += beside("  not available", family.missing);
  }
  return text;
}

}  // namespace leeway::app
