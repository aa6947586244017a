// Two files of outputs: accuracy, agreement of predictions and posterior agreement, each with its interval.
#include <fmt/core.h>

#include "leeway/agreement/agreement.h"
#include "leeway/io/outputs.h"

int main() {
  const leeway::Outputs clean = leeway::read_outputs("examples/data/clean.npz");
  const leeway::Outputs blurred = leeway::read_outputs("examples/data/blurred.npz");

  const auto before = leeway::agreement::posterior_agreement(clean.logits, clean.logits, *clean.labels);
  const auto after = leeway::agreement::posterior_agreement(clean.logits, blurred.logits, *clean.labels);
  const auto line = [](const char* what, double value, leeway::Interval interval) {
    fmt::print("{:<24}{:.3f}  ({:.3f} to {:.3f})\n", what, value, interval.low, interval.high);
  };
  fmt::print("{} samples, {} classes\n", after.n, after.k);
  line("accuracy, clean", *before.afr_true, *before.afr_true_interval);
  line("accuracy, blurred", *after.afr_true, *after.afr_true_interval);
  line("same prediction", after.afr_pred, after.afr_pred_interval);
  line("posterior agreement", after.pa, after.pa_interval);
}
