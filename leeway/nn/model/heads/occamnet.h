// OccamNets: an exit with class activation maps after each block, and a gate that decides where to exit.
#pragma once

#include "leeway/nn/model/heads.h"

namespace leeway::nn {

class OccamExit;

// Exit j on the c maps of block j: F = ReLU(conv 3x3 (c/4 -> c) of ReLU(BN(conv 3x3 (c -> c/4)))), CAM = conv
// 1x1 (F), logits = mean of CAM. Gate, on the mean of F without gradient: linear 16 - BN - ReLU - linear 1.
// Exit 0 passes no gradient to its input. A row exits at the first exit j >= 1 with gate >= 1/2, else the
// last.
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
  // Logits of each row's exit; no features.
  Forward forward(const torch::Tensor& x) override;
  void initialize_own(std::uint64_t seed) override;

 private:
  std::int64_t classes_;
  std::vector<std::shared_ptr<OccamExit>> exits_;
};

}  // namespace leeway::nn
