// One model, two targets: a labelled, paired one and an unlabelled one from production. What each permits to
// say, a gate, and the page.
#include <fmt/core.h>

#include <string>

#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/report/page.h"

int main() {
  const auto outputs = [](const std::string& name) {
    return leeway::read_outputs("examples/data/" + name + ".npz");
  };
  const leeway::tasks::Assess record = leeway::tasks::assess(
      {.sources = {{"cnn", outputs("clean")}},
       .targets = {{"cnn", "blur", outputs("blurred")}, {"cnn", "production", outputs("production")}},
       .gates = {"accuracy<0.75"}});
  fmt::print("{}\n", record.envelope.headline);
  for (const leeway::tasks::AssessResult& result : record.results) {
    fmt::print("{}: n {}\n", result.target, result.n);
    if (result.accuracy.value)
      fmt::print("  accuracy {:.3f} [{:.3f}, {:.3f}]\n", *result.accuracy.value, *result.accuracy.low,
                 *result.accuracy.high);
    else
      fmt::print("  no accuracy: {}\n", result.reason("accuracy"));
    if (result.pa.value) fmt::print("  PA {:.3f} at beta {:.3f}\n", *result.pa.value, *result.beta);
    if (result.error_bound) fmt::print("  error at most {:.3f}\n", *result.error_bound);
  }
  const leeway::tasks::AssessGate& gate = record.gates[0];
  fmt::print("gate {}: {} violations, {} undecided\n", gate.gate, gate.violations.size(),
             gate.not_computed.size());
  const std::string page = leeway::tasks::html_report(record);
  fmt::print("a page of {}\n", page.ends_with("</html>\n") ? "HTML" : "nothing");
}
