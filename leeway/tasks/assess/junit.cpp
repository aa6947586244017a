#include "leeway/tasks/assess/junit.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/render/html.h"

namespace leeway::tasks {
namespace {

struct JunitCase {
  std::string element, message;  // empty: the gate holds no result to it
};

JunitCase judged(const Assess& record, const AssessGate& gate, const AssessResult& result) {
  const auto here = [&](const auto& one) { return one.model == result.model && one.target == result.target; };
  if (const auto found = std::ranges::find_if(gate.violations, here); found != gate.violations.end())
    return {"failure", gate.comparison(found->value)};
  if (const auto found = std::ranges::find_if(gate.chunks, here); found != gate.chunks.end())
    return {"failure",
            fmt::format("{} (first in chunk {}, in {} of {} chunks)", gate.comparison(found->value),
                        found->first, found->violated, found->judged)};
  if (const auto found = std::ranges::find_if(gate.not_computed, here); found != gate.not_computed.end())
    return {record.options.undecided == "fail" ? "failure" : "skipped", "not decided: " + found->reason};
  return {};
}

}  // namespace

std::string junit(const Assess& record) {
  std::string cases;
  std::size_t tests = 0, failures = 0, skipped = 0;
  for (const AssessGate& gate : record.gates)
    for (const AssessResult& result : record.results) {
      const JunitCase one = judged(record, gate, result);
      ++tests, failures += one.element == "failure", skipped += one.element == "skipped";
      cases +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\">",
                      render::escape(result.model + " under " + result.target), render::escape(gate.gate));
      if (!one.element.empty())
        cases += fmt::format("<{} message=\"{}\"/>", one.element, render::escape(one.message));
      cases += "</testcase>\n";
    }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"leeway assess\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      tests, failures, skipped, cases);
}

}  // namespace leeway::tasks
