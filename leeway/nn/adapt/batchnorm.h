// Batch normalization with the statistics of other images (AdaBN: Li et al., Pattern Recognition 2018; ICLR workshops 2017). Weights,
// scales and shifts stay as they are. The same bits for any number of threads.
//
// pooled: mean and variance of each layer's input over all images, m = sum x / N and v = sum (x - m)^2 / N, layer after layer in
// the order in which the network runs them: those before already have theirs, all in evaluation mode. So neither the order of the
// images nor how they are cut into batches matters but for rounding. One pass over the images a layer.
//
// ema: as a training does it: one pass over batches of shuffled images, layers normalize by the batch's own statistics, and the
// running ones move by the momentum, r <- (1 - momentum) r + momentum (that of the batch; variance / (N - 1)). After T batches the source
// keeps the weight (1 - momentum)^T. A last batch of one image joins the one before. On one thread.
#pragma once

#include <string>
#include <vector>

#include "leeway/core/images.h"
#include "leeway/core/progress.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/model.h"

namespace leeway::nn {

// Changes the network's statistics, on `device`, and leaves it in evaluation mode. Error (named `name`): a network without batch
// normalization; fewer than 2 images; other statistics than these two; options out of range.
[[nodiscard]] std::vector<AdaptedLayer> adapt_batchnorm(const std::shared_ptr<Network>& network,
                                                        const Normalization& normalization,
                                                        const Images& images, const AdaptOptions& options,
                                                        const std::string& name, torch::Device device,
                                                        Progress* progress);

}  // namespace leeway::nn
