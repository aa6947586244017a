// Plans a training before it begins. No LibTorch here.
#pragma once

#include <string>

#include "leeway/nn/train.h"

namespace leeway::nn {

// Options with all defaults, and the plan: trainings that agree in both give the same bits.
[[nodiscard]] Training planned(const data::TrainingData& data, const TrainOptions& options, int threads,
                               const std::string& torch_version);

// Share of rows held out; 0 if rows are given.
[[nodiscard]] double validation_share(const TrainOptions& options);

// Augmentation chain of the options ("none": none), else of the algorithm.
[[nodiscard]] std::string augmentation_of(const TrainOptions& options, const Requirements& needs);

// For adversarial algorithms. Error unless linf or l2.
[[nodiscard]] Norm norm_of(const TrainOptions& options);

[[nodiscard]] Normalization normalization_of(const TrainOptions& options);

// Error for invalid images, labels or options.
void check_training(const data::TrainingData& data, const TrainOptions& options);

}  // namespace leeway::nn
