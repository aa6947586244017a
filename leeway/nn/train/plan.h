// The training loop, and the plan of a training run. No LibTorch here.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "leeway/attack/geometry.h"
#include "leeway/nn/train.h"

namespace leeway::nn {

// Steps, validation, early stopping, state. See Session::train for the contract.
[[nodiscard]] TrainResult train_model(const data::TrainingData& data, const TrainOptions& options,
                                      const std::filesystem::path& out, Progress* progress);

// OpenMP threads for LibTorch: threads(), or fewer under OMP_THREAD_LIMIT or OMP_MAX_ACTIVE_LEVELS. Turns
// OMP_DYNAMIC off for this thread. LibTorch must get this number: oneDNN waits for all of them.
[[nodiscard]] int training_threads();

// Options with all defaults, and the plan: trainings that agree in both give the same bits.
[[nodiscard]] Training planned(const data::TrainingData& data, const TrainOptions& options);

// Share of rows held out; 0 if rows are given.
[[nodiscard]] double validation_share(const TrainOptions& options);

// Augmentation chain of the options ("none": none), else of the algorithm.
[[nodiscard]] std::string augmentation_of(const TrainOptions& options, const Requirements& needs);

// For adversarial algorithms. Error unless linf or l2.
[[nodiscard]] attack::Norm norm_of(const TrainOptions& options);

[[nodiscard]] Normalization normalization_of(const TrainOptions& options);

// The names of a model's classes: those of the images, "class 7" where they name fewer; empty: they name none.
[[nodiscard]] std::vector<std::string> trained_class_names(const Images& images, std::size_t classes);

// Error for invalid images, labels or options.
void check_training(const data::TrainingData& data, const TrainOptions& options);

}  // namespace leeway::nn
