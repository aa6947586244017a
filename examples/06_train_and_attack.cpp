// Trains a linear model on pictures of bars and measures it under attacks of growing radius. Links
// leeway::nn.
#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/nn/session.h"
#include "leeway/nn/train.h"
#include "leeway/tasks/attack/attack.h"

namespace {

// 8x8 pictures, grey .4 to .6 at random; class 0 has a brighter left half, class 1 a brighter right half.
leeway::Images bars(std::size_t n, std::uint64_t seed) {
  constexpr std::size_t side = 8;
  std::vector<float> pixels;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < n; ++i) {
    leeway::Random random(seed, leeway::stream("bars"), i);
    labels.push_back(static_cast<std::int64_t>(i % 2));
    for (std::size_t p = 0; p < side * side; ++p) {
      const bool bright = (p % side < side / 2) == (labels.back() == 0);
      pixels.push_back(static_cast<float>(.4 + .2 * random.uniform() + (bright ? .1 : 0)));
    }
  }
  leeway::Images images;
  images.path = "bars";
  images.pixels = leeway::make_array({n, 1, side, side}, std::move(pixels));
  images.labels = std::move(labels);
  return images;
}

}  // namespace

int main() {
  leeway::nn::Session& session = leeway::nn::session();
  session.set_threads(1);  // training has the same bits for a given thread count
  leeway::nn::TrainOptions options;
  options.architecture = "linear";
  options.epochs = 5;
  options.learning_rate = .01;
  const auto weights = std::filesystem::temp_directory_path() / "leeway-example.safetensors";
  const auto trained = session.train(bars(1000, 1), options, weights);
  std::filesystem::remove(weights);

  const leeway::Images fresh = bars(500, 2);
  const leeway::tasks::ModelUnderAttack model(*trained.model, fresh);
  for (const double eps : {0., .02, .2}) {
    const auto found = leeway::attack::run(model.target(), {.attack = "pgd", .eps = eps});
    fmt::print("l_inf radius {:.2f}: right on {:.0f}% of {}\n", eps, 100 * found.robust_accuracy, fresh.n());
  }
}
