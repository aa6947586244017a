// Batch normalization with the statistics of other images (AdaBN: Li et al., Pattern Recognition 2018; ICLR workshops 2017). Weights,
// scales and shifts stay as they are.
//
// The mean and the variance of each layer's input are taken over all images, m = sum x / N and v = sum (x - m)^2 / N. Layers get
// them in the order in which the network runs them, and earlier layers already have theirs; every pass is in evaluation mode.
// The order of the images and the size of batches matter for rounding only. The bits are the same for any number of threads.
// Cost: one pass over the images for each layer.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/io/images.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// Changes the network's statistics, on `device`, and leaves it in evaluation mode. Error (named `name`): a network without batch
// normalization; fewer than 2 images.
[[nodiscard]] std::vector<AdaptedLayer> adapt_batchnorm(const std::shared_ptr<Network>& network,
                                                        const Normalization& normalization,
                                                        const Images& images, const std::string& name,
                                                        torch::Device device, Progress* progress);

}  // namespace leeway::nn
