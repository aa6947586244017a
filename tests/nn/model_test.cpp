#include <gtest/gtest.h>

#include <cmath>

#include "leeway/core/npy.h"
#include "leeway/core/parallel.h"
#include "tests/nn/toy.h"

namespace leeway::nn::model_test {

const InputShape colour{3, 12, 12};

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
  const InputShape wide{3, 9, 14};
  const auto scaled = toy::model("small-cnn", wide, 5, 2, {2, {.5, .4, .3}, {.2, .3, .25}});
  const Images image = toy::images(1, wide, 5, 3);
  const Array wanted = scaled->class_gradients(image);
  const ClassGradients found = scaled->classifier(wide).gradients(image.pixels.view<float>(), {});
  for (std::size_t i = 0; i < found.gradients.size(); ++i)
    ASSERT_NEAR(found.gradients[i], wanted.view<float>()[i], 1e-4) << i;
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
  (*images.labels)[0] = 0, (*images.labels)[2] = 3;
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

}  // namespace leeway::nn::model_test
