#include "leeway/average_case/convergence.h"

#include <algorithm>
#include <cmath>

namespace leeway::average_case {
namespace {

void add(std::string_view method, std::span<const std::size_t> counts, const std::vector<AverageCase>& runs,
         std::vector<ConvergencePoint>& points) {
  if (runs.empty()) return;
  const auto& last = runs.back().columns;
  for (std::size_t c = 0; c < last.size(); ++c)
    for (std::size_t r = 0; r < runs.size(); ++r) {
      ConvergencePoint point{std::string(method), last[c].sigma, counts[r]};
      const auto &p = runs[r].columns[c].p, &settled = last[c].p;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const double change = std::abs(p[i] - settled[i]);
        point.mean_change += change / static_cast<double>(p.size());
        point.most_change = std::max(point.most_change, change);
      }
      points.push_back(point);
    }
}

}  // namespace

std::vector<ConvergencePoint> convergence(const Classifier& classifier, const Noise& noise,
                                          const InputRow& input, std::size_t n,
                                          const AverageCaseOptions& options,
                                          std::span<const std::size_t> draws,
                                          std::span<const std::size_t> copies) {
  std::vector<ConvergencePoint> points;
  AverageCaseOptions run = options;
  run.width = 0;
  const auto all = [&](std::string_view method, std::span<const std::size_t> counts, std::size_t& count) {
    run.methods = {method};
    std::vector<AverageCase> runs;
    for (const std::size_t value : counts) {
      count = value;
      runs.push_back(average_case(classifier, noise, input, 0, n, run));
    }
    add(method, counts, runs, points);
  };
  all("mc", draws, run.draws);
  all("mmse", copies, run.copies);
  return points;
}

}  // namespace leeway::average_case
