#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/probabilities.h"
#include "leeway/core/random.h"
#include "leeway/endpoint/ask.h"

namespace leeway::endpoint {
namespace {

// Probabilities of k classes, and last that of no class.
std::vector<double> probabilities_of(std::span<const Answer> samples, std::size_t k, Probabilities from) {
  std::vector<double> p(k + 1, 0);
  for (const Answer& one : samples) {
    const bool scored = from == Probabilities::log_probabilities && !one.logarithms.empty();
    for (std::size_t j = 0; j <= k; ++j) {
      const bool named = j == (one.kind == AnswerKind::parsed ? one.label : k);
      p[j] += scored ? std::exp(static_cast<double>(one.logarithms[j])) : named ? 1. : 0.;
    }
  }
  for (double& value : p) value /= static_cast<double>(samples.size());
  return p;
}

// Without the last class: the others divided by their sum, or a guess where they have none.
void guess(std::vector<double>& p, std::uint64_t seed, std::size_t row) {
  p.pop_back();
  double sum = 0;
  for (const double value : p) sum += value;
  if (sum <= 0) p[Random(seed, stream("no class"), row).below(p.size())] = sum = 1;
  for (double& value : p) value /= sum;
}

// Pixels in [0,1], rounded.
std::vector<std::uint8_t> levels_of(std::span<const float> pixels) {
  std::vector<std::uint8_t> levels(pixels.size());
  std::ranges::transform(pixels, levels.begin(), [](float value) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.F, 1.F)));
  });
  return levels;
}

}  // namespace

Levels levels_of(const Images& images) {
  return {images.n(), images.channels(), images.height(), images.width(), [&images](std::size_t row) {
            std::vector<float> values(images.pixels_per_image());
            images.copy_row(row, values);
            return levels_of(values);
          }};
}

ClassScores scores_of(const Asked& asked, const AskOptions& options, NoClass no_class) {
  const std::size_t k = options.classes.size(), n = asked.answers.size() / options.samples;
  const auto scored = [](const Answer& one) {
    return one.kind != AnswerKind::parsed || !one.logarithms.empty();
  };
  const bool any =
      std::ranges::any_of(asked.answers, [](const Answer& one) { return !one.logarithms.empty(); });
  ClassScores scores{any && std::ranges::all_of(asked.answers, scored) ? Probabilities::log_probabilities
                     : options.samples > 1                             ? Probabilities::samples
                                                                       : Probabilities::one_hot,
                     no_class == NoClass::own ? k + 1 : k,
                     {}};
  scores.logarithms.reserve(n * scores.k);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> p = probabilities_of(
        std::span(asked.answers).subspan(i * options.samples, options.samples), k, scores.from);
    if (no_class == NoClass::guess) guess(p, options.seed, i);
    for (const double value : p)
      scores.logarithms.push_back(
          static_cast<float>(value > 0 ? std::max(std::log(value), log_of_zero) : log_of_zero));
  }
  return scores;
}

Classifier classifier_of(const std::shared_ptr<Asker>& asker, std::size_t channels, std::size_t height,
                         std::size_t width, Progress* progress,
                         const std::function<void(const Asked&)>& note) {
  Classifier classifier{channels * height * width, asker->options().classes.size() + 1};
  classifier.logits = [=, d = classifier.d](std::span<const float> x) {
    const Levels images{x.size() / d, channels, height, width,
                        [x, d](std::size_t row) { return levels_of(x.subspan(row * d, d)); }};
    const Asked asked = asker->ask(images, progress);
    if (note) note(asked);
    if (!asked.failures.empty())
      throw Unanswered(
          fmt::format("{}: expected an answer for each image, found {}; with a journal, the same command "
                      "requests only the missing answers",
                      asker->origin(), asked.failures.begin()->first));
    return scores_of(asked, asker->options(), NoClass::own).logarithms;
  };
  return classifier;
}

}  // namespace leeway::endpoint
