// What every algorithm asks for: where it is missing, one line says what was expected, before anything is trained or written.
#include <gmock/gmock.h>

#include "leeway/nn/train/algorithm.h"
#include "tests/nn/training.h"

namespace leeway::nn::requirements_test {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class AlgorithmNeeds : public ::testing::TestWithParam<const AlgorithmMember*> {
 protected:
  AlgorithmNeeds() : data_(squares_of_two_cameras(60)), options_(quick(std::string(GetParam()->name))) {
    options_.epochs = 1;
    for (const Parameter& parameter : GetParam()->parameters)
      if (parameter.name == "base-epochs") options_.parameters["base-epochs"] = 1;
  }

  [[nodiscard]] Requirements needs() const {
    return GetParam()->needs(complete_parameters(*GetParam(), options_.parameters));
  }
  [[nodiscard]] std::string as_it_needs() const {
    return ", for algorithm " + std::string(GetParam()->name) + ", ";
  }

  // The message; empty where it trains.
  [[nodiscard]] std::string message() const {
    const toy::Folder folder;
    const std::filesystem::path out = folder / "m";
    std::string found;
    try {
      (void)session().train(data_, options_, out);
    } catch (const Error& error) {
      found = error.what();
      EXPECT_NE(found, "");
    }
    EXPECT_EQ(found.find('\n'), std::string::npos) << found;
    const auto files = std::distance(std::filesystem::directory_iterator(out.parent_path()),
                                     std::filesystem::directory_iterator());
    EXPECT_EQ(files, found.empty() ? 1 : 0) << found;
    return found;
  }

  data::TrainingData data_;
  TrainOptions options_;
};

TEST_P(AlgorithmNeeds, RefusesDataThatLackIt) {
  const data::TrainingData all = data_;
  if (needs().groups) {
    data_.groups.clear();
    EXPECT_EQ(message(),
              "toy.npz: expected groups (an array groups, or --group-column)" + as_it_needs() + "found none");
    data_ = all;
  }
  if (needs().environments > 0) {
    data_.environment.reset();
    EXPECT_EQ(message(),
              "toy.npz: expected an environment of every image (an array environment, or "
              "--environment-column)" +
                  as_it_needs() + "found none");
    data_ = all;
  }
  if (needs().environments > 1) {
    std::ranges::fill(data_.environment->codes, 1);
    EXPECT_EQ(message(), "toy.npz: expected at least 2 environments among the training images" +
                             as_it_needs() + "found 1: 'b'");
    data_ = all;
  }
  if (needs().unlabelled) {
    data_.unlabelled.reset();
    EXPECT_EQ(message(), "algorithm " + options_.algorithm +
                             ": expected unlabeled images of the target (--unlabelled), found none");
  }
}

TEST_P(AlgorithmNeeds, RefusesANetworkOfOneLayer) {
  options_.architecture = "linear";
  if (needs().stages) {
    EXPECT_THAT(message(),
                AllOf(HasSubstr(": expected a backbone "), HasSubstr("stages"), HasSubstr("none")));
  } else if (needs().features) {
    EXPECT_THAT(message(), AllOf(StartsWith("architecture "), HasSubstr("linear: expected "),
                                 HasSubstr(" with a last hidden layer")));
  }
}

TEST_P(AlgorithmNeeds, RefusesBatchesOfTooFewRows) {
  options_.batch = 1;
  const Requirements needed = needs();
  if (needed.least_batch > 1) {
    EXPECT_EQ(message(), "train: batch: expected at least " + std::to_string(needed.least_batch) + " rows" +
                             as_it_needs() + "found 1");
  } else if (needed.environments > 0 && needed.least_rows * needed.environments > 1) {
    const std::size_t least = 2 * needed.least_rows;
    options_.batch = least - 1;
    EXPECT_EQ(message(), "train: batch: expected at least " + std::to_string(least) + " rows, " +
                             std::to_string(needed.least_rows) + " of each environment" + as_it_needs() +
                             "found " + std::to_string(least - 1));
  }
}

// What it does not need may be missing: one class has a single row and one none, so that every batch lacks a class.
TEST_P(AlgorithmNeeds, TrainsWithoutWhatItDoesNotNeed) {
  if (!needs().groups) data_.groups.clear();
  if (needs().environments == 0) data_.environment.reset();
  if (!needs().unlabelled) data_.unlabelled.reset();
  if (!needs().stages && !needs().features) options_.architecture = "linear";
  for (std::size_t i = 0; i < 60; ++i)
    (*data_.images.labels)[i] = i == 7 ? 3 : static_cast<std::int64_t>(i % 3);
  options_.classes = 5;
  options_.batch = 16;
  EXPECT_EQ(message(), "");
}

std::vector<const AlgorithmMember*> members() {
  std::vector<const AlgorithmMember*> list;
  for (const AlgorithmMember& member : algorithms()) list.push_back(&member);
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, AlgorithmNeeds, ::testing::ValuesIn(members()), [](const auto& instance) {
  std::string name(instance.param->name);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(Requirements, BatchNormalizationOfOneRowNeedsMoreThanOneCell) {
  data::TrainingData data(toy::images(20, {3, 4, 4}, 3));
  TrainOptions options = quick("erm");
  options.architecture = "resnet20-cifar";
  options.epochs = 1;
  options.batch = 1;
  const toy::Folder folder;
  const auto message = [&] {
    return message_of([&] { (void)session().train(data, options, folder / "m"); });
  };
  const std::string refusal =
      "train: batch: expected at least 2 rows, for batch normalization in architecture resnet20-cifar on "
      "images of shape (3, 4, 4), found 1";
  EXPECT_EQ(message(), refusal);
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
  options.batch = 5;  // of 16 to train on: the last row joins the batch before
  EXPECT_EQ(message(), "no error");
  std::filesystem::remove(folder / "m");
  options.batch = 1;
  options.batchnorm = "frozen";
  (void)session().train(data, options, folder / "m");
}

}  // namespace leeway::nn::requirements_test
