// What an algorithm keeps beside weights, altered in the state of a stopped training: it is not used, and the training begins anew.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "leeway/io/safetensors.h"
#include "tests/case_name.h"
#include "tests/nn/training.h"

namespace leeway::nn::lying_state_test {

struct Lie {
  std::string algorithm, tensor, name = algorithm + "_" + tensor;
};

class StopWith : public Progress {
 public:
  StopWith(std::filesystem::path state, std::string tensor)
      : state_(std::move(state)), tensor_(std::move(tensor)) {}
  void update(std::string_view, std::size_t, std::size_t, std::string_view) override {}
  [[nodiscard]] bool stop_requested() const override {
    return std::filesystem::exists(state_) && read_bytes(state_).find(tensor_) != std::string::npos;
  }

 private:
  std::filesystem::path state_;
  std::string tensor_;
};

class LyingState : public ::testing::TestWithParam<Lie> {
 protected:
  void SetUp() override {
    TrainOptions options = quick(GetParam().algorithm);
    options.epochs = GetParam().algorithm == "ada" ? 3 : 2;  // ada has something to keep after the second
    if (GetParam().algorithm == "ada") options.parameters["every-epochs"] = 1;
    options_ = options;
    whole_ = folder_ / "whole";
    (void)session().train(data_, options_, whole_);
    StopWith stop(state_, key_);
    EXPECT_THROW((void)session().train(data_, options_, path_, &stop), Interrupted);
    good_ = *read_state(state_);
    ASSERT_TRUE(good_.tensors.contains(key_)) << key_;
  }

  void expect_not_used(const Array& lie, const std::string& what) {
    Safetensors content = good_;
    content.tensors[key_] = lie;
    std::filesystem::remove(path_);
    write_state(state_, content);
    const TrainResult result = session().train(data_, options_, path_);
    EXPECT_EQ(result.resumed_after, 0U) << what;
    ASSERT_FALSE(result.notes.empty()) << what;
    EXPECT_EQ(read_bytes(path_), read_bytes(whole_)) << what;
  }

  toy::Folder folder_;
  std::filesystem::path path_ = folder_ / "m", state_ = folder_ / "m.state", whole_;
  data::TrainingData data_ = squares_of_two_cameras(120);
  TrainOptions options_;
  Safetensors good_;
  std::string key_ = "algorithm." + GetParam().tensor;
};

TEST_P(LyingState, IsNotUsed) {
  const Array right = good_.tensors.at(key_);
  const std::vector<double> numbers = to_f64(right, "state");
  const auto with = [&](double first) {
    std::vector<double> values = numbers;
    values.front() = first;
    return make_array(right.shape, std::move(values));
  };
  expect_not_used(with(std::numeric_limits<double>::quiet_NaN()), "NaN");
  expect_not_used(with(-3), "below all");
  std::vector<std::size_t> shape = right.shape;
  shape.push_back(1);
  expect_not_used(make_array(shape, numbers), "another rank");
  std::vector<double> longer(numbers.size() * 1000, 0.);
  std::vector<std::size_t> larger = right.shape;
  larger.front() *= 1000;
  expect_not_used(make_array(larger, std::move(longer)), "more rows");
}

INSTANTIATE_TEST_SUITE_P(Quick, LyingState, ::testing::Values(Lie{"group-dro", "adjustment"}), case_name);
INSTANTIATE_TEST_SUITE_P(AllTier2, LyingState,
                         ::testing::Values(Lie{"pnd", "averages"}, Lie{"occamnets", "memory"},
                                           Lie{"bpa", "cluster"}, Lie{"bpa", "losses"},
                                           Lie{"ada", "appended"}, Lie{"ada", "parents"}),
                         case_name);

}  // namespace leeway::nn::lying_state_test
