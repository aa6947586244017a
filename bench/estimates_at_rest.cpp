// What cot says if nothing moved, by simulation: docs/studies/answers.md.
//
//   estimates_at_rest DRAWS [BOOTSTRAP [CLASSES]]
//
// CSV on stdout, one line for each number of classes, rows and margin. Logits are calibrated (tests/error_bound/samples.h).
// Source of n rows, target of .3 n + 50. Columns: mean
// over draws of the target's true error and of the estimates; share of draws whose 95% interval of cot (BOOTSTRAP replicates,
// default 50) holds the true error, and its mean width.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "leeway/error_bound/estimator.h"
#include "leeway/error_bound/evidence.h"
#include "tests/error_bound/samples.h"

using leeway::error_bound::Sample, leeway::error_bound::calibrated;

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: estimates_at_rest DRAWS [BOOTSTRAP [CLASSES]]\n");
    return 2;
  }
  const auto argument = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  const std::size_t draws = argument(1, 0), bootstrap = argument(2, 50), only = argument(3, 0);
  fmt::print("classes,source,target,margin,draws,bootstrap,error,cot,published,coverage,width\n");
  for (const std::size_t k : {2, 10, 100})
    for (const std::size_t n : {100, 1000, 5000})
      for (const double margin : {1.5, 5.}) {
        if (only != 0 && only != k) continue;
        const std::size_t target_rows = n * 3 / 10 + 50;
        double error = 0, cot = 0, published = 0, covered = 0, width = 0;
        for (std::size_t draw = 0; draw < draws; ++draw) {
          const Sample target = calibrated(target_rows, k, margin, 2 * draw + 1);
          const auto found = leeway::error_bound::estimate_error(
              calibrated(n, k, margin, 2 * draw), target,
              {.methods = {"cot", "cot-published"}, .bootstrap = bootstrap});
          const double truth = 1 - leeway::error_bound::collect_source(target, {}).source_accuracy;
          error += truth, cot += found.estimates[0].error, published += found.estimates[1].error;
          if (const auto& interval = found.estimates[0].interval)
            covered += interval->low <= truth && truth <= interval->high,
                width += interval->high - interval->low;
        }
        const auto mean = [&](double sum) { return sum / static_cast<double>(draws); };
        fmt::print("{},{},{},{},{},{},{:.5f},{:.5f},{:.5f},{:.4f},{:.4f}\n", k, n, target_rows, margin, draws,
                   bootstrap, mean(error), mean(cot), mean(published), mean(covered), mean(width));
        std::fflush(stdout);
      }
  return 0;
}
