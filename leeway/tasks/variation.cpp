#include "leeway/tasks/variation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "leeway/core/message.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t variation_most_rows = 16;
constexpr double rounding_of_a_pass = 1e-5, rounding_of_a_batch = .02;  // of the largest logit

struct RowsApart {
  nn::Variation variation;
  double scale = 0;      // the largest logit of the first pass
  std::size_t rows = 0;  // that differ by more than the share asked for
};

std::size_t argmax(std::span<const float> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

// Of the rows that both passes have, the first ones of each.
RowsApart rows_apart(std::span<const float> first, std::span<const float> second, std::size_t k,
                     double share) {
  RowsApart found;
  for (const float logit : first) found.scale = std::max(found.scale, std::abs(static_cast<double>(logit)));
  found.variation.n = std::min(first.size(), second.size()) / k;
  for (std::size_t row = 0; row < found.variation.n; ++row) {
    const auto a = first.subspan(row * k, k), b = second.subspan(row * k, k);
    double largest = 0;
    for (std::size_t c = 0; c < k; ++c)
      largest = std::max(largest, std::abs(static_cast<double>(a[c]) - static_cast<double>(b[c])));
    found.variation.largest = std::max(found.variation.largest, largest);
    found.variation.predictions += argmax(a) != argmax(b);
    found.rows += largest > share * found.scale;
  }
  return found;
}

void require_finite(std::span<const float> logits, std::size_t k) {
  const auto bad = std::ranges::find_if(logits, [](float logit) { return !std::isfinite(logit); });
  if (bad == logits.end()) return;
  const auto place = static_cast<std::size_t>(bad - logits.begin());
  refuse("classifier", "finite logits", fmt::format("{} at row {}, class {}", *bad, place / k, place % k));
}

}  // namespace

std::optional<nn::Variation> variation_of(const ClassifierInputs& model) {
  const auto& [classifier, input, all] = model;
  const std::size_t n = std::min(variation_most_rows, all), half = n / 2, d = classifier.d;
  std::vector<float> x(n * d);
  for (std::size_t row = 0; row < n; ++row) input(row, std::span(x).subspan(row * d, d));
  const std::vector<float> first = classifier.logits(x), second = classifier.logits(x);
  require_finite(first, classifier.k), require_finite(second, classifier.k);
  const RowsApart again = rows_apart(first, second, classifier.k, rounding_of_a_pass);
  if (again.rows > 0) return again.variation;
  if (half == 0) return {};
  const std::vector<float> alone = classifier.logits(std::span(x).first(half * d));
  const RowsApart apart = rows_apart(first, alone, classifier.k, rounding_of_a_batch);
  if (2 * apart.rows <= half) return {};
  nn::Variation variation = apart.variation;
  variation.neighbours = true;
  return variation;
}

std::string variation_text(const nn::Variation& variation, const std::string& row) {
  return fmt::format(
      "logits that differ by up to {:.3g} between two passes of the same {} {}{}{} ({} of the predictions "
      "differ)",
      variation.largest, variation.n, row, variation.n == 1 ? "" : "s",
      variation.neighbours ? ", alone and with other rows" : "", variation.predictions);
}

}  // namespace leeway::tasks
