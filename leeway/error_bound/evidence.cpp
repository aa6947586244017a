#include "leeway/error_bound/evidence.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "leeway/core/parallel.h"
#include "leeway/error_bound/centred.h"
#include "leeway/error_bound/detail/transport.h"

namespace leeway::error_bound {
namespace {

std::size_t count_correct(const CentredRows& rows, std::span<const std::int64_t> labels) {
  return reduce_chunks<std::size_t>(
      rows.n(), rows.chunk(),
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> scratch;
        std::size_t correct = 0;
        for (std::size_t i = begin; i < end; ++i) {
          const double* const z = rows.row(i, scratch);
          correct += std::find(z, z + rows.k(), 0.) - z == labels[rows.index(i)];
        }
        return correct;
      },
      [](std::size_t a, std::size_t b) { return a + b; });
}

Threshold threshold(std::vector<double> scores, std::size_t n_correct) {
  if (n_correct == 0) return {};
  const auto nth = scores.begin() + static_cast<std::ptrdiff_t>(n_correct - 1);
  std::nth_element(scores.begin(), nth, scores.end(), std::greater<>());
  const double at = *nth;
  double above = 0, equal = 0;
  for (const double score : scores) above += score > at, equal += score == at;
  return {at, (static_cast<double>(n_correct) - above) / equal};
}

std::vector<double> shares(const CentredRows& rows, std::span<const std::int64_t> labels) {
  std::vector<double> counts(rows.k(), 0);
  for (std::size_t i = 0; i < rows.n(); ++i) ++counts[static_cast<std::size_t>(labels[rows.index(i)])];
  for (double& count : counts) count /= static_cast<double>(rows.n());
  return counts;
}

}  // namespace

double transport_cost(const Rows& logits, double inverse_temperature, std::span<const std::size_t> rows,
                      std::span<const double> masses) {
  const Softmax p(logits, inverse_temperature, rows);
  const auto read = [&p](std::size_t begin, std::size_t end, std::vector<double>& scratch) {
    return p.rows(begin, end, scratch);
  };
  return optimal_transport({p.n(), p.k(), read}, masses).cost;
}

std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t n, Random random) {
  std::vector<std::uint32_t> times(n, 0);
  for (std::size_t i = 0; i < count; ++i) ++times[random.below(n)];
  std::vector<std::size_t> rows;
  rows.reserve(count);
  for (std::size_t row = 0; row < n; ++row) rows.insert(rows.end(), times[row], row);
  return rows;
}

double mean_of(std::span<const double> values) {
  const double sum = reduce_chunks<double>(
      values.size(), 4096,
      [&](std::size_t begin, std::size_t end) {
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) part += values[i];
        return part;
      },
      [](double a, double b) { return a + b; });
  return sum / static_cast<double>(values.size());
}

Evidence collect_source(const Sample& source, const EvidenceOptions& options) {
  const CentredRows rows(source.logits, options.source_rows);
  Evidence evidence;
  evidence.n_correct = count_correct(rows, source.labels);
  evidence.source_accuracy = static_cast<double>(evidence.n_correct) / static_cast<double>(rows.n());
  evidence.label_shares = shares(rows, source.labels);
  evidence.source =
      std::make_shared<Scores>(scores(source.logits, options.inverse_temperature, options.source_rows));
  evidence.source_confidence = mean_of(evidence.source->confidence);
  evidence.by_log_odds = threshold(evidence.source->log_odds, evidence.n_correct);
  evidence.by_negative_entropy = threshold(evidence.source->negative_entropy, evidence.n_correct);
  if (options.movement) {
    std::vector<std::int64_t> drawn;
    for (const std::size_t row : options.source_rows) drawn.push_back(source.labels[row]);
    const std::span<const std::int64_t> labels = drawn.empty() ? source.labels : drawn;
    evidence.profile = std::make_shared<OutputProfile>(*evidence.source, labels, rows.k());
  }
  return evidence;
}

void add_target(Evidence& evidence, const Sample& source, const Sample& target,
                const EvidenceOptions& options) {
  evidence.target = scores(target.logits, options.inverse_temperature, options.target_rows);
  if (options.transport) {
    evidence.transport_cost = transport_cost(target.logits, options.inverse_temperature, options.target_rows,
                                             evidence.label_shares);
    evidence.self =
        options.self ? *options.self
                     : self_transport(source, options.inverse_temperature, evidence.target.confidence.size());
  }
  if (evidence.profile) evidence.movement = evidence.profile->movement(evidence.target);
}

Evidence collect(const Sample& source, const Sample& target, const EvidenceOptions& options) {
  Evidence evidence = collect_source(source, options);
  add_target(evidence, source, target, options);
  return evidence;
}

}  // namespace leeway::error_bound
