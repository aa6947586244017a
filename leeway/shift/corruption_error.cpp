#include "leeway/shift/corruption_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "leeway/core/bounded_mean.h"
#include "leeway/core/message.h"

namespace leeway::shift {
namespace {

// Values of the images, and the range they come from.
struct Values {
  std::vector<double> of_image;
  double least = 0, most = 0;

  explicit Values(std::size_t n) : of_image(n) {}

  // Times `factor`.
  [[nodiscard]] Measured mean(double level, double factor) const {
    double sum = 0;
    for (const double value : of_image) sum += value;
    // Sums in another order than the range's own may pass its ends by a rounding.
    std::vector<double> inside = of_image;
    for (double& value : inside) value = std::clamp(value, least, most);
    const Interval interval = bounded_mean_interval(inside, least, most, level);
    return {factor * (sum / static_cast<double>(inside.size())), factor * interval.low,
            factor * interval.high};
  }
};

void check(const std::vector<CorruptionMistakes>& mistakes, const std::vector<std::uint8_t>& clean_wrong) {
  constexpr std::string_view where = "corruption errors";
  if (mistakes.empty()) refuse(where, "at least one corruption", "none");
  const std::size_t n = mistakes.front().wrong.size();
  if (n == 0) refuse(where, "at least one image", "none");
  std::set<std::string_view> names;
  for (const CorruptionMistakes& one : mistakes) {
    if (!names.insert(one.corruption).second)
      refuse(where, "each corruption once", in_quotes(one.corruption) + " twice");
    const std::set<std::size_t> severities(one.severities.begin(), one.severities.end());
    if (severities.empty() || severities.size() != one.severities.size() || *severities.begin() < 1 ||
        *severities.rbegin() > 5)
      refuse(where, fmt::format("different severities from 1 to 5 of {}", one.corruption), "others, or none");
    if (one.wrong.size() != n)
      refuse(where, fmt::format("{} images under {}", n, one.corruption), one.wrong.size());
    if (const auto most = *std::ranges::max_element(one.wrong); most > one.severities.size())
      refuse(where, fmt::format("at most {} wrong severities of {}", one.severities.size(), one.corruption),
             fmt::format("{}", most));
  }
  if (!clean_wrong.empty() && clean_wrong.size() != n)
    refuse(where, fmt::format("{} clean images", n), clean_wrong.size());
}

// Sum of the reference's errors over those severities.
std::optional<double> sum_of(const ReferenceErrors* reference, const CorruptionMistakes& one) {
  if (reference == nullptr) return std::nullopt;
  const auto found = reference->corruptions.find(one.corruption);
  if (found == reference->corruptions.end()) return std::nullopt;
  double sum = 0;
  for (const std::size_t severity : one.severities) {
    const std::optional<double>& error = found->second[severity - 1];
    if (!error) return std::nullopt;
    sum += *error;
  }
  return sum;
}

// Adds (t_i - s clean_i) / divisor to the values; no clean mistakes: t_i alone.
void add(Values& values, const CorruptionMistakes& one, const std::vector<std::uint8_t>* clean,
         double divisor) {
  const auto severities = static_cast<double>(one.severities.size());
  for (std::size_t i = 0; i < one.wrong.size(); ++i) {
    const double before = clean != nullptr ? severities * (*clean)[i] : 0;
    values.of_image[i] += (one.wrong[i] - before) / divisor;
  }
  values.most += severities / divisor;
  if (clean != nullptr) values.least -= severities / divisor;
}

}  // namespace

CorruptionErrors corruption_errors(const std::vector<CorruptionMistakes>& mistakes,
                                   const std::vector<std::uint8_t>& clean_wrong,
                                   const ReferenceErrors* reference, double level) {
  check(mistakes, clean_wrong);
  const std::size_t n = mistakes.front().wrong.size();
  CorruptionErrors found;
  found.counted =
      static_cast<std::size_t>(std::ranges::count(mistakes, true, &CorruptionMistakes::of_benchmark));
  const auto counted = static_cast<double>(found.counted);
  Values errors(n), ratios(n), relative(n);
  bool all = reference != nullptr, all_relative = all;
  for (const CorruptionMistakes& one : mistakes) {
    const auto severities = static_cast<double>(one.severities.size());
    CorruptionError& result = found.corruptions.emplace_back();
    result.corruption = one.corruption, result.of_benchmark = one.of_benchmark;
    const auto mean_of = [&](const std::vector<std::uint8_t>* clean, double divisor, double factor) {
      Values own(n);
      add(own, one, clean, divisor);
      return own.mean(level, factor);
    };
    result.error = mean_of(nullptr, severities, 1);
    if (one.of_benchmark) add(errors, one, nullptr, severities * counted);
    const std::optional<double> sum = sum_of(reference, one);
    if (sum) result.reference_error = *sum / severities;
    const bool ratio = sum && *sum > 0;
    if (ratio) {
      result.ce = mean_of(nullptr, *sum, 100);
      if (one.of_benchmark) add(ratios, one, nullptr, *sum * counted);
    }
    const double rise =
        ratio && reference->clean && !clean_wrong.empty() ? *sum - severities * *reference->clean : 0;
    if (rise > 0) {
      result.relative_ce = mean_of(&clean_wrong, rise, 100);
      if (one.of_benchmark) add(relative, one, &clean_wrong, rise * counted);
    }
    if (one.of_benchmark) all = all && ratio, all_relative = all_relative && rise > 0;
  }
  if (found.counted == 0) return found;
  found.mean_error = errors.mean(level, 1);
  if (all) found.mce = ratios.mean(level, 100);
  if (all_relative) found.relative_mce = relative.mean(level, 100);
  return found;
}

const ReferenceErrors& alexnet_errors() {
  static const ReferenceErrors table{"AlexNet",
                                     .43478,
                                     {{"gaussian-noise", {.69528, .82542, .93554, .98138, .99452}},
                                      {"shot-noise", {.71224, .85108, .93574, .98182, .99146}},
                                      {"impulse-noise", {.78374, .89808, .9487, .9872, .99548}},
                                      {"defocus-blur", {.65624, .73202, .85036, .91364, .94714}},
                                      {"glass-blur", {.64308, .75054, .88806, .91622, .93344}},
                                      {"motion-blur", {.5843, .70048, .82108, .8975, .92638}},
                                      {"zoom-blur", {.70008, .76992, .80784, .84198, .87198}},
                                      {"snow", {.71726, .88392, .86468, .9187, .94952}},
                                      {"frost", {.6139, .79734, .8879, .89942, .9343}},
                                      {"fog", {.67474, .7605, .84378, .8726, .945}},
                                      {"brightness", {.4514, .48502, .54048, .62166, .7244}},
                                      {"contrast", {.64548, .7615, .88874, .9776, .9927}},
                                      {"elastic-transform", {.52596, .70116, .55686, .64076, .80554}},
                                      {"pixelate", {.52218, .5462, .73728, .87092, .91262}},
                                      {"jpeg-compression", {.51002, .54718, .57294, .65458, .74778}}}};
  return table;
}

}  // namespace leeway::shift
