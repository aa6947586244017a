#include "leeway/agreement/distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::agreement {
namespace {

const std::optional<Array>& compared(const Distance& member, const Sample& sample) {
  return member.compares == Compared::probabilities ? sample.logits : sample.features;
}

std::string_view word(const Distance& member) {
  return member.compares == Compared::probabilities ? "logits" : "features";
}

std::size_t rows_of(const Array& values) { return values.shape.empty() ? 0 : values.shape[0]; }

}  // namespace

// Each is defined in distances/, in a file of its name.
Distance kl();
Distance wasserstein();
Distance wasserstein_flattened();
Distance cosine();
Distance centroid();
Distance mmd();
Distance frechet();

std::span<const Distance> distances() {
  static const Distance list[] = {kl(),  wasserstein(), wasserstein_flattened(), cosine(), centroid(),
                                  mmd(), frechet()};
  return list;
}

const Distance& distance(std::string_view name) { return find_member(distances(), "distance", name); }

std::vector<MeasuredDistance> measure_distances(const Sample& clean, const Sample& shifted,
                                                std::span<const std::string> names, Progress* progress) {
  for (const std::string& name : names) (void)distance(name);
  std::vector<MeasuredDistance> measured;
  for (const auto& member : distances()) {
    if (!names.empty() && std::ranges::find(names, member.name) == names.end()) continue;
    MeasuredDistance result{.distance = &member, .value = {}, .missing = {}};
    const auto &one = compared(member, clean), &two = compared(member, shifted);
    if (!one || !two)
      result.missing = fmt::format("{} has no {}", one ? shifted.name : clean.name, word(member));
    else if (member.paired && rows_of(*one) != rows_of(*two))
      result.missing = fmt::format("rows are not paired: {} and {}", rows_of(*one), rows_of(*two));
    else
      result.value = member.compute(clean, shifted, progress);
    measured.push_back(std::move(result));
  }
  return measured;
}

double Distance::compute(const Sample& clean, const Sample& shifted, Progress* progress) const {
  const std::string_view needed = word(*this);
  for (const Sample* sample : {&clean, &shifted})
    if (!compared(*this, *sample))
      refuse(sample->name, fmt::format("{} for the distance {}", needed, name), "none");
  const MatrixPair sets{Matrix(*compared(*this, clean), clean.name, needed),
                        Matrix(*compared(*this, shifted), shifted.name, needed)};
  require_equal_columns(sets.clean, sets.shifted);
  if (compares == Compared::probabilities && sets.clean.columns() < 2)
    refuse(clean.name, "logits of at least 2 classes", "1");
  if (paired && sets.clean.rows() != sets.shifted.rows())
    refuse(shifted.name, fmt::format("{} rows, as in {}", sets.clean.rows(), clean.name),
           sets.shifted.rows());
  return between(sets, progress);
}

double mean_over_rows(const MatrixPair& pair,
                      const std::function<double(std::span<double>, std::span<double>)>& of) {
  const std::size_t n = pair.clean.rows();
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::vector<double> u(pair.clean.columns()), v(pair.shifted.columns());
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      pair.clean.copy_row(i, u), pair.shifted.copy_row(i, v);
      total += of(u, v);
    }
    return total;
  };
  return reduce_chunks<double>(n, 512, sum, std::plus<>()) / static_cast<double>(n);
}

void log_softmax(std::span<double> row) {
  const double top = *std::ranges::max_element(row);
  double sum = 0;
  for (const double x : row) sum += std::exp(x - top);
  const double log_sum = std::log(sum);
  for (double& x : row) x = (x - top) - log_sum;
}

std::vector<double> softmax_rows(const Matrix& logits) {
  const std::size_t k = logits.columns(), chunk = 512;
  std::vector<double> values(logits.rows() * k);
  parallel_chunks(logits.rows(), chunk, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = std::span(values).subspan(i * k, k);
      logits.copy_row(i, row);
      log_softmax(row);
      for (double& x : row) x = std::exp(x);
    }
  });
  return values;
}

}  // namespace leeway::agreement
