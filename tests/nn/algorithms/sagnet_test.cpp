#include <gtest/gtest.h>

#include <cmath>

#include "leeway/nn/train/parts.h"
#include "tests/nn/by_hand.h"

namespace leeway::nn::sagnet_test {

// Mean and standard deviation 0 and 1, 10 and 3; each row gets half of the other row's style.
std::vector<torch::Tensor> sagnet_gradients(const std::map<std::string, double>& given) {
  AlgorithmSetting setting;
  const InputShape shape{1, 8, 8};
  setting.another = [=] { return make_network(architecture("resnet20-cifar"), shape, 4); };
  setting.network = setting.another();
  initialize(*setting.network, 3);
  setting.parameters = complete_parameters(algorithm("sagnet"), given);
  const auto member = algorithm("sagnet").make(setting);
  member->set_training(true);
  const Images images = toy::squares(16, 4);
  Batch batch;
  batch.x = pixels(images, 0, 16);
  batch.y = to_tensor(*images.labels, 0, 16);
  (void)member->update({batch});
  const Tensors state = member->state();
  std::vector<torch::Tensor> found;
  for (std::size_t i = 0; i < setting.network->parameters().size(); ++i)
    found.push_back(state.at("first." + std::to_string(i)) / .1);
  return found;
}

TEST(SagNet, TheAdversarysGradientIsClipped) {
  const auto without = sagnet_gradients({{"stage", 2}, {"weight", 0}});
  const auto added = [&](double clip) {  // the norm
    const auto with = sagnet_gradients({{"stage", 2}, {"weight", 1000}, {"clip", clip}});
    double square = 0;
    for (std::size_t i = 0; i < with.size(); ++i)
      square += (with[i] - without[i]).square().sum().item<double>();
    return std::sqrt(square);
  };
  EXPECT_NEAR(added(.1), .1, 1e-4);
  EXPECT_GT(added(0), .2) << "0: not clipped";
}

TEST(SagNet, SaysWhatIsMissing) {
  const toy::Folder folder;
  const auto message = [&](const std::string& architecture, const std::map<std::string, double>& given,
                           const std::string& freeze = "none") {
    TrainOptions options = quick("sagnet");
    options.freeze = freeze;
    options.architecture = architecture;
    options.parameters = given;
    return message_of([&] { (void)session().train(toy::squares(50, 4), options, folder / "m"); });
  };
  EXPECT_EQ(message("mlp", {}),
            "algorithm sagnet: expected a backbone with stages up to 3 (stage), found none");
  EXPECT_EQ(message("resnet20-cifar", {{"stage", 4}}),
            "algorithm sagnet: expected a backbone with stages up to 4 (stage), found up to 3");
  EXPECT_EQ(message("small-cnn", {{"stage", 1}}),
            "algorithm sagnet: expected a backbone with batch normalization before stage 1 (or weight 0), "
            "found none");
  EXPECT_EQ(message("resnet20-cifar", {}, "backbone"),
            "algorithm sagnet: expected a backbone that is trained, because the adversary changes it (or "
            "weight 0), found a frozen one");
}

}  // namespace leeway::nn::sagnet_test
