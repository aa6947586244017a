// A program outside the tree, built against the installed package. Two samples, two classes: rows that agree
// at any temperature, so the best inverse temperature is infinite and posterior agreement is log 2.
#include <cmath>
#include <iostream>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/array.h"
#include "leeway/report/report.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/assess.h"
#include "leeway/tasks/assess/gates.h"
#include "leeway/tasks/assess/rows.h"
#include "leeway/tasks/bound.h"
#include "leeway/tasks/pa.h"

int main() {
  const leeway::Array logits = leeway::make_array({2, 2}, std::vector<double>{2, 0, 0, 3});
  const auto result = leeway::agreement::posterior_agreement(logits, logits);
  std::cout << "leeway " << LEEWAY_VERSION << ": n " << result.n << ", beta " << result.beta << ", pa "
            << result.pa << ", " << leeway::shift::members().size() << " shifts\n";
  const auto open = [&] { return leeway::OutputsShards{logits, {}, {}}; };
  const leeway::record::Pa record =
      leeway::tasks::pa({.models = {{"model", {"clean", open}, {{"same", open}}}}});
  const bool page = leeway::report::html_report(record).ends_with("</html>\n");
  const auto labelled = [&] {
    leeway::OutputsShards shards = open();
    shards.rest.labels = std::vector<std::int64_t>{0, 1};
    return shards;
  };
  const leeway::record::Bound bound =
      leeway::tasks::bound({.source = {"source", labelled}, .target = {"target", open}});
  std::cout << record.envelope.headline << "\n" << bound.envelope.headline << "\n";
  return std::abs(result.pa - std::log(2.0)) < 1e-9 && std::isinf(result.beta) && page &&
                 record.results[0].agreement.pa == result.pa && bound.dis2 && bound.source.error == 0
             ? 0
             : 1;
}
