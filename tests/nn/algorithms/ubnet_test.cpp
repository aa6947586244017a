#include "leeway/nn/model/heads/ubnet.h"

#include <gtest/gtest.h>

#include "tests/nn/by_hand.h"

namespace leeway::nn::ubnet_test {

class UbNetStep : public ::testing::Test {
 protected:
  void make(const std::map<std::string, double>& given, double rate) {
    const InputShape shape{1, 8, 8};
    setting_.network = make_network(architecture("ubnet:resnet20-cifar"), shape, 3);
    initialize(*setting_.network, 3);
    setting_.base = make_network(architecture("resnet20-cifar"), shape, 3);
    initialize(*setting_.base, 9);
    setting_.parameters = complete_parameters(algorithm("ubnet"), given);
    setting_.optimizer.learning_rate = rate;
    member_ = algorithm("ubnet").make(setting_);
    member_->set_training(true);
  }
  Step update() {
    const Images images = toy::squares(12, 3);
    Batch batch;
    batch.x = pixels(images, 0, 12);
    batch.y = to_tensor(*images.labels, 0, 12);
    return member_->update({batch});
  }
  AlgorithmSetting setting_;
  std::unique_ptr<Algorithm> member_;
};

TEST_F(UbNetStep, LeavesTheBaseAsItWas) {
  make({}, .1);
  const ArrayMap base = weights_of(*setting_.base);
  for (int i = 0; i < 3; ++i) (void)update();
  const ArrayMap after = weights_of(*setting_.network);
  for (const auto& [name, array] : base)
    EXPECT_TRUE(toy::same_bits(array, after.at("backbone." + name))) << name;
  EXPECT_EQ(member_->state().count("first.20"), 0U);  // 19 tensors of the head alone
}

TEST(UbNet, StandsOnWhatPlainTrainingMade) {
  const toy::Folder folder;
  const Images images = toy::squares(100, 4);
  TrainOptions options = quick("ubnet"), plain = quick();
  options.epochs = 1;
  plain.epochs = 2;
  options.parameters = {{"base-epochs", 2}};
  const TrainResult result = session().train(images, options, folder / "m");
  (void)session().train(images, plain, folder / "plain");
  EXPECT_EQ(result.model->info().architecture, "ubnet:small-cnn");
  const ArrayMap found = read_safetensors(folder / "m").tensors;
  for (const auto& [name, array] : read_safetensors(folder / "plain").tensors)
    EXPECT_TRUE(toy::same_bits(array, found.at("backbone." + name))) << name;
}

}  // namespace leeway::nn::ubnet_test
