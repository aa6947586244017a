#include <algorithm>
#include <boost/math/distributions/binomial.hpp>

#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"

namespace leeway::nn {
namespace {

constexpr std::size_t least_images = 32, most_images = 256;
constexpr double level = 1e-3, level_of_equals = .05, least_share_of_errors = .25;

// Whether the model is right about each image.
std::vector<bool> right(const Model& model, const Images& images) {
  const std::vector<std::int64_t> classes = predictions(model.outputs(images).logits);
  std::vector<bool> result(classes.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = classes[i] == (*images.labels)[i];
  return result;
}

std::size_t count_right(const std::vector<bool>& hits) {
  return static_cast<std::size_t>(std::ranges::count(hits, true));
}

// Chance that a fair coin falls on one side at least `wins` times of `wins` + `losses`.
double sign_test(std::size_t wins, std::size_t losses) {
  if (wins == 0) return 1;
  const boost::math::binomial coin(static_cast<double>(wins + losses), .5);
  return boost::math::cdf(boost::math::complement(coin, static_cast<double>(wins) - 1));
}

// At even distances, half of the labelled images.
Images some_of(const Images& images) {
  const std::vector<std::size_t> labelled = rows_with_labels(*images.labels);
  const std::size_t wanted = std::clamp(labelled.size() / 2, least_images, most_images);
  std::vector<std::size_t> rows(wanted);
  for (std::size_t i = 0; i < wanted; ++i) rows[i] = labelled[i * labelled.size() / wanted];
  return select_rows(images, rows);
}

// Of the images on which two normalizations differ: those that the first is right about, and the second.
struct Disagreement {
  std::size_t first = 0, second = 0;
};
Disagreement disagreement(const std::vector<bool>& a, const std::vector<bool>& b) {
  Disagreement found;
  for (std::size_t i = 0; i < a.size(); ++i) {
    found.first += a[i] && !b[i];
    found.second += b[i] && !a[i];
  }
  return found;
}

// As good within chance: the two-sided sign test.
bool equal_but_for_chance(const std::vector<bool>& a, const std::vector<bool>& b) {
  const auto [first, second] = disagreement(a, b);
  return 2 * sign_test(std::max(first, second), std::min(first, second)) > level_of_equals;
}

// The model's own normalization on trial, against a number of others.
class Trial {
 public:
  Trial(const Model& model, Images images, std::size_t others)
      : model_(model),
        images_(std::move(images)),
        level_(level / static_cast<double>(others)),
        own_(right(model, images_)) {
    for (std::size_t i = 0; i < own_.size(); ++i) (own_[i] ? hits_ : errors_).push_back(i);
  }

  [[nodiscard]] const std::vector<bool>& own() const { return own_; }

  // Whether what is right about `wins` of the errors, and wrong about `losses` of the others, is better.
  [[nodiscard]] bool is_better(std::size_t wins, std::size_t losses) const {
    const double gain = static_cast<double>(wins) - static_cast<double>(losses);
    return gain >= least_share_of_errors * static_cast<double>(errors_.size()) &&
           sign_test(wins, losses) <= level_;
  }
  [[nodiscard]] bool is_better(const std::vector<bool>& other) const {
    const Disagreement found = disagreement(other, own_);
    return is_better(found.first, found.second);
  }

  // Whether each image is classified correctly. Errors run first; the rest only if enough errors disappear.
  [[nodiscard]] std::optional<std::vector<bool>> right_under(const Normalization& normalization) const {
    const auto other = model_.with_normalization(normalization);
    const std::vector<bool> on_errors = right(*other, select_rows(images_, errors_));
    if (!is_better(count_right(on_errors), 0)) return {};
    std::vector<bool> result(own_.size());
    for (std::size_t i = 0; i < errors_.size(); ++i) result[errors_[i]] = on_errors[i];
    if (hits_.empty()) return result;
    const std::vector<bool> on_hits = right(*other, select_rows(images_, hits_));
    for (std::size_t i = 0; i < hits_.size(); ++i) result[hits_[i]] = on_hits[i];
    return result;
  }

 private:
  const Model& model_;
  Images images_;
  double level_;
  std::vector<bool> own_;
  std::vector<std::size_t> errors_, hits_;
};

}  // namespace

Normalization clip_normalization() {
  return {1, {.48145466, .4578275, .40821073}, {.26862954, .26130258, .27577711}};
}

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
    list.push_back({"CIFAR-10, standard deviations as in many scripts",
                    {1, {.4914, .4822, .4465}, {.2023, .1994, .2010}}});
    list.push_back({"CIFAR-100", {1, {.5071, .4865, .4409}, {.2673, .2564, .2762}}});
    list.push_back({"CLIP", clip_normalization()});
  }
  return list;
}

std::optional<OtherNormalization> other_normalization(const Model& model, const Images& images) {
  if (!images.labels || count_labels(*images.labels) < least_images || images.are_rows()) return {};
  const auto list = common_normalizations(images.channels());
  const Trial trial(model, some_of(images), list.size());
  const std::size_t n = trial.own().size(), own_hits = count_right(trial.own());
  if (!trial.is_better(n - own_hits, 0)) return {};  // too few errors to show anything
  struct Tried {
    const NamedNormalization* one;
    std::vector<bool> hits;
  };
  std::vector<Tried> tried;
  const Tried* best = nullptr;
  for (const NamedNormalization& one : list)
    if (one.normalization != model.info().normalization)
      if (auto hits = trial.right_under(one.normalization)) tried.push_back({&one, std::move(*hits)});
  for (const Tried& one : tried)
    if (trial.is_better(one.hits) && (best == nullptr || count_right(one.hits) > count_right(best->hits)))
      best = &one;
  if (best == nullptr) return {};
  const auto share = [&](std::size_t hits) { return static_cast<double>(hits) / static_cast<double>(n); };
  OtherNormalization found{*best->one, {}, n, share(count_right(best->hits)), share(own_hits)};
  for (const Tried& one : tried)
    if (&one != best && equal_but_for_chance(best->hits, one.hits)) found.others.push_back(*one.one);
  return found;
}

}  // namespace leeway::nn
