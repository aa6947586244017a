#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/io/npy.h"
#include "leeway/nn/adapt/batchnorm.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "tests/at_threads.h"
#include "tests/nn/reference_step.h"
#include "tests/nn/toy.h"
#include "tests/stopping.h"

namespace leeway::nn::model_test {

const InputShape colour{3, 12, 12};

// grad CE = sum_j (p_j - [j = y]) grad F_j
TEST(ClassGradients, MakeUpTheInputGradient) {
  for (const bool scaled : {false, true}) {
    const InputShape shape = scaled ? InputShape{3, 9, 14} : colour;
    const Normalization normalization{2, {.5, .4, .3}, {.2, .3, .25}};
    const auto model = toy::model("small-cnn", shape, 4, 2, scaled ? normalization : Normalization{});
    const Images images = toy::images(140, shape, 4, 4);
    const Array jacobian = toy::class_gradients(*model, images),
                gradients = model->input_gradients(images, *images.labels);
    const Array logits = model->outputs(images).logits;
    const std::size_t d = shape.pixels();
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
        EXPECT_NEAR(gradients.view<float>()[i * d + pixel], expected, scaled ? 1e-5 : 1e-6);
      }
    }
  }
}

// small-cnn on 12 x 12: maps of 6 x 6 and 3 x 3. linear, d k products, without gradients of its own.
TEST(Models, TellTheirCost) {
  const double d = 3 * 12 * 12;
  const std::pair<const char*, double> networks[] = {
      {"linear", 2 * d * 4}, {"small-cnn", 2. * (16 * 36 * 48 + 32 * 9 * 256 + 288 * 100 + 100 * 4)}};
  for (const auto& [name, flops] : networks) {
    const auto model = toy::model(name, colour, 4, 2);
    const Classifier classifier = model->classifier(colour);
    const CallCost one = classifier.cost(1, false).value(), many = classifier.cost(1024, false).value(),
                   both = classifier.cost(1024, true).value();
    EXPECT_EQ(one.flops, flops) << name;
    EXPECT_EQ(many.flops, 1024 * flops) << name;
    EXPECT_EQ(both.flops, 1024 * flops) << name;
    EXPECT_GE(many.bytes, 32 * 4 * sizeof(float)) << name;  // the logits of a shard
    EXPECT_LT(many.bytes, both.bytes) << name;
  }
}

TEST(Models, HaveTheSameBitsForAnyThreads) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Images images = toy::images(300, colour, 5, 3);  // two shards and a part
  set_threads(1);
  const Outputs outputs = model->outputs(images);
  const Array gradients = model->input_gradients(images, *images.labels);
  set_threads(3);
  const Outputs other = model->outputs(images);
  EXPECT_TRUE(toy::same_bits(outputs.logits, other.logits));
  EXPECT_TRUE(toy::same_bits(*outputs.features, *other.features));
  EXPECT_TRUE(toy::same_bits(gradients, model->input_gradients(images, *images.labels)));
  set_threads(1);
}

TEST(ClassifierFunctions, AreTheModel) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Images images = toy::images(300, colour, 5, 3);
  const Classifier classifier = model->classifier(colour);
  const auto pixels = images.pixels.view<float>();
  const std::size_t d = colour.pixels();
  ASSERT_EQ(classifier.d, d);
  ASSERT_EQ(classifier.k, 5u);
  const Array expected = model->outputs(images).logits;
  const std::vector<float> logits = classifier.logits(pixels);
  const Linearized here = classifier.linearize(pixels);
  const std::vector<float> all = class_gradients(here, 5);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    EXPECT_NEAR(logits[i], expected.view<float>()[i], 1e-5);
    EXPECT_NEAR(here.logits[i], logits[i], 1e-5);
  }
  std::vector<float> far(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(d));
  for (float& x : far) x = 3 * x - 1;
  EXPECT_EQ(classifier.logits(far).size(), 5u);
  set_threads(3);
  EXPECT_EQ(class_gradients(classifier.linearize(pixels), 5), all);
  set_threads(1);
}

// Not to the last bit: with OpenBLAS's Haswell kernels a row's bits depend on the size of a batch and its place there.
TEST(ClassifierFunctions, GradientsOfSomeClassesAreThoseAmongAll) {
  const auto model = toy::model("small-cnn", colour, 5, 2);
  const Classifier classifier = model->classifier(colour);
  const Images images = toy::images(300, colour, 5, 3);
  const auto pixels = images.pixels.view<float>();
  const std::size_t d = colour.pixels();
  const Linearized here = classifier.linearize(pixels);
  const std::vector<float> all = class_gradients(here, 5);
  std::vector<std::int32_t> classes;
  for (std::int32_t row = 0; row < 300; ++row) classes.insert(classes.end(), {row % 5, (row + 3) % 5});
  const std::vector<float> some = class_gradients(here, 5, classes);
  ASSERT_EQ(some.size(), 300 * 2 * d);
  for (std::size_t i = 0; i < 600; ++i) {
    const float* const found = some.data() + i * d;
    const float* const wanted = all.data() + (i / 2 * 5 + static_cast<std::size_t>(classes[i])) * d;
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
  EXPECT_THAT(message(toy::images(2, {1, 12, 12}, 3)), Says("toy.npz: expected ... found (1, 12, 12)"));
  Images images = toy::images(4, colour, 3);
  (*images.labels)[0] = 0, (*images.labels)[2] = 3;
  EXPECT_EQ(message(images), "toy.npz: expected labels from 0 to 2, the classes of model, found 3 at row 2");
  EXPECT_REFUSED(model->input_gradients(toy::images(4, colour, 3), {0, 1}), "labels: expected 4 ... found 2");
}

TEST(Models, RefuseLogitsThatAreNotFinite) {
  const auto model = toy::linear_model(torch::tensor({{3e38f, 3e38f}, {0.f, 0.f}}), torch::zeros({2}));
  Images images{"", make_array({2, 1, 1, 2}, std::vector<float>{.1f, .1f, 1.f, 1.f}), {}};
  EXPECT_REFUSED(model->outputs(images), "model: expected finite logits, found inf at row 1, class 0");
}

TEST(Models, CanBeInterrupted) {
  Stopping at_once;
  EXPECT_THROW((void)toy::model("linear", colour, 3)->outputs(toy::images(4, colour, 3), &at_once),
               Interrupted);
}

// Two classes of grey pictures, below and above .3: a linear network that is right behind `normalization`.
std::unique_ptr<Model> threshold_model(const Normalization& normalization) {
  const auto network = make_network(architecture("linear"), {1, 1, 1}, 2);
  const double cut = (normalization.scale * .3 - (normalization.mean.empty() ? 0 : normalization.mean[0])) /
                     (normalization.std.empty() ? 1 : normalization.std[0]);
  torch::NoGradGuard no_grad;
  const auto weights = network->named_parameters();
  for (const auto& item : weights)
    item.value().copy_(item.value().dim() == 2 ? torch::tensor({{0.f}, {1.f}})
                                               : torch::tensor({static_cast<float>(cut), 0.f}));
  ModelInfo info;
  info.input = {1, 1, 1}, info.classes = 2, info.normalization = normalization;
  return make_model(info, network);
}

Images greys(std::size_t n) {
  Images images = toy::images(n, {1, 1, 1}, 2);
  for (std::size_t i = 0; i < n; ++i) (*images.labels)[i] = images.pixels.view<float>()[i] > .3F;
  return images;
}

TEST(Normalizations, ASuitedOneIsLeftAlone) {
  for (const auto& [name, normalization] : common_normalizations(1))
    EXPECT_FALSE(threshold_model(normalization)->other_normalization(greys(200))) << name;
}

TEST(Normalizations, AForgottenOneIsNamed) {
  const auto right = threshold_model({255, {}, {}}), wrong = right->with_normalization({});
  const auto found = wrong->other_normalization(greys(400));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best.name, "pixels 0 to 255");
  EXPECT_TRUE(found->others.empty());
  EXPECT_EQ(found->n, 200U);
  EXPECT_EQ(found->accuracy, 1);
  EXPECT_LT(found->declared_accuracy, .6);
  EXPECT_FALSE(wrong->other_normalization(greys(31))) << "too few images to say";
  Images some = greys(400);
  std::fill_n(some.labels->begin(), 369, no_label);
  EXPECT_FALSE(wrong->other_normalization(some)) << "of 31 labels";
  some.labels->at(0) = 0;
  EXPECT_TRUE(wrong->other_normalization(some)) << "of 32";
  Images bare = greys(400);
  bare.labels.reset();
  EXPECT_FALSE(wrong->other_normalization(bare));
}

TEST(Normalizations, ChanceIsNoFinding) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    found += threshold_model({})->other_normalization(toy::images(1024, {1, 1, 1}, 2, seed)).has_value();
  EXPECT_EQ(found, 0U);
}

// The cut lies at .3 behind (.1307, .3081), at .41 behind the declared (.2386, .3081), and .02 of the labels are wrong.
TEST(Normalizations, AGoodModelThatWouldBeBetterIsFound) {
  const Normalization trained{1, {.1307}, {.3081}};
  const auto network = threshold_model(trained);
  const auto declared = network->with_normalization({1, {.2386}, {.3081}});
  Images images = greys(1024);
  for (std::size_t i = 0; i < images.n(); i += 200) (*images.labels)[i] ^= 1;
  const auto found = declared->other_normalization(images);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->best.name, "MNIST");
  EXPECT_EQ(found->n, 256U);
  EXPECT_NEAR(found->declared_accuracy, .88, .03);
  EXPECT_NEAR(found->accuracy, .98, .01);
  EXPECT_FALSE(network->other_normalization(images)) << "errors that no normalization mends";
}

// Two classes far apart from .5: what is right behind one normalization with a mean near .5 is right behind all of them.
TEST(Normalizations, ThoseThatFitEquallyWellAreNamedTogether) {
  Images images = toy::images(400, {3, 1, 1}, 2);
  std::vector<float> pixels(images.pixels.size());
  for (std::size_t i = 0; i < images.n(); ++i)
    for (std::size_t c = 0; c < 3; ++c)
      pixels[3 * i + c] =
          static_cast<float>((*images.labels)[i]) * .6F + .2F * images.pixels.view<float>()[3 * i + c];
  images.pixels = make_array({400, 3, 1, 1}, std::move(pixels));
  const auto network = make_network(architecture("linear"), {3, 1, 1}, 2);
  torch::NoGradGuard no_grad;
  for (const auto& item : network->named_parameters())
    item.value().copy_(item.value().dim() == 2 ? torch::tensor({{0.f, 0.f, 0.f}, {1.f, 1.f, 1.f}})
                                               : torch::zeros(2));
  ModelInfo info;
  info.input = {3, 1, 1}, info.classes = 2;  // without a normalization all sums are above 0
  const auto found = make_model(info, network)->other_normalization(images);
  ASSERT_TRUE(found);
  std::vector<std::string> names{found->best.name};
  for (const NamedNormalization& one : found->others) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pixels -1 to 1", "ImageNet", "CIFAR-10",
                                             "CIFAR-10, standard deviations as in many scripts", "CIFAR-100",
                                             "CLIP"}));
  EXPECT_EQ(found->accuracy, 1);
}

// Another normalization mends a fifth of many errors, far beyond chance: MNIST's 27 of 142, as after a shift of contrast.
TEST(Normalizations, AGainThatLeavesMostErrorsIsNoFinding) {
  const auto declared = threshold_model({1, {.1307}, {.3081}})->with_normalization({1, {.2307}, {.3081}});
  Images images = greys(1024);
  for (std::size_t i = 0; i < images.n(); i += 8)
    if (const float grey = images.pixels.view<float>()[i]; grey < .3F || grey > .4F) (*images.labels)[i] ^= 1;
  EXPECT_FALSE(declared->other_normalization(images));
}

TEST(Normalizations, AnotherOneIsTheSameNetwork) {
  const Images images = toy::images(10, {3, 8, 8}, 4);
  const Normalization normalization{2, {.1, .2, .3}, {.5, 1, 2}};
  const auto model = toy::model("small-cnn", {3, 8, 8}, 4, 1),
             same = toy::model("small-cnn", {3, 8, 8}, 4, 1, normalization);
  const auto other = model->with_normalization(normalization);
  EXPECT_TRUE(toy::same_bits(other->outputs(images).logits, same->outputs(images).logits));
  EXPECT_EQ(other->info().normalization, normalization);
  EXPECT_EQ(model->info().normalization, Normalization{});
  EXPECT_THROW((void)model->with_normalization({1, {.5}, {}}), Error);
}

const InputShape small_picture{3, 8, 8};

std::shared_ptr<Network> resnet() {
  auto network = make_network(architecture("resnet20-cifar"), small_picture, 4);
  initialize(*network, 5);
  return network;
}

std::vector<AdaptedLayer> adapted(const std::shared_ptr<Network>& network, const Images& images) {
  return adapt_batchnorm(network, {}, images, "network", torch::kCPU, nullptr);
}

Images turned(const Images& images) {
  std::vector<std::size_t> rows;
  for (std::size_t i = images.n(); i > 0; --i) rows.push_back(i - 1);
  return select_rows(images, rows);
}

std::map<std::string, torch::Tensor> statistics_of(const Network& network) {
  std::map<std::string, torch::Tensor> all;
  for (const auto& item : network.named_buffers())
    if (item.value().is_floating_point()) all[item.key()] = item.value().clone();
  return all;
}

// The layer's input is the first linear layer's output, whatever the statistics.
TEST(Adapt, PooledMomentsOfOneLayer) {
  const auto network = std::make_shared<toy::TinyNetwork>(64, 3, true);
  const Images images = toy::images(100, {1, 8, 8}, 3);
  const torch::Tensor z = torch::nn::functional::linear(pixels(images, 0, 100).flatten(1),
                                                        network->named_parameters()["hidden.weight"],
                                                        network->named_parameters()["hidden.bias"]);
  const auto layers = adapted(network, images);
  const auto found = statistics_of(*network);
  EXPECT_TRUE(found.at("norm.running_mean").allclose(z.mean(0), 1e-5, 1e-6));
  EXPECT_TRUE(found.at("norm.running_var").allclose(z.var(0, /*unbiased=*/false), 1e-5, 1e-6));
  ASSERT_EQ(layers.size(), 1U);
  EXPECT_EQ(layers[0].name, "norm");
  EXPECT_EQ(layers[0].channels, 5U);
  EXPECT_NEAR(layers[0].mean_shift, z.mean(0).abs().mean().item<double>(), 1e-4) << "from 0 and 1";
  EXPECT_FALSE(network->is_training());
}

TEST(Adapt, PooledIsOneBatchOfAllImages) {
  const Images images = toy::images(75, small_picture, 4);
  const auto network = resnet(), other = resnet();
  const auto layers = adapted(network, images);
  EXPECT_EQ(layers.size(), 19U);
  EXPECT_EQ(layers.front().name, "bn1");
  for (const auto& module : other->modules())
    if (auto* layer = module->as<torch::nn::BatchNorm2d>()) layer->options.momentum(1.);
  other->train();
  (void)other->forward(pixels(images, 0, 75));
  const auto found = statistics_of(*network), wanted = statistics_of(*other);
  for (const auto& [name, tensor] : wanted)  // variances of a training are divided by N - 1
    EXPECT_TRUE(found.at(name).allclose(tensor, 5e-3, 1e-4)) << name;
  for (const auto& item : other->named_parameters())
    EXPECT_TRUE(network->named_parameters()[item.key()].equal(item.value())) << item.key();
}

TEST(Adapt, NeitherOrderNorThreadsMatter) {
  const Images images = toy::images(90, small_picture, 4);
  const auto network = resnet(), reversed_rows = resnet(), one_thread = resnet();
  at_threads(2, [&] {
    (void)adapted(network, images);
    return adapted(reversed_rows, turned(images));
  });
  at_threads(1, [&] { return adapted(one_thread, images); });
  const auto all = statistics_of(*network), back = statistics_of(*reversed_rows),
             one = statistics_of(*one_thread);
  for (const auto& [name, tensor] : all) {
    EXPECT_TRUE(tensor.equal(one.at(name))) << name;
    EXPECT_TRUE(tensor.allclose(back.at(name), 1e-4, 1e-5)) << name;
  }
  for (const AdaptedLayer& layer : adapted(network, images)) {  // of the same images: nothing is left to do
    EXPECT_LT(layer.mean_shift, 1e-4) << layer.name;
    EXPECT_NEAR(layer.variance_ratio, 1, 1e-4) << layer.name;
  }
}

TEST(Adapt, TheModelIsSavedLikeOthers) {
  const toy::Folder folder;
  const auto model = toy::model("resnet20-cifar", small_picture, 4, 5, {255, {1, 2, 3}, {40, 50, 60}});
  const Images images = toy::images(40, small_picture, 4);
  const Outputs before = model->outputs(images);
  const Adapted found = model->adapt(images);
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, before.logits)) << "the model itself stays";
  const Outputs after = found.model->outputs(images);
  EXPECT_FALSE(toy::same_bits(after.logits, before.logits));
  found.model->save(folder / "adapted");
  EXPECT_TRUE(toy::same_bits(toy::loaded(folder / "adapted")->outputs(images).logits, after.logits));
}

TEST(Adapt, RefusesInOneLine) {
  const Images images = toy::images(10, small_picture, 4);
  const auto model = toy::model("resnet20-cifar", small_picture, 4);
  const auto message = [](const Model& of, const Images& from) {
    return message_of([&] { (void)of.adapt(from); });
  };
  EXPECT_EQ(message(*toy::model("small-cnn", small_picture, 4), images),
            "model: expected a network with batch normalization, found none");
  EXPECT_THAT(message(*model, toy::images(10, {3, 9, 9}, 4)), Says("toy.npz: expected ... found (3, 9, 9)"));
  EXPECT_THAT(message(*model, toy::images(1, small_picture, 4)), Says("toy.npz: expected at ... found 1"));
  ModelInfo info;
  info.format = "onnx";
  const auto graph = make_model(
      info,
      [](const torch::Tensor& x) {
        return Forward{x.flatten(1), {}};
      },
      nullptr);
  EXPECT_THAT(message(*graph, images), Says("model: expected a model of a known ... found ONNX"));
}

}  // namespace leeway::nn::model_test
