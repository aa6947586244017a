#include "leeway/nn/augment/mix.h"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "leeway/core/parallel.h"
#include "leeway/nn/augment/augmentation.h"

namespace leeway::nn::augment {
namespace {

Mix plan_mixup(std::size_t rows, std::size_t /*height*/, std::size_t /*width*/, const Parameters& parameters,
               Random& random) {
  const double alpha = parameters.at("alpha");
  Mix mix{permutation(rows, random)};
  mix.share = draw_beta(alpha, alpha, random);
  return mix;
}

Mix plan_cutmix(std::size_t rows, std::size_t height, std::size_t width, const Parameters& parameters,
                Random& random) {
  const double alpha = parameters.at("alpha");
  Mix mix{permutation(rows, random)};
  mix.box.emplace();
  if (random.uniform() > parameters.at("probability")) return mix;
  mix.box = draw_box(draw_beta(alpha, alpha, random), height, width, random);
  mix.share = 1 - static_cast<double>(mix.box->area()) / static_cast<double>(height * width);
  return mix;
}

}  // namespace

Box draw_box(double share, std::size_t height, std::size_t width, Random& random) {
  const double part = std::sqrt(1 - share);
  // from `centre` half of the side back, the whole side on
  const auto side = [&](std::size_t length, std::size_t& begin, std::size_t& end) {
    auto taken = static_cast<std::size_t>(part * static_cast<double>(length));
    const std::size_t centre = random.below(length), before = std::min(centre, taken / 2);
    begin = centre - before;
    end = std::min(length, centre + taken - taken / 2);
  };
  Box box;
  side(width, box.left, box.right);
  side(height, box.top, box.bottom);
  return box;
}

void apply(const Mix& mix, std::span<float> images, const std::array<std::size_t, 3>& shape) {
  if (mix.share == 1) return;
  const std::size_t channels = shape[0], width = shape[2], area = shape[1] * width, size = channels * area;
  const std::vector<float> before(images.begin(), images.end());
  const auto own = static_cast<float>(mix.share), other = static_cast<float>(1 - mix.share);
  parallel_for(mix.partner.size(), [&](std::size_t i) {
    if (mix.partner[i] == i) return;
    const std::span<float> image = images.subspan(i * size, size);
    const std::span<const float> from = std::span(before).subspan(mix.partner[i] * size, size);
    if (!mix.box) {
      for (std::size_t j = 0; j < size; ++j) image[j] = own * image[j] + other * from[j];
      return;
    }
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t y = mix.box->top; y < mix.box->bottom; ++y)
        for (std::size_t x = mix.box->left; x < mix.box->right; ++x)
          image[c * area + y * width + x] = from[c * area + y * width + x];
  });
}

Augmentation mixup() {
  return {{"mixup",
           "weighted sums of each image with another image of the batch, and of their labels",
           "Zhang et al., ICLR 2018",
           {{"alpha", 1, .01, 100, "mixing share follows Beta(alpha, alpha), drawn once per batch"}}},
          nullptr,
          plan_mixup};
}

Augmentation cutmix() {
  return {{"cutmix",
           "replace a box in each image with the same box from another image; labels mixed by area",
           "Yun et al., ICCV 2019",
           {{"alpha", 1, .01, 100, "1 minus the box area follows Beta(alpha, alpha), drawn once per batch"},
            {"probability", 1, 0, 1, "probability that a batch is mixed"}}},
          nullptr,
          plan_cutmix};
}

double draw_beta(double a, double b, Random& random) {
  return boost::math::ibeta_inv(a, b, random.uniform());
}

// Each in turn takes its share of what the others before it left.
std::vector<double> draw_dirichlet(double alpha, std::size_t k, Random& random) {
  std::vector<double> shares(k);
  double left = 1;
  for (std::size_t i = 0; i + 1 < k; ++i) {
    shares[i] = left * draw_beta(alpha, alpha * static_cast<double>(k - 1 - i), random);
    left -= shares[i];
  }
  shares.back() = left;
  return shares;
}

}  // namespace leeway::nn::augment
