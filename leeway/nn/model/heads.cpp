#include "leeway/nn/model/heads.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "leeway/core/message.h"
#include "leeway/nn/io/weights.h"

namespace leeway::nn {

// Each is defined in heads/, in a file of its kind.
HeadMember bottleneck_head(), l2d_head(), occamnet_head(), ubnet_head(), pnd_head();

std::span<const HeadMember> heads() {
  static const HeadMember list[] = {bottleneck_head(), l2d_head(), occamnet_head(), ubnet_head(), pnd_head()};
  return list;
}

namespace {

// What an Architecture's views look at, beside it.
struct Headed {
  std::string name, summary;
  Architecture architecture;
};

std::unique_ptr<Headed> join(const HeadMember& head, const Architecture& backbone) {
  auto made = std::make_unique<Headed>();
  made->name = fmt::format("{}:{}", head.name, backbone.name);
  made->summary = fmt::format("{} on {}", head.summary, backbone.name);
  made->architecture = backbone;  // its sizes of images
  made->architecture.name = made->name;
  made->architecture.summary = made->summary;
  made->architecture.source = head.source;
  made->architecture.output = head.output;
  made->architecture.make = [&head, &backbone](const InputShape& input, std::int64_t classes) {
    return head.make({fmt::format("{}:{}", head.name, backbone.name), backbone, input, classes});
  };
  return made;
}

}  // namespace

const Architecture& headed(std::string_view name) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<Headed>, std::less<>> made;
  const std::lock_guard lock(mutex);
  const auto found = made.find(name);
  if (found != made.end()) return found->second->architecture;
  const std::size_t colon = name.find(':');
  const std::string what = fmt::format("architecture {}", printable(name));
  const HeadMember& head = find_member(heads(), what + ": head", name.substr(0, colon));
  const Architecture& backbone = find_member(architectures(), what + ": backbone", name.substr(colon + 1));
  return made.emplace(name, join(head, backbone)).first->second->architecture;
}

std::shared_ptr<Network> Backbone::make(std::size_t least_stages) const {
  auto network = architecture.make(input, classes);
  if (network->stages() < least_stages)
    refuse(fmt::format("architecture {}", name),
           fmt::format("a backbone of at least {} stages", least_stages),
           network->stages() == 0 ? fmt::format("{}, which has none", architecture.name)
                                  : fmt::format("{} of {}", network->stages(), architecture.name));
  const std::string unused = last_layer(architecture);
  for (auto& item : network->named_parameters())
    if (item.key().starts_with(unused)) item.value().requires_grad_(false);
  return network;
}

HeadedNetwork::HeadedNetwork(const Backbone& backbone, std::size_t least_stages)
    : backbone_(register_module("backbone", backbone.make(least_stages))),
      unused_(last_layer(backbone.architecture)) {}

void copy_backbone(const ArrayMap& weights, Network& network, const std::string& name) {
  auto* const headed = network.as<HeadedNetwork>();
  if (headed == nullptr ||
      std::ranges::any_of(weights, [](const auto& item) { return item.first.starts_with("backbone."); }))
    return copy_weights(weights, network, name);
  for (Network* const backbone : headed->backbones()) {
    ArrayMap taken;
    for (const auto& [key, array] : weights)
      if (!key.starts_with(headed->unused())) taken[key] = array;
    for (const auto& [key, array] : weights_of(*backbone))
      if (key.starts_with(headed->unused())) taken[key] = array;
    copy_weights(taken, *backbone, name);
  }
}

}  // namespace leeway::nn
