// Weights and batches that make up for unequal groups.
#include <gtest/gtest.h>

#include "leeway/nn/train/training_set.h"
#include "tests/nn/by_hand.h"
#include "tests/nn/reference_step.h"

namespace leeway::nn {
namespace {

TEST(Reweight, OneStepOfAnotherProgram) {
  for (const char* const name : {"reweight", "reweight_by_class"}) {
    SCOPED_TRACE(name);
    const toy::ReferenceStep step(name);
    data::TrainingData data(toy::images(14, {1, 4, 4}, 3));
    data.images.labels = step.json["set"]["labels"].get<std::vector<std::int64_t>>();
    data.groups = {{"colour", {"blue", "red"}, step.json["set"]["colours"].get<std::vector<std::int32_t>>()}};
    TrainOptions options;
    options.validation = 0;
    TrainingSet set(data, options, {}, "reweight");
    toy::expect_reference_step(name, [&](Algorithm& member) { member.attach(set); });
  }
}

TEST(Resample, ClassesAreEquallyOftenInABatch) {
  data::TrainingData data(toy::squares(200, 4));
  for (std::size_t i = 0; i < 200; ++i) (*data.images.labels)[i] = i % 20 == 0 ? 3 : i % 10 == 0 ? 1 : 0;
  TrainOptions options;
  options.batch = 30, options.validation = 0;
  TrainingSet set(data, options, algorithm("resample").needs({{"by-class", 1}}), "resample");
  set.begin_epoch(1);
  for (std::size_t step = 0; step < 6; ++step) {
    const torch::Tensor counts = torch::bincount(set.minibatches(step).labelled.y, {}, 4);
    EXPECT_TRUE(counts.equal(torch::tensor({10, 10, 0, 10}))) << counts;
  }
}

}  // namespace
}  // namespace leeway::nn
