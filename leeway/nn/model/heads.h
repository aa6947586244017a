// Heads replace the last layer of a backbone. heads.cpp lists them, heads/ has one file each. The
// architecture is called "HEAD:BACKBONE", e.g. "occamnet:resnet18". The backbone's weights are under
// "backbone."; its last layer is neither read nor trained.
#pragma once

#include <cstdint>
#include <string>

#include "leeway/core/array.h"
#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

struct Backbone {
  std::string name;  // "occamnet:resnet18", for messages
  const Architecture& architecture;
  InputShape input;
  std::int64_t classes = 0;

  // A new backbone with a frozen last layer. Error if it has fewer stages.
  [[nodiscard]] std::shared_ptr<Network> make(std::size_t least_stages) const;
};

class HeadedNetwork : public Network {
 public:
  HeadedNetwork(const Backbone& backbone, std::size_t least_stages);
  [[nodiscard]] torch::Tensor prepare(const torch::Tensor& images) override {
    return backbone_->prepare(images);
  }
  [[nodiscard]] Network& backbone() { return *backbone_; }
  // All backbones; given weights initialize each of them.
  [[nodiscard]] virtual std::vector<Network*> backbones() { return {backbone_.get()}; }
  // Prefix of the names of a backbone's last layer, e.g. "fc.".
  [[nodiscard]] const std::string& unused() const { return unused_; }

 private:
  std::shared_ptr<Network> backbone_;
  std::string unused_;
};

struct HeadMember : Member {
  std::string_view output = {};  // as Architecture::output
  std::shared_ptr<Network> (*make)(const Backbone& backbone) = nullptr;
};

template <class Head>
std::shared_ptr<Network> make_head(const Backbone& backbone) {
  return std::make_shared<Head>(backbone);
}

[[nodiscard]] std::span<const HeadMember> heads();

// The architecture "HEAD:BACKBONE", cached. Error for an unknown name.
[[nodiscard]] const Architecture& headed(std::string_view name);

// Copies weights of a plain backbone into every backbone of `network`, except the last layer. Weights of the
// network itself, and networks without a head: as copy_weights.
void copy_backbone(const ArrayMap& weights, Network& network, const std::string& name);

}  // namespace leeway::nn
