// Tables and charts of a finished page, read back from its HTML. Only pages that html_report() made are read: there text is
// escaped, so that what looks like an element is one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/result.h"

namespace leeway::report {

struct PageCell {
  std::string text;                  // as the page shows it, without marks
  std::optional<std::string> value;  // with its full digits
  std::string low, high;             // of an interval
  bool missing = false;
};

struct PageTable {
  std::string section, caption;
  struct Column {
    std::string title;
    bool numeric = false, interval = false;
  };
  std::vector<Column> columns;
  std::vector<std::vector<PageCell>> rows;
};

struct PageChart {
  std::string section, spec;
  Json content;        // title, note, description, data (by rows of equal keys), signals
  std::string choice;  // of a chart with a choice
};

struct PageParts {
  std::vector<PageTable> tables;
  std::vector<PageChart> charts;
};

[[nodiscard]] PageParts parts_of(std::string_view page);

// The specification of that name as it stands in the page.
[[nodiscard]] Json page_spec(std::string_view page, const std::string& name);

}  // namespace leeway::report
