// Choosing the epoch: by validation accuracy, or by a score that the program brings (Selection in train.h) of the
// network's outputs on the validation images and on their shifted version. Also the files of kept epochs.
#pragma once

#include <torch/torch.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/train.h"

namespace leeway::nn {

// What TrainingOptions::select may be besides "accuracy" and a score's name.
inline constexpr const char *worst_group = "worst-group", *last_epoch = "last";

// Error for a selection without a score, without validation images, or with a shift that is unknown or selects rows.
void check_selection(const TrainOptions& options);
[[nodiscard]] double selection_strength(const Selection& selection);  // given, or the shift's default

class ShiftedValidation {
 public:
  // Shifts the images of `rows`, or with `crop` their middles; the noise of a random shift depends on `seed` alone, so every epoch
  // sees the same.
  ShiftedValidation(const Selection& selection, const Images& images, std::span<const std::int64_t> rows,
                    std::uint64_t seed, torch::Device device = torch::kCPU, std::size_t crop = 0);
  // Sets selection_score and validation_shifted_accuracy. std::runtime_error where the score is NaN.
  void score(Epoch& epoch, const ForwardFunction& forward) const;

 private:
  const Selection& selection_;
  Images clean_, shifted_;
  torch::Device device_;  // where the network runs
};

// Sets test_accuracy.
void test(Epoch& epoch, const Images& images, const ForwardFunction& forward, torch::Device device);

// The share of hits (1, not 0) with its interval.
void put_share(std::span<const std::uint8_t> hits, std::optional<double>& value,
               std::optional<Interval>& interval);
// The hits of the group that has the lowest share of them, the first of equal ones.
[[nodiscard]] std::vector<std::uint8_t> worst_of(std::span<const std::uint8_t> hits,
                                                 std::span<const std::int32_t> groups);

// Validation accuracy, under the algorithm's own attack where it has one.
[[nodiscard]] std::optional<double> accuracy_score(const Epoch& epoch);

// Fills in what each criterion chooses from the epochs.
void compare_choices(Training& training);

[[nodiscard]] std::filesystem::path epoch_path(const std::filesystem::path& folder, std::size_t number);
// True where no epochs are to be kept, too.
[[nodiscard]] bool epochs_kept(const TrainOptions& options, std::size_t epochs);

}  // namespace leeway::nn
