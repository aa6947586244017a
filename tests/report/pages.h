// Records for the tests of the page, and a check that a page is well formed.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/tasks/report/page.h"

namespace leeway::tasks::test {

// The smallest legal assessment: one model, one target, k classes, nothing computed but n.
Assess bare_record(std::size_t k = 2);

// `models` x `targets` results over k classes with every key, numbers made up but consistent in shape.
Assess full_record(std::size_t models, std::size_t targets, std::size_t k);

Json reference_record(const std::string& file = "assess_record.json");  // of tests/reference
Assess reference_assessment();

// The page without what stands inside its <script> and <style> elements.
std::string markup(const std::string& html);

// Nothing where every element is closed in order, otherwise what is wrong.
std::optional<std::string> malformed(const std::string& html);

// The page's markup, after a check that it is well formed.
std::string page_of(const Json& record, const Pictures& pictures = {});
std::string page_of(const Bound& record);
std::string page_of(const BoundEvaluation& record);
std::string page_of(const Assess& record, const Pictures& pictures = {});

// The tables and charts of a view, each with the section that it stands in ("overview": none).
struct Parts {
  std::vector<std::pair<std::string, Table>> tables;
  std::vector<std::pair<std::string, Chart>> charts;
};
Parts parts_of(const View& view);
Json data_of(const Chart& chart, const std::string& name);

// What html_report says against a record named r.json.
std::string complaint(const Json& record);

std::size_t occurrences(const std::string& text, const std::string& what);

}  // namespace leeway::tasks::test
