#include "leeway/nn/train/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "leeway/core/message.h"
#include "leeway/nn/shards.h"
#include "leeway/nn/tensors.h"
#include "leeway/shift/shift.h"

namespace leeway::nn {

void check_selection(const TrainOptions& options) {
  const Selection& selection = options.selection;
  if (!selection.given() && !options.worst_group) return;
  if (options.validation <= 0 && options.validation_rows.empty())
    refuse("train: selection", "validation images to choose the epoch by", "a validation share of 0");
  if (!selection.given()) return;
  if (options.worst_group) refuse("train: selection", "a score or the worst group", "both");
  if (!selection.score) refuse("train: selection", "a function that scores an epoch", "none");
  if (shift::member(selection.shift).selects_rows)
    refuse("train: selection", "a shift that changes pixels",
           fmt::format("{}, which selects rows", selection.shift));
}

double selection_strength(const Selection& selection) {
  return selection.strength.value_or(shift::member(selection.shift).strength().value);
}

ShiftedValidation::ShiftedValidation(const Selection& selection, const Images& images,
                                     std::span<const std::int64_t> rows, std::uint64_t seed,
                                     torch::Device device)
    : selection_(selection), device_(device) {
  const std::vector<std::size_t> chosen(rows.begin(), rows.end());
  clean_ = select_rows(images, chosen);
  shift::Options how;
  how.strength = selection_strength(selection);
  how.seed = seed;
  shifted_ = shift::member(selection.shift).apply(clean_, how, nullptr).images;
}

torch::Tensor ShiftedValidation::logits(const Images& images, const ForwardFunction& forward) const {
  const std::size_t rows = shard_of(images.n());
  std::vector<torch::Tensor> parts((images.n() + rows - 1) / rows);
  for_shards(images.n(), rows, "validation", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::NoGradGuard no_grad;
    parts[begin / rows] = forward(pixels(images, begin, end).to(device_)).logits;
  });
  return torch::cat(parts);
}

void ShiftedValidation::score(Epoch& epoch, const ForwardFunction& forward) const {
  const torch::Tensor after = logits(shifted_, forward);
  Outputs clean, shifted;
  clean.logits = to_array(logits(clean_, forward));
  shifted.logits = to_array(after);
  clean.labels = shifted.labels = clean_.labels;
  clean.path = fmt::format("validation images after epoch {}", epoch.number);
  shifted.path = clean.path + ", shifted";
  epoch.selection_score = selection_.score(clean, shifted);
  if (std::isnan(*epoch.selection_score))
    throw std::runtime_error(fmt::format("train: the score {} of epoch {}: expected a number, found NaN",
                                         selection_.name, epoch.number));
  const torch::Tensor truth = to_tensor(*clean_.labels, 0, clean_.n()).to(device_);
  const double right = (after.argmax(1) == truth).sum().item<double>();
  epoch.validation_shifted_accuracy = right / static_cast<double>(clean_.n());
}

std::optional<double> accuracy_score(const Epoch& epoch) {
  return epoch.validation_robust_accuracy ? epoch.validation_robust_accuracy : epoch.validation_accuracy;
}

void compare_choices(TrainResult& result) {
  const auto best = [&](const auto& value) -> std::size_t {
    const Epoch* found = nullptr;
    for (const Epoch& epoch : result.epochs)
      if (value(epoch) && (!found || *value(epoch) > *value(*found))) found = &epoch;
    return found ? found->number : 0;
  };
  result.best_by_accuracy = best(accuracy_score);
  result.best_by_worst_group = best([](const Epoch& epoch) { return epoch.validation_worst_group_accuracy; });
  result.best_by_score = best([](const Epoch& epoch) { return epoch.selection_score; });
}

std::filesystem::path epoch_path(const std::filesystem::path& folder, std::size_t number) {
  return folder / fmt::format("epoch-{:03}.safetensors", number);
}

bool epochs_kept(const TrainOptions& options, std::size_t epochs) {
  if (options.keep_epochs.empty()) return true;
  for (std::size_t number = 1; number <= epochs; ++number)
    if (!std::filesystem::exists(epoch_path(options.keep_epochs, number))) return false;
  return true;
}

}  // namespace leeway::nn
