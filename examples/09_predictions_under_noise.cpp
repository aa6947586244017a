// How often do predictions survive noise? A classifier of functions, by its linearisation (Taylor) and by Monte Carlo.
#include <fmt/core.h>

#include <cmath>
#include <vector>

#include "leeway/tasks/average_case/average_case.h"

constexpr std::size_t n = 200, d = 2, k = 3;

int main() {
  // Three bumps on a circle; each class is sure near its own.
  const double centres[k][d] = {{1, 0}, {-.5, .866}, {-.5, -.866}};
  const auto bump = [&](std::span<const float> x, std::size_t c) {
    return std::exp(-std::pow(x[0] - centres[c][0], 2) - std::pow(x[1] - centres[c][1], 2));
  };
  leeway::Classifier classifier{d, k};
  classifier.logits = [&](std::span<const float> x) {
    std::vector<float> logits;
    for (std::size_t i = 0; i < x.size(); i += d)
      for (std::size_t c = 0; c < k; ++c) logits.push_back(static_cast<float>(bump(x.subspan(i, d), c)));
    return logits;
  };
  classifier.linearize = [&](std::span<const float> rows) {
    leeway::Linearized found{classifier.logits(rows)};
    found.vjp = [&, x = std::vector<float>(rows.begin(), rows.end())](std::span<const float> cotangents) {
      std::vector<float> gradients(x.size());
      for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t c = 0; c < k; ++c)
          gradients[i] +=
              cotangents[i / d * k + c] * static_cast<float>(-2 * (x[i] - centres[c][i % d]) *
                                                             bump(std::span(x).subspan(i / d * d, d), c));
      return gradients;
    };
    return found;
  };
  const auto input = [](std::size_t row, std::span<float> x) {  // a spiral from the middle outwards
    const double angle = .5 * static_cast<double>(row), radius = 1.5 * static_cast<double>(row) / n;
    x[0] = static_cast<float>(radius * std::cos(angle)), x[1] = static_cast<float>(radius * std::sin(angle));
  };

  leeway::tasks::AverageCaseTask task{.of = leeway::tasks::ClassifierInputs{classifier, input, n}};
  task.options.sigma = {.1, .3}, task.options.methods = {"taylor", "mc"}, task.options.draws = 2000;
  const auto [record, rows, labels] = leeway::tasks::average_case(task);

  fmt::print("{}\n\nmethod  sigma   mean    one in twenty\n", record.envelope.headline);
  for (const auto& one : record.found.results)
    fmt::print("{:<6} {:>6} {:>6.2f} {:>16.2f}\n", one.method, one.sigma, one.p.mean, one.p.quantiles[1]);
  for (const auto& [method, sigma, error] : record.found.against_monte_carlo)
    fmt::print("{} at {}: {:.3f} from Monte Carlo on average, {:.3f} by chance\n", method, sigma,
               error.mean_absolute, error.floor);
  fmt::print("row 199 survives sigma {} with probability {:.2f}\n", rows.columns[0].sigma,
             rows.columns[0].p[199]);
}
