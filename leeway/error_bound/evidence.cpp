#include "leeway/error_bound/evidence.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "leeway/core/statistics.h"
#include "leeway/error_bound/detail/transport.h"

namespace leeway::error_bound {
namespace {

Threshold threshold(std::vector<double> scores, std::size_t n_correct) {
  if (n_correct == 0) return {};
  const auto nth = scores.begin() + static_cast<std::ptrdiff_t>(n_correct - 1);
  std::nth_element(scores.begin(), nth, scores.end(), std::greater<>());
  const double at = *nth;
  double above = 0, equal = 0;
  for (const double score : scores) above += score > at, equal += score == at;
  return {at, (static_cast<double>(n_correct) - above) / equal};
}

// Of moving the target's softmax to the source's label shares.
double transport_cost(const Rows& logits, const std::vector<double>& label_shares,
                      const EvidenceOptions& options) {
  const Softmax p(logits, options.inverse_temperature, options.target_rows);
  const auto read = [&p](std::size_t begin, std::size_t end, std::vector<double>& scratch) {
    return p.rows(begin, end, scratch);
  };
  return optimal_transport({p.n(), p.k(), read}, label_shares).cost;
}

}  // namespace

std::vector<std::size_t> drawn_rows(std::size_t count, std::size_t n, Random random) {
  std::vector<std::uint32_t> times(n, 0);
  for (std::size_t i = 0; i < count; ++i) ++times[random.below(n)];
  std::vector<std::size_t> rows;
  rows.reserve(count);
  for (std::size_t row = 0; row < n; ++row) rows.insert(rows.end(), times[row], row);
  return rows;
}

Evidence collect_source(const Sample& source, const EvidenceOptions& options) {
  std::vector<std::int64_t> drawn;
  for (const std::size_t row : options.source_rows) drawn.push_back(source.labels[row]);
  const std::span<const std::int64_t> labels = drawn.empty() ? source.labels : drawn;
  const auto n = static_cast<double>(labels.size());
  Evidence evidence;
  evidence.source =
      options.source_scores
          ? options.source_scores
          : std::make_shared<Scores>(scores(source.logits, options.inverse_temperature, options.source_rows));
  evidence.label_shares.resize(source.k());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    evidence.n_correct += evidence.source->predicted[i] == labels[i] ? 1 : 0;
    ++evidence.label_shares[static_cast<std::size_t>(labels[i])];
  }
  for (double& share : evidence.label_shares) share /= n;
  evidence.source_accuracy = static_cast<double>(evidence.n_correct) / n;
  evidence.source_confidence = mean_and_error(evidence.source->confidence).mean;
  evidence.by_log_odds = threshold(evidence.source->log_odds, evidence.n_correct);
  evidence.by_negative_entropy = threshold(evidence.source->negative_entropy, evidence.n_correct);
  if (options.movement)
    evidence.profile = std::make_shared<OutputProfile>(*evidence.source, labels, source.k());
  return evidence;
}

void add_target(Evidence& evidence, const Sample& source, const Sample& target,
                const EvidenceOptions& options) {
  evidence.target = options.target_scores
                        ? *options.target_scores
                        : scores(target.logits, options.inverse_temperature, options.target_rows);
  evidence.target_confidence = mean_and_error(evidence.target.confidence).mean;
  if (options.transport) {
    evidence.transport_cost = transport_cost(target.logits, evidence.label_shares, options);
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
