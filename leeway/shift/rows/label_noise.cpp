// Changes labels; rows and pixels stay. Row i draws u from Random(seed, stream("label-noise"), i); its label
// is changed where u is below its rate (Options::rates, else the strength), so a smaller rate changes a
// subset.
//   label-noise        to each other class with equal probability (symmetric noise)
//   label-noise-pair   to the next class of the order, from the last to the first (pair noise)
// Classes are Options::classes, in their order, and all others keep their labels; else all classes of the
// set, ascending. Rates by row give noise that depends on groups (Wang et al., FAccT 2021). Error: fewer than
// two classes; rates of another length or outside [0,1].
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "leeway/core/message.h"
#include "leeway/shift/shift.h"

namespace leeway::shift {
namespace {

std::vector<std::int64_t> noisy_labels(const Images& images, const Options& options, bool to_the_next) {
  const std::string where = fmt::format("{}: label noise", images.path);
  std::vector<std::int64_t> labels = *images.labels, order = options.classes;
  if (order.empty()) std::ranges::copy(std::set(labels.begin(), labels.end()), std::back_inserter(order));
  const std::size_t k = order.size();
  if (k < 2) refuse(where, "at least two classes", k);
  const bool by_row = !options.rates.empty();
  if (by_row && options.rates.size() != labels.size())
    refuse(where, fmt::format("{} rates", labels.size()), options.rates.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const double rate = by_row ? options.rates[row] : options.strength;
    if (!(rate >= 0 && rate <= 1)) refuse(where, "rates from 0 to 1", fmt::format("{} at row {}", rate, row));
    const auto place = static_cast<std::size_t>(std::ranges::find(order, labels[row]) - order.begin());
    Random random(options.seed, stream("label-noise"), options.first_row + row);
    if (place < k && random.uniform() < rate)
      labels[row] = order[(place + 1 + (to_the_next ? 0 : random.below(k - 1))) % k];
  }
  return labels;
}

Member noise_member(std::string_view name, std::string_view summary, std::string_view source) {
  return Member{{name, summary, source, {{"strength", .1, 0, 1, "probability that a label is changed"}}}};
}

}  // namespace

Member label_noise() {
  Member member = noise_member("label-noise", "wrong labels, drawn uniformly from the other classes",
                               "symmetric noise; Northcutt et al., JAIR 2021");
  member.relabel = [](const Images& images, const Options& options) {
    return noisy_labels(images, options, false);
  };
  return member;
}

Member label_noise_pair() {
  Member member = noise_member("label-noise-pair", "wrong labels, always the next class",
                               "pair noise; Han et al., NeurIPS 2018");
  member.relabel = [](const Images& images, const Options& options) {
    return noisy_labels(images, options, true);
  };
  return member;
}

}  // namespace leeway::shift
