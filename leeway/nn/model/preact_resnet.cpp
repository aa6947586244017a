#include "leeway/nn/model/layers.h"

namespace leeway::nn {

// Four stages of two blocks with 64 to 512 maps. Shortcuts convolve x, not its activation, and no normalization
// follows the last stage (RobustBench, Wong et al., ICLR 2020).
Architecture preact_resnet18() {
  return preactivation_network(
      {.stages = 4, .blocks = 2, .first_maps = 64, .maps = 64},
      {"preact-resnet18",
       "residual network of 18 layers that normalizes before each convolution, for small images",
       "He et al., ECCV 2016; names of RobustBench"},
      "linear.bias", 8);
}

}  // namespace leeway::nn
