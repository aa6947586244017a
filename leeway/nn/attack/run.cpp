#include "leeway/nn/attack/run.h"

#include <algorithm>
#include <atomic>
#include <limits>

#include "leeway/nn/row_buffer.h"
#include "leeway/nn/shards.h"
#include "leeway/nn/tensors.h"

namespace leeway::nn {
namespace {

std::vector<std::int64_t> predictions(const Array& logits) {
  const auto values = logits.view<float>();
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  std::vector<std::int64_t> classes(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = values.subspan(i * k, k);
    classes[i] = std::max_element(row.begin(), row.end()) - row.begin();
  }
  return classes;
}

double share_of(std::size_t count, std::size_t n) {
  return static_cast<double>(count) / static_cast<double>(n);
}

// One attack on all rows, judged by a fresh pass over what it made.
struct Pass {
  Images images;
  Outputs outputs;
  std::vector<std::uint8_t> success;
  std::size_t zero_gradients = 0;

  [[nodiscard]] double robust_accuracy() const {
    return share_of(static_cast<std::size_t>(std::ranges::count(success, std::uint8_t{0})), success.size());
  }
};

void judge(Pass& pass, const AttackedModel& model, const std::vector<std::int64_t>& targets,
           Progress* progress) {
  pass.outputs = model.outputs(pass.images, "check", progress);
  const std::vector<std::int64_t> predicted = predictions(pass.outputs.logits);
  pass.success.resize(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) pass.success[i] = predicted[i] != targets[i];
}

Pass run_pass(const AttackedModel& model, const Images& images, const std::vector<std::int64_t>& targets,
              const AttackOptions& options, Progress* progress) {
  const AttackMember& member = attack(options.attack);
  const std::size_t n = images.n();
  RowBuffer attacked(n);
  std::atomic<std::size_t> zero_gradients{0};
  for_shards(n, options.attack, progress, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint64_t> keys;
    for (std::size_t row = begin; row < end; ++row) keys.push_back(row);
    const Attacked found = member.run(
        {model.forward, pixels(images, begin, end), to_tensor(targets, begin, end), keys}, options);
    attacked.put(begin, found.images);
    zero_gradients += found.zero_gradients();
  });
  Pass pass{{images.path, attacked.take(), images.labels}, {}, {}, zero_gradients};
  judge(pass, model, targets, progress);
  return pass;
}

// Rows that only the noise moved to another class take its image.
void take_worse(Pass& pass, const Pass& noise) {
  const std::size_t width = pass.images.pixels_per_image(), n = pass.success.size();
  const auto own = pass.images.pixels.view<float>(), other = noise.images.pixels.view<float>();
  std::vector<float> pixels(own.begin(), own.end());
  for (std::size_t i = 0; i < n; ++i)
    if (pass.success[i] == 0 && noise.success[i] != 0)
      std::ranges::copy(other.subspan(i * width, width),
                        pixels.begin() + static_cast<std::ptrdiff_t>(i * width));
  pass.images.pixels = make_array(pass.images.pixels.shape, std::move(pixels));
}

}  // namespace

AttackResult run_attack(const AttackedModel& model, const Images& images, const AttackOptions& options,
                        Progress* progress) {
  const std::size_t n = images.n();
  AttackResult result;
  const std::vector<std::int64_t> clean =
      predictions(model.outputs(images, "clean outputs", progress).logits);
  result.labelled = images.labels.has_value();
  result.targets = result.labelled ? *images.labels : clean;
  Pass pass = run_pass(model, images, result.targets, options, progress);
  if (attack(options.attack).gradients) result.zero_gradient = share_of(pass.zero_gradients, n);
  if (result.zero_gradient.value_or(0) > most_zero_gradients) {
    AttackOptions blind = options;
    blind.attack = "noise";
    const Pass noise = run_pass(model, images, result.targets, blind, progress);
    result.beside_noise = {pass.robust_accuracy(), noise.robust_accuracy()};
    take_worse(pass, noise);
    judge(pass, model, result.targets, progress);
  }
  result.images = std::move(pass.images), result.outputs = std::move(pass.outputs);
  result.robust_accuracy = pass.robust_accuracy();
  result.success = std::move(pass.success);
  std::size_t right = 0;
  for (std::size_t i = 0; i < n; ++i) right += clean[i] == result.targets[i];
  result.clean_accuracy = share_of(right, n);
  result.norms.assign(n, std::numeric_limits<double>::infinity());
  for_shards(n, "norms", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::Tensor moved =
        distances(pixels(result.images, begin, end), pixels(images, begin, end), options.norm);
    for (std::size_t i = begin; i < end; ++i)
      if (result.success[i]) result.norms[i] = moved.data_ptr<double>()[i - begin];
  });
  return result;
}

}  // namespace leeway::nn
