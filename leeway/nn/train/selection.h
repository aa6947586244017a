// Selects the epoch, by validation accuracy or by a Selection's score (train.h), and keeps epoch files.
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

// Values of TrainingOptions::select other than "accuracy" and the score's name.
inline constexpr const char *worst_group = "worst-group", *last_epoch = "last";

// Error: no score, no validation images, or neither a shift of pixels nor a second sample of their size.
void check_selection(const data::TrainingData& data, const TrainOptions& options);
[[nodiscard]] double selection_strength(const Selection& selection);  // given, or the shift's default

class ShiftedValidation {
 public:
  // Takes the second sample, or shifts `rows`, or their central crops; noise depends on `seed` alone, so
  // epochs are comparable. Error where the sample has another number of rows.
  ShiftedValidation(const Selection& selection, const data::TrainingData& data,
                    std::span<const std::int64_t> rows, std::uint64_t seed,
                    torch::Device device = torch::kCPU, std::size_t crop = 0);
  // Sets selection_score and validation_shifted_accuracy. std::runtime_error where the score is NaN.
  void score(Epoch& epoch, const ForwardFunction& forward) const;

 private:
  const Selection& selection_;
  Images clean_, shifted_;
  torch::Device device_;  // where the network runs
};

// Sets test_accuracy.
void test(Epoch& epoch, const Images& images, const ForwardFunction& forward, torch::Device device);

// Share of hits (1) with its interval.
void put_share(std::span<const std::uint8_t> hits, std::optional<double>& value,
               std::optional<Interval>& interval);
// Hits of the group with the lowest share, the first of equal ones.
[[nodiscard]] std::vector<std::uint8_t> worst_of(std::span<const std::uint8_t> hits,
                                                 std::span<const std::int32_t> groups);

// Validation accuracy, under the algorithm's attack if any.
[[nodiscard]] std::optional<double> accuracy_score(const Epoch& epoch);

// Fills in the choice of each criterion.
void compare_choices(Training& training);

[[nodiscard]] std::filesystem::path epoch_path(const std::filesystem::path& folder, std::size_t number);
// Also true if no epochs are kept.
[[nodiscard]] bool epochs_kept(const TrainOptions& options, std::size_t epochs);

}  // namespace leeway::nn
