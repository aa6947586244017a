// The record of an adaptation from what a model says of its layers.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "leeway/core/result.h"
#include "leeway/tasks/adapt/adapt.h"
#include "tests/core/files.h"
#include "tests/tasks/stub_model.h"

namespace leeway::tasks::adapt_task_test {

class Told : public StubModel {
 public:
  explicit Told(std::vector<nn::AdaptedLayer> layers) : layers_(std::move(layers)) {}
  [[nodiscard]] nn::Adapted adapt(const Images&, Progress*) const override {
    return {std::make_unique<Saves>(), layers_};
  }

 private:
  class Saves : public StubModel {
   public:
    void save(const std::filesystem::path& path) const override { std::ofstream(path) << "weights"; }
  };
  std::vector<nn::AdaptedLayer> layers_;
};

Adapt record_of(const Told& model) {
  const TemporaryFolder folder;
  const std::filesystem::path out = folder / "adapted.pt";
  const Images images{"d.npz", make_array({7, 1, 1, 2}, std::vector<float>(14, .5f)), {}};
  Adapt record = adapt({model, images, out, {}, 9});
  EXPECT_TRUE(std::filesystem::exists(out)) << "saved";
  return record;
}

TEST(AdaptTask, ChannelsOfAllLayersWeighTheSame) {
  const Told model({{"bn1", 1, .5, 2}, {"bn2", 3, .1, 1}});
  const Adapt record = record_of(model);
  EXPECT_EQ(record.envelope.seed, 9U);
  const AdaptedModel& found = record.results.at(0);
  EXPECT_EQ(found.n, 7U);
  EXPECT_NEAR(found.mean_shift, .2, 1e-12);
  EXPECT_NEAR(found.variance_ratio, std::pow(2, .25), 1e-12);
  EXPECT_EQ(record.envelope.headline,
            "2 batch normalization layers now use the statistics of 7 images: means changed by 0.2 "
            "standard deviations, variances by a factor of 1.19.");
  EXPECT_EQ(record.envelope.findings,
            std::vector<std::string>{"The means changed most in bn1: by 0.5 standard deviations."});
  EXPECT_EQ(to_json(record).at("results").at(0).at("layers").at(1).at("channels"), 3);
}

TEST(AdaptTask, OfOneLayer) {
  const Adapt record = record_of(Told({{"bn", 2, .5, 2}}));
  EXPECT_EQ(record.envelope.headline.substr(0, 53), "One batch normalization layer now uses the statistics");
  EXPECT_TRUE(record.envelope.findings.empty());
}

}  // namespace leeway::tasks::adapt_task_test
