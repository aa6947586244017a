// OccamNets: exits after each block, which locate what they see, and gates that say where to leave.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

class OccamExit;

// Exit j stands on the maps (c) of block j: F = ReLU(conv 3x3 (c/4 -> c) of ReLU(BN(conv 3x3 (c -> c/4)))), class activation maps
// CAM = conv 1x1 (F), logits = their means. Its gate sees the mean of F, without gradients by it: linear 16 - BN - ReLU -
// linear 1. Exit 0 trains no block: its input has no gradient. A row leaves at the first exit from 1 on whose gate is at least
// 1/2, or at the last.
class OccamNet : public HeadedNetwork {
 public:
  struct Exit {
    torch::Tensor maps;    // (n,k,h,w), CAM
    torch::Tensor logits;  // (n,k)
    torch::Tensor gate;    // (n), the gate's logit
  };

  explicit OccamNet(const Backbone& on);
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(exits_.size()); }
  [[nodiscard]] std::int64_t classes() const { return classes_; }
  [[nodiscard]] std::vector<Exit> exits(const torch::Tensor& x);
  // Logits of the exit where the row leaves; there are no features.
  Forward forward(const torch::Tensor& x) override;
  void initialize_own(std::uint64_t seed) override;

 private:
  std::int64_t classes_;
  std::vector<std::shared_ptr<OccamExit>> exits_;
};

}  // namespace leeway::nn
