// A perfect, a constant and a random classifier of two classes, and what lies between: the simplest experiment.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "leeway/core/random.h"

using Classes = std::vector<std::int64_t>;
constexpr int n = 1000;

// Logits of +-1/2 for and against the predicted class, times a confidence.
leeway::Array logits_of(const Classes& predicted, double confidence = 1) {
  std::vector<double> logits;
  for (const auto c : predicted) logits.push_back(c == 0 ? .5 : -.5), logits.push_back(c == 0 ? -.5 : .5);
  for (double& logit : logits) logit *= confidence;
  return leeway::make_array({predicted.size(), 2}, logits);
}

int main() {
  Classes labels(n), permuted(n);
  std::vector<std::size_t> order(n);
  for (int i = 0; i < n; ++i) {
    labels[i] = leeway::Random(1, leeway::stream("bernoulli"), i).uniform() < .5;
    order[i] = i;
  }
  leeway::shuffle(order, 1, leeway::stream("permute"));
  for (int i = 0; i < n; ++i) permuted[i] = labels[order[i]];

  // Sums of log agreement. Where all pairs agree the best beta is infinite; a search that stops on the way gets less.
  fmt::print("classifier  accuracy   beta    log PA  at beta 12.331\n");
  const auto line = [&](const char* name, const Classes& before, const Classes& after) {
    const auto a = leeway::agreement::posterior_agreement(logits_of(before), logits_of(after), labels);
    double sum = 0;
    for (const double x : leeway::agreement::agreement_per_row(logits_of(before), logits_of(after), 12.331))
      sum += x;
    fmt::print("{:<10} {:>9.3f} {:>6.3f} {:>9.3f} {:>15.4f}\n", name, *a.afr_true, a.beta, a.log_pa_sum, sum);
  };
  line("perfect", labels, labels);
  line("constant", Classes(n, 1), Classes(n, 1));
  line("random", labels, permuted);

  // Where m of n predictions turn, log PA is -n H(m/n), H the binary entropy, and from a half on -n log 2. Logits twice
  // as large halve beta and change nothing else.
  fmt::print("\nturned    log PA  -n H(m/n)   beta  at twice the confidence\n");
  for (const int m : {0, 10, 50, 100, 200, 300, 400, 500, 800}) {
    Classes after = labels;
    for (int i = 0; i < m; ++i) after[i] = 1 - after[i];
    const auto a = leeway::agreement::posterior_agreement(logits_of(labels), logits_of(after));
    const auto sharp = leeway::agreement::posterior_agreement(logits_of(labels, 2), logits_of(after, 2));
    const double p = std::min(.5, m / double{n}),
                 entropy = p > 0 ? -p * std::log(p) - (1 - p) * std::log(1 - p) : 0;
    fmt::print("{:>6} {:>9.3f} {:>10.3f} {:>6.3f} {:>11.3f} {:>8.3f}\n", m, a.log_pa_sum, 0 - n * entropy,
               a.beta, sharp.beta, sharp.log_pa_sum);
  }
}
