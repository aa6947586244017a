#include "leeway/average_case/detail/evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::average_case {

Evidence::Evidence(const AverageCaseOptions& options, std::size_t first_row, std::size_t n,
                   std::vector<double> logits)
    : options_(options), first_row_(first_row), logits_(std::move(logits)), targets_(n) {
  const std::size_t k = logits_.size() / n;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = std::span(logits_).subspan(i * k, k);
    check_finite(row, first_row + i);
    targets_[i] = static_cast<std::int32_t>(std::ranges::max_element(row) - row.begin());
  }
}

const Evidence::Linearised& Evidence::averaged(std::size_t) { refuse("noisy copies", "a model", "files"); }

void Evidence::count_kept(std::size_t, std::span<const std::size_t>, std::size_t, std::size_t,
                          std::vector<Kept>&, Spent&) {
  refuse("noisy copies", "a model", "files");
}

void check_finite(std::span<const double> logits, std::size_t row) {
  const auto bad = std::ranges::find_if_not(logits, [](double f) { return std::isfinite(f); });
  if (bad != logits.end())
    refuse("logits", "finite numbers",
           fmt::format("{} at row {}, class {}", *bad, row, bad - logits.begin()));
}

void Spent::add(const Spent& other) {
  seconds += other.seconds, model_seconds += other.model_seconds;
  passes += other.passes, bytes = std::max(bytes, other.bytes);
}

void add_to(Column& column, const Spent& spent, const std::optional<CallCost>& pass) {
  column.seconds += spent.seconds, column.model_seconds += spent.model_seconds;
  if (!pass) return;
  column.flops = column.flops.value_or(0) + static_cast<double>(spent.passes) * pass->flops;
  column.peak_bytes = std::max(column.peak_bytes.value_or(0), spent.bytes);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void from_boundaries(const Evidence& evidence, const Evidence::Linearised& linearised, bool sigmoid,
                     Column& column) {
  const double start = now();
  const std::size_t n = evidence.n(), before = column.p.size();
  const auto& rows = linearised.rows;
  std::vector<std::uint8_t> converged(n, 1);
  column.p.resize(before + n);
  if (!sigmoid) column.error.resize(before + n);
  parallel_for(n, [&](std::size_t i) {
    if (sigmoid) {
      column.p[before + i] = mv_sigmoid(rows[i], column.sigma);
      return;
    }
    MvnOptions options = evidence.options().mvn;
    options.seed = evidence.options().seed, options.sample = evidence.first_row() + i;
    options.stop = evidence.options().progress;
    try {
      const MvnProbability found = probability(rows[i], column.sigma, options);
      column.p[before + i] = found.probability, column.error[before + i] = found.error;
      converged[i] = found.converged;
    } catch (const Error& error) {
      throw Error(fmt::format("row {}: {}", evidence.first_row() + i, error.what()));
    }
  });
  for (std::size_t i = 0; i < n; ++i) {
    column.not_converged += !converged[i];
    column.zero_gradients += rows[i].steepest == 0;
    column.left_out = std::max(column.left_out, rows[i].left_out_mass(column.sigma));
  }
  column.seconds += now() - start;
  add_to(column, linearised.spent, evidence.pass_cost());
}

}  // namespace leeway::average_case
