// Heads: what stands on a backbone in place of its last layer, a family. heads.cpp holds the visible list, heads/ one file for
// each. "HEAD:BACKBONE" names an architecture as any other does: architecture("occamnet:resnet18").
//
// The backbone is one of architectures(), whole, under "backbone."; a second one, where a head has two, under a name of its own.
// Nothing reads the backbone's last layer, and nothing trains it.
#pragma once

#include <cstdint>
#include <string>

#include "leeway/core/array.h"
#include "leeway/nn/model/architecture.h"

namespace leeway::nn {

// What a head is built on.
struct Backbone {
  std::string name;  // "occamnet:resnet18", for messages
  const Architecture& architecture;
  InputShape input;
  std::int64_t classes = 0;

  // A new one, its last layer without gradients. Error where it has fewer stages; 0: none are needed.
  [[nodiscard]] std::shared_ptr<Network> make(std::size_t least_stages) const;
};

class HeadedNetwork : public Network {
 public:
  HeadedNetwork(const Backbone& backbone, std::size_t least_stages);
  [[nodiscard]] torch::Tensor prepare(const torch::Tensor& images) override {
    return backbone_->prepare(images);
  }
  [[nodiscard]] Network& backbone() { return *backbone_; }
  // The backbones there are, which begin alike where weights are given.
  [[nodiscard]] virtual std::vector<Network*> backbones() { return {backbone_.get()}; }
  // How the names of a backbone's last layer begin: "fc.".
  [[nodiscard]] const std::string& unused() const { return unused_; }

 private:
  std::shared_ptr<Network> backbone_;
  std::string unused_;
};

struct HeadMember : Member {
  std::string_view output = {};  // as Architecture::output
  std::shared_ptr<Network> (*make)(const Backbone& backbone) = nullptr;
};

// make() of a head whose constructor takes the backbone.
template <class Head>
std::shared_ptr<Network> make_head(const Backbone& backbone) {
  return std::make_shared<Head>(backbone);
}

[[nodiscard]] std::span<const HeadMember> heads();

// The architecture "HEAD:BACKBONE"; made when it is first asked for, and kept. Error for a name of neither family.
[[nodiscard]] const Architecture& headed(std::string_view name);

// Weights of a plain backbone into every backbone of `network`, but for its last layer, which may have another number of
// classes. Weights of the network itself, and networks without a head: as copy_weights.
void copy_backbone(const ArrayMap& weights, Network& network, const std::string& name);

}  // namespace leeway::nn
