#include "leeway/nn/train/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <stdexcept>

#include "leeway/core/message.h"
#include "leeway/core/statistics.h"
#include "leeway/io/safetensors.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/train/plan.h"
#include "leeway/shift/shift.h"

namespace leeway::nn {
namespace {

double mean_of(std::span<const std::uint8_t> hits) {
  return std::accumulate(hits.begin(), hits.end(), 0.) / static_cast<double>(hits.size());
}

torch::Tensor logits_of(const Images& images, const ForwardFunction& forward, torch::Device device) {
  RowBuffer logits(images.n());
  for_shards(images.n(), "validation", nullptr, [&](std::size_t begin, std::size_t end) {
    const torch::NoGradGuard no_grad;
    logits.put(begin, forward(pixels(images, begin, end).to(device)).logits);
  });
  return logits.all();
}

// The share of images whose logits are largest at their label, with its interval.
void put_accuracy(const torch::Tensor& logits, const Images& images, std::optional<double>& value,
                  std::optional<Interval>& interval) {
  const torch::Tensor truth = to_tensor(*images.labels, 0, images.n());
  const torch::Tensor hits = (logits.argmax(1) == truth).to(torch::kUInt8);
  put_share({hits.data_ptr<std::uint8_t>(), images.n()}, value, interval);
}

}  // namespace

void put_share(std::span<const std::uint8_t> hits, std::optional<double>& value,
               std::optional<Interval>& interval) {
  value = mean_of(hits);
  interval = clopper_pearson(static_cast<std::size_t>(std::ranges::count(hits, 1)), hits.size());
}

std::vector<std::uint8_t> worst_of(std::span<const std::uint8_t> hits, std::span<const std::int32_t> groups) {
  std::map<std::int32_t, std::vector<std::uint8_t>> by_group;
  for (std::size_t i = 0; i < hits.size(); ++i) by_group[groups[i]].push_back(hits[i]);
  return std::ranges::min_element(by_group, {}, [](const auto& one) { return mean_of(one.second); })->second;
}

void check_selection(const data::TrainingData& data, const TrainOptions& options) {
  const Selection& selection = options.selection;
  if ((options.select == "accuracy" || options.select == last_epoch) && !selection.given()) return;
  if (validation_share(options) <= 0 && options.validation_rows.empty())
    refuse("train: selection", "validation images to select the epoch", "a validation share of 0");
  if (options.select == worst_group && !selection.given()) return;
  if (!selection.given())
    refuse("train: selection", "a function that scores an epoch by " + in_quotes(options.select), "none");
  if (!data.shifted) {
    if (shift::member(selection.shift).by_strength == nullptr)
      refuse("train: selection", "a shift of pixels with an adjustable strength", selection.shift);
    return;
  }
  const auto sizes = [](const Images& images) {
    return fmt::format("{} channels of {} x {}", images.channels(), images.height(), images.width());
  };
  if (sizes(*data.shifted) != sizes(data.images))
    refuse(display_name(data.shifted->path), sizes(data.images), sizes(*data.shifted));
}

double selection_strength(const Selection& selection) {
  return selection.strength.value_or(shift::member(selection.shift).strength().value);
}

ShiftedValidation::ShiftedValidation(const Selection& selection, const data::TrainingData& data,
                                     std::span<const std::int64_t> rows, std::uint64_t seed,
                                     torch::Device device, std::size_t crop)
    : selection_(selection), device_(device) {
  const std::vector<std::size_t> chosen(rows.begin(), rows.end());
  clean_ = select_rows(data.images, chosen);
  if (crop > 0) clean_ = middle_of(clean_, crop);
  if (data.shifted) {
    if (data.shifted->n() != rows.size())
      refuse(display_name(data.shifted->path),
             fmt::format("{} images, one for each validation row", rows.size()), data.shifted->n());
    shifted_ = crop > 0 ? middle_of(*data.shifted, crop) : *data.shifted;
    if (!shifted_.labels) shifted_.labels = clean_.labels;
    return;
  }
  shift::Options how;
  how.strength = selection_strength(selection);
  how.seed = seed;
  shifted_ = shift::member(selection.shift).apply(clean_, how, nullptr).images;
}

void ShiftedValidation::score(Epoch& epoch, const ForwardFunction& forward) const {
  const torch::Tensor after = logits_of(shifted_, forward, device_);
  Outputs clean, shifted;
  clean.logits = to_array(logits_of(clean_, forward, device_));
  shifted.logits = to_array(after);
  clean.labels = clean_.labels, shifted.labels = shifted_.labels;
  clean.path = fmt::format("validation images after epoch {}", epoch.number);
  shifted.path = clean.path + ", shifted";
  epoch.selection_score = selection_.score(clean, shifted);
  if (std::isnan(*epoch.selection_score))
    throw std::runtime_error(
        fmt::format("train: the score of epoch {}: expected a number, found NaN", epoch.number));
  put_accuracy(after, shifted_, epoch.validation_shifted_accuracy,
               epoch.validation_shifted_accuracy_interval);
}

void test(Epoch& epoch, const Images& images, const ForwardFunction& forward, torch::Device device) {
  put_accuracy(logits_of(images, forward, device), images, epoch.test_accuracy, epoch.test_accuracy_interval);
}

std::optional<double> accuracy_score(const Epoch& epoch) {
  return epoch.validation_robust_accuracy ? epoch.validation_robust_accuracy : epoch.validation_accuracy;
}

void compare_choices(Training& training) {
  const auto best = [&](const auto& value) {
    std::optional<std::size_t> number;
    std::optional<double> highest;
    for (const Epoch& epoch : training.epochs)
      if (const std::optional<double> found = value(epoch); found && (!highest || *found > *highest))
        highest = found, number = epoch.number;
    return number;
  };
  training.best_by_accuracy = best(accuracy_score);
  training.best_by_worst_group =
      best([](const Epoch& epoch) { return epoch.validation_worst_group_accuracy; });
  training.best_by_score = best([](const Epoch& epoch) { return epoch.selection_score; });
  training.best_by_test = best([](const Epoch& epoch) { return epoch.test_accuracy; });
}

std::filesystem::path epoch_path(const std::filesystem::path& folder, std::size_t number) {
  return folder / fmt::format("epoch-{:03}.safetensors", number);
}

bool epochs_kept(const TrainOptions& options, std::size_t epochs) {
  if (options.keep_epochs.empty()) return true;
  for (std::size_t number = 1; number <= epochs; ++number)
    if (!read_state(epoch_path(options.keep_epochs, number))) return false;
  return true;
}

}  // namespace leeway::nn
