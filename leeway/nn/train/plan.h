// What a training is to be, before it begins. No LibTorch here.
#pragma once

#include <string>

#include "leeway/nn/train.h"

namespace leeway::nn {

// Its options with every default filled in, and its plan: two trainings that agree in both end in the same bits.
[[nodiscard]] Training planned(const data::TrainingData& data, const TrainOptions& options, int threads,
                               const std::string& torch_version);

// Share of rows held out; 0 where rows are named.
[[nodiscard]] double validation_share(const TrainOptions& options);

// The chain of augmentations: that of the options ("none": none), or else the algorithm's own.
[[nodiscard]] std::string augmentation_of(const TrainOptions& options, const Requirements& needs);

// Of an adversarial algorithm. Error for another name than linf and l2.
[[nodiscard]] Norm norm_of(const TrainOptions& options);

[[nodiscard]] Normalization normalization_of(const TrainOptions& options);

// Error for images, labels or options that no training can have.
void check_training(const data::TrainingData& data, const TrainOptions& options);

}  // namespace leeway::nn
