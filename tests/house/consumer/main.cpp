// A program outside the tree, built against the installed package: a linear classifier of three classes, on samples it was made for
// and on noisier ones. Posterior agreement, a Dis2 bound beside the estimates, how many predictions survive noise, and the
// whole assessment with its page, all from typed values.
#include <iostream>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/report/page.h"

namespace tasks = leeway::tasks;
constexpr std::size_t n = 600, k = 3;  // logits are the k inputs themselves, doubled

leeway::Outputs drawn(double noise, bool labelled) {
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    leeway::Random random(0, leeway::stream("consumer"), i);
    labels.push_back(static_cast<std::int64_t>(random.below(k)));
    for (std::int64_t c = 0; c < 3; ++c)
      logits.push_back(2 * ((c == labels.back() ? 2 : 0) + noise * random.normal()));
  }
  leeway::Outputs outputs;
  outputs.logits = leeway::make_array({n, k}, std::move(logits));
  if (labelled) outputs.labels = std::move(labels);
  return outputs;
}

int main() {
  const auto set = [](const char* name, double noise) {
    return tasks::in_memory(name, drawn(noise, noise == 1));
  };
  const auto pa = tasks::pa({.models = {{"linear", set("clean", 1), {set("noisy", 1.5)}}}});
  const auto bound = tasks::bound({.source = set("clean", 1), .target = set("noisy", 1.5)});

  std::vector<double> gradients(n * k * k, 0);  // of logit c with respect to the inputs: 2 at its own
  for (std::size_t i = 0; i < n * k; ++i) gradients[i * k + i % k] = 2;
  const leeway::average_case::MadeElsewhere clean{
      "clean", drawn(1, true).logits, leeway::make_array({n, k, k}, gradients), {}};
  const auto survival = tasks::average_case({.of = clean, .options = {.sigma = {.5}, .methods = {"taylor"}}});

  const auto assessment = tasks::assess({.sources = {{"linear", drawn(1, true)}},
                                         .targets = {{"linear", "noisy", drawn(1.5, false)}},
                                         .gates = {"error_bound<.9"}});
  const bool page = leeway::tasks::html_report(assessment).ends_with("</html>\n");
  for (const auto& envelope : {pa.envelope, bound.envelope, assessment.envelope})
    std::cout << envelope.headline << "\n";
  for (const auto& result : bound.results)
    std::cout << result.method.method << ": error " << result.error << "\n";
  const double survival_mean = survival.record.found.results[0].p.mean;
  std::cout << "of the predictions " << survival_mean << " survive noise of .5\n";
  const bool whole = bound.results.size() == 10 && bound.dis2 && pa.results[0].agreement.pa > 0;
  return whole && survival_mean > .5 && page ? 0 : 1;
}
