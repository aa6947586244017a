#include "leeway/nn/normalizations.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

namespace leeway::nn {
namespace {

constexpr std::size_t least_images = 32, most_images = 128;
constexpr double good_accuracy = .8, least_gain = .2, level = 1e-4;

std::vector<bool> right(const Model& model, const Images& images) {
  const Array logits = model.outputs(images).logits;
  const auto values = logits.view<float>();
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  std::vector<bool> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = values.subspan(i * k, k);
    result[i] = std::ranges::max_element(row) - row.begin() == (*images.labels)[i];
  }
  return result;
}

double share(const std::vector<bool>& hits) {
  return static_cast<double>(std::ranges::count(hits, true)) / static_cast<double>(hits.size());
}

// Chance that a fair coin shows at least as many of the images on which the two differ in favour of `other`.
double sign_test(const std::vector<bool>& own, const std::vector<bool>& other) {
  double better = 0, differ = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    differ += own[i] != other[i];
    better += other[i] && !own[i];
  }
  if (better == 0) return 1;
  return boost::math::cdf(boost::math::complement(boost::math::binomial(differ, .5), better - 1));
}

// At most most_images rows at even distances.
Images some_of(const Images& images) {
  const std::size_t count = std::clamp(images.n() / 8, least_images, most_images);
  std::vector<std::size_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = i * images.n() / count;
  return select_rows(images, rows);
}

}  // namespace

std::vector<NamedNormalization> common_normalizations(std::size_t channels) {
  const auto all = [&](double value) { return std::vector<double>(channels, value); };
  std::vector<NamedNormalization> list{{"none: pixels 0 to 1", {1, {}, {}}},
                                       {"pixels 0 to 255", {255, {}, {}}},
                                       {"pixels -1 to 1", {1, all(.5), all(.5)}}};
  if (channels == 1) {
    list.push_back({"MNIST", {1, {.1307}, {.3081}}});
    list.push_back({"Fashion-MNIST", {1, {.2860}, {.3530}}});
  }
  if (channels == 3) {
    list.push_back({"ImageNet", {1, {.485, .456, .406}, {.229, .224, .225}}});
    list.push_back({"CIFAR-10", {1, {.4914, .4822, .4465}, {.2470, .2435, .2616}}});
    list.push_back({"CIFAR-100", {1, {.5071, .4865, .4409}, {.2673, .2564, .2762}}});
    list.push_back({"CLIP", {1, {.48145466, .4578275, .40821073}, {.26862954, .26130258, .27577711}}});
  }
  return list;
}

std::optional<OtherNormalization> other_normalization(const Model& model, const Images& images) {
  if (!images.labels || images.n() < least_images) return {};
  const Images some = some_of(images);
  const std::vector<bool> own = right(model, some);
  OtherNormalization best;
  best.n = some.n(), best.declared_accuracy = share(own);
  if (best.declared_accuracy >= good_accuracy) return {};
  const auto list = common_normalizations(images.channels());
  for (const NamedNormalization& one : list) {
    if (one.normalization == model.info().normalization) continue;
    const std::vector<bool> other = right(*model.with_normalization(one.normalization), some);
    const double accuracy = share(other);
    if (accuracy <= best.accuracy || accuracy < best.declared_accuracy + least_gain ||
        sign_test(own, other) > level / static_cast<double>(list.size()))
      continue;
    best.name = one.name, best.normalization = one.normalization, best.accuracy = accuracy;
  }
  return best.name.empty() ? std::nullopt : std::optional(best);
}

}  // namespace leeway::nn
