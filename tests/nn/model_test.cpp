#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/npz.h"
#include "leeway/core/parallel.h"
#include "tests/nn/toy.h"

namespace leeway::nn {
namespace {

const InputShape colour{3, 12, 12};

double cross_entropy_of(const Model& model, const Images& images, std::size_t row) {
  const Array logits = model.outputs(images).logits;
  const auto values = logits.view<float>().subspan(row * logits.shape[1], logits.shape[1]);
  double sum = 0;
  for (const float value : values) sum += std::exp(static_cast<double>(value));
  return std::log(sum) - values[static_cast<std::size_t>((*images.labels)[row])];
}

// Central differences along random directions. The error of float32 logits over the step of 2e-2 is about
// 1e-5; a relu that changes sides on the way moves the difference by little.
TEST(InputGradients, AgreeWithFiniteDifferences) {
  const auto model = toy::model("small-cnn", colour, 5, 2, {1, {.5, .4, .3}, {.2, .3, .25}});
  const Images images = toy::images(4, colour, 5, 3);
  const Array gradients = model->input_gradients(images, *images.labels);
  ASSERT_EQ(gradients.shape, images.pixels.shape);
  const std::size_t d = colour.pixels();
  for (std::size_t row = 0; row < 4; ++row) {
    Random random(1, stream("direction"), row);
    std::vector<double> direction(d);
    for (double& value : direction) value = random.normal() / std::sqrt(static_cast<double>(d));
    const auto moved = [&](double t) {
      Images other = images;
      std::vector<float> pixels(images.pixels.view<float>().begin(), images.pixels.view<float>().end());
      for (std::size_t j = 0; j < d; ++j)
        pixels[row * d + j] = static_cast<float>(.1 + .8 * pixels[row * d + j] + t * direction[j]);
      other.pixels = make_array(images.pixels.shape, std::move(pixels));
      return other;
    };
    const Images centre = moved(0);
    const Array at_centre = model->input_gradients(centre, *images.labels);
    double slope = 0;
    for (std::size_t j = 0; j < d; ++j) slope += at_centre.view<float>()[row * d + j] * direction[j];
    const double h = 1e-2;
    const double difference =
        (cross_entropy_of(*model, moved(h), row) - cross_entropy_of(*model, moved(-h), row)) / (2 * h);
    EXPECT_NEAR(slope, difference, 1e-3 + .02 * std::abs(difference)) << row;
  }
}

// grad CE = sum_j (p_j - [j = y]) grad F_j
TEST(ClassGradients, MakeUpTheInputGradient) {
  const auto model = toy::model("small-cnn", colour, 4, 2);
  const Images images = toy::images(140, colour, 4, 4);
  const Array jacobian = model->class_gradients(images),
              gradients = model->input_gradients(images, *images.labels);
  const Array logits = model->outputs(images).logits;
  const std::size_t d = colour.pixels();
  ASSERT_EQ(jacobian.shape, (std::vector<std::size_t>{140, 4, d}));
  for (std::size_t i = 0; i < 140; i += 7) {
    double sum = 0;
    for (std::size_t j = 0; j < 4; ++j) sum += std::exp(logits.view<float>()[i * 4 + j]);
    for (std::size_t pixel = 0; pixel < d; pixel += 11) {
      double expected = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        const double p = std::exp(logits.view<float>()[i * 4 + j]) / sum;
        const double hit = static_cast<std::size_t>((*images.labels)[i]) == j;
        expected += (p - hit) * jacobian.view<float>()[(i * 4 + j) * d + pixel];
      }
      EXPECT_NEAR(gradients.view<float>()[i * d + pixel], expected, 1e-6);
    }
  }
}

// F = W x + b: logits by hand, class gradients are W. W = (1 2; 3 4), b = (0, 1), x = (.5, .25): F =
// (1, 3.5).
TEST(LinearModel, ByHand) {
  const auto model = toy::linear_model(torch::tensor({{1.f, 2.f}, {3.f, 4.f}}), torch::tensor({0.f, 1.f}));
  Images images;
  images.pixels = make_array({1, 1, 1, 2}, std::vector<float>{.5f, .25f});
  const Outputs outputs = model->outputs(images);
  EXPECT_FLOAT_EQ(outputs.logits.view<float>()[0], 1);
  EXPECT_FLOAT_EQ(outputs.logits.view<float>()[1], 3.5);
  EXPECT_FALSE(outputs.features.has_value());
  EXPECT_FALSE(outputs.labels.has_value());
  const Array jacobian = model->class_gradients(images);
  EXPECT_EQ((std::vector<float>(jacobian.view<float>().begin(), jacobian.view<float>().end())),
            (std::vector<float>{1, 2, 3, 4}));
}

TEST(Models, HaveTheSameBitsForAnyThreads) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Images images = toy::images(300, colour, 5, 3);  // two shards and a part
  set_threads(1);
  const Outputs outputs = model->outputs(images);
  const Array gradients = model->input_gradients(images, *images.labels),
              jacobian = model->class_gradients(images);
  set_threads(3);
  const Outputs other = model->outputs(images);
  EXPECT_TRUE(toy::same_bits(outputs.logits, other.logits));
  EXPECT_TRUE(toy::same_bits(*outputs.features, *other.features));
  EXPECT_TRUE(toy::same_bits(gradients, model->input_gradients(images, *images.labels)));
  EXPECT_TRUE(toy::same_bits(jacobian, model->class_gradients(images)));
  set_threads(1);
}

// The functions that analyses ask give what outputs and class_gradients do, and take inputs of any range.
TEST(ClassifierFunctions, AreTheModel) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Images images = toy::images(300, colour, 5, 3);
  const Classifier classifier = model->classifier(colour);
  const auto pixels = images.pixels.view<float>();
  const std::size_t d = colour.pixels();
  ASSERT_EQ(classifier.d, d);
  ASSERT_EQ(classifier.k, 5u);
  const Array expected = model->outputs(images).logits, jacobian = model->class_gradients(images);
  const std::vector<float> logits = classifier.logits(pixels);
  const ClassGradients all = classifier.gradients(pixels, {});
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(logits[i], expected.view<float>()[i], 1e-5);
    EXPECT_NEAR(all.logits[i], logits[i], 1e-5);
  }
  for (std::size_t i = 0; i < all.gradients.size(); ++i)
    ASSERT_NEAR(all.gradients[i], jacobian.view<float>()[i], 1e-5) << i;
  std::vector<float> far(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(d));
  for (float& x : far) x = 3 * x - 1;
  EXPECT_EQ(classifier.logits(far).size(), 5u);
  set_threads(3);
  EXPECT_EQ(classifier.gradients(pixels, {}).gradients, all.gradients);
  set_threads(1);
}

// Not to the last bit: with OpenBLAS's Haswell kernels a row's bits depend on the size of a batch and its place there.
TEST(ClassifierFunctions, GradientsOfSomeClassesAreThoseAmongAll) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Classifier classifier = model->classifier(colour);
  const Images images = toy::images(300, colour, 5, 3);
  const auto pixels = images.pixels.view<float>();
  const std::size_t d = colour.pixels();
  const ClassGradients all = classifier.gradients(pixels, {});
  std::vector<std::int32_t> classes;
  for (std::int32_t row = 0; row < 300; ++row) classes.insert(classes.end(), {row % 5, (row + 3) % 5});
  const ClassGradients some = classifier.gradients(pixels, classes);
  ASSERT_EQ(some.gradients.size(), 300 * 2 * d);
  for (std::size_t i = 0; i < 600; ++i) {
    const float* const found = some.gradients.data() + i * d;
    const float* const wanted = all.gradients.data() + (i / 2 * 5 + static_cast<std::size_t>(classes[i])) * d;
    float largest = 0;
    for (std::size_t j = 0; j < d; ++j) largest = std::max(largest, std::abs(wanted[j]));
    for (std::size_t j = 0; j < d; ++j) ASSERT_NEAR(found[j], wanted[j], 1e-5 * largest) << i << ' ' << j;
  }
}

TEST(Models, LeaveLibTorchsThreadsAsTheyWere) {
  const auto model = toy::model("linear", colour, 5);
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  (void)model->outputs(toy::images(300, colour, 5));
  EXPECT_EQ(at::get_num_threads(), 3);
  at::set_num_threads(before);
}

TEST(Models, TakeBytesAsPixelsOver255) {
  const auto model = toy::model("small-cnn", {1, 4, 4}, 3);
  std::vector<std::uint8_t> bytes;
  std::vector<float> floats;
  for (int i = 0; i < 32; ++i) {
    bytes.push_back(static_cast<std::uint8_t>(i * 8));
    floats.push_back(static_cast<float>(i * 8) / 255.f);
  }
  Images as_bytes, as_floats;
  as_bytes.pixels = make_array({2, 1, 4, 4}, std::move(bytes));
  as_floats.pixels = make_array({2, 1, 4, 4}, std::move(floats));
  EXPECT_TRUE(toy::same_bits(model->outputs(as_bytes).logits, model->outputs(as_floats).logits));
}

TEST(Models, RefuseBadImagesAndLabels) {
  const auto model = toy::model("small-cnn", colour, 3);
  const auto message = [&](Images images) { return message_of([&] { (void)model->outputs(images); }); };
  const auto with_pixel = [&](float value) {
    Images images = toy::images(150, colour, 3);
    std::vector<float> pixels(images.pixels.view<float>().begin(), images.pixels.view<float>().end());
    pixels[140 * colour.pixels() + 5] = value;
    images.pixels = make_array(images.pixels.shape, std::move(pixels));
    return images;
  };
  EXPECT_EQ(message(with_pixel(1.5f)), "toy.npz: expected pixels in [0,1], found 1.5 at row 140");
  EXPECT_EQ(message(with_pixel(-.5f)), "toy.npz: expected pixels in [0,1], found -0.5 at row 140");
  EXPECT_EQ(message(with_pixel(std::nanf(""))), "toy.npz: expected pixels in [0,1], found nan at row 140");
  EXPECT_EQ(message(toy::images(2, {1, 12, 12}, 3)),
            "toy.npz: expected images of shape (3, 12, 12), which model takes, found (1, 12, 12)");
  Images images = toy::images(4, colour, 3);
  (*images.labels)[2] = 3;
  EXPECT_EQ(message(images), "toy.npz: expected labels from 0 to 2, the classes of model, found 3 at row 2");
  EXPECT_EQ(message_of([&] {
              (void)model->input_gradients(toy::images(4, colour, 3), {0, 1});
            }),
            "labels: expected 4 labels, found 2");
}

TEST(Models, RefuseLogitsThatAreNotFinite) {
  const auto model = toy::linear_model(torch::tensor({{3e38f, 3e38f}, {0.f, 0.f}}), torch::zeros({2}));
  Images images;
  images.pixels = make_array({2, 1, 1, 2}, std::vector<float>{.1f, .1f, 1.f, 1.f});
  EXPECT_EQ(message_of([&] { (void)model->outputs(images); }),
            "model: expected finite logits, found inf at row 1, class 0");
}

class StopAtOnce : public Progress {
 public:
  void update(std::string_view, std::size_t, std::size_t, std::string_view) override {}
  [[nodiscard]] bool stop_requested() const override { return true; }
};

TEST(Models, CanBeInterrupted) {
  StopAtOnce stop;
  EXPECT_THROW((void)toy::model("linear", colour, 3)->outputs(toy::images(4, colour, 3), &stop), Interrupted);
}

// A published network on the real test images.
TEST(FashionMnistTier2, PublishedWeightsReachTheirAccuracy) {
  const std::string weights = std::string(LEEWAY_SHARED_DATA) + "/fashion-mnist/fashion_mnist.npz";
  if (!std::filesystem::exists(weights)) GTEST_SKIP() << weights << " is absent";
  if (!std::filesystem::exists("/usr/share/datasets/fashion-mnist"))
    GTEST_SKIP() << "dataset-fashion-mnist is absent";
  const Images images = read_images("fashion-mnist:test");
  ModelSource source;
  source.path = weights;
  source.architecture = "small-cnn";
  source.input = shape_of(images);
  const auto model = session().load(source);
  EXPECT_EQ(model->info().parameters, 166406U);
  const Outputs outputs = model->outputs(images);
  EXPECT_EQ(outputs.features->shape, (std::vector<std::size_t>{10000, 100}));
  std::size_t right = 0;
  for (std::size_t i = 0; i < images.n(); ++i) {
    const auto row = outputs.logits.view<float>().subspan(i * 10, 10);
    right += std::max_element(row.begin(), row.end()) - row.begin() == (*images.labels)[i];
  }
  EXPECT_NEAR(static_cast<double>(right) / 1e4, .783, .0006);
  source.path.replace_extension(".pth");
  EXPECT_TRUE(toy::same_bits(session().load(source)->outputs(images).logits, outputs.logits));
}

}  // namespace
}  // namespace leeway::nn
