#include "leeway/nn/process/client.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <torch/script.h>

#include <csignal>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/parallel.h"
#include "leeway/io/zip.h"
#include "leeway/nn/process/confinement.h"
#include "tests/nn/toy.h"

namespace leeway::nn::client_test {

using ::testing::HasSubstr;

class Confined : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_not_confined(); !reason.empty()) GTEST_SKIP() << reason;
  }
  [[nodiscard]] std::filesystem::path defined(const std::string& lines) const {
    torch::jit::Module module("m");
    module.define("def forward(self, x):\n  h = x.flatten(1)\n  " + lines + "\n");
    module.save((folder_ / "m.pt").string());
    return folder_ / "m.pt";
  }

  [[nodiscard]] static std::unique_ptr<Model> confined(const std::filesystem::path& path,
                                                       const InputShape& input = {}) {
    ModelSource source = toy::source_of(path, "", input);
    source.trust = false;
    return session().load(source);
  }

  toy::Folder folder_;
  Images images_ = toy::images(16, {1, 2, 2}, 4);
};

TEST_F(Confined, HasTheBitsOfThisProcess) {
  set_threads(3);
  const std::string references(LEEWAY_REFERENCE);
  for (const std::string file :
       {"/torchscript/logits.pt", "/torchscript/pair.pt", "/onnx/cnn_softmax.onnx"}) {
    ModelSource source = toy::source_of(references + file, "", {1, 8, 8});
    const auto trusted = session().load(source), apart = confined(source.path, source.input);
    EXPECT_EQ(apart->info().confinement, "seccomp");
    EXPECT_EQ(trusted->info().confinement, "none");
    EXPECT_EQ(apart->info().parameters, trusted->info().parameters);
    EXPECT_EQ(apart->info().notes, trusted->info().notes);
    EXPECT_EQ(apart->info().layers.size(), trusted->info().layers.size());
    const InputShape shape = trusted->info().input.known() ? trusted->info().input : InputShape{1, 8, 8};
    const Images images = toy::images(100, shape, 3);
    const Outputs a = apart->outputs(images), b = trusted->outputs(images);
    EXPECT_TRUE(toy::same_bits(a.logits, b.logits)) << file;
    ASSERT_EQ(a.features.has_value(), b.features.has_value()) << file;
    if (a.features) {
      EXPECT_TRUE(toy::same_bits(*a.features, *b.features)) << file;
    }
    EXPECT_TRUE(toy::same_bits(apart->input_gradients(images, *images.labels),
                               trusted->input_gradients(images, *images.labels)))
        << file;
    EXPECT_TRUE(toy::same_bits(toy::class_gradients(*apart, images), toy::class_gradients(*trusted, images)))
        << file;
    const attack::AttackOptions options{.eps = .1, .parameters = {{"steps", 3}}};
    EXPECT_TRUE(
        toy::same_bits(toy::attacked(*apart, images, options).x, toy::attacked(*trusted, images, options).x))
        << file;
  }
  set_threads(1);
}

TEST_F(Confined, HostileProgramsAreRefused) {
  const std::vector<std::pair<std::string, std::string>> programs{
      {"return torch.complex(h, h)", "its logits are complex"},
      {"return torch.zeros([1000000, 1000000])", "needs more memory (--trust lifts the limit)"},
      {"kept = [h]\n  while True:\n    kept.append(torch.empty([10000000]))\n  return h + len(kept)",
       "needs more memory (--trust lifts the limit)"},
      {"return torch.from_file(\"/proc/self/maps\", False, 64).view(16, 4)", "Operation not permitted"},
      {"torch.save(x, \"written-by-the-model\")\n  return h",
       "found one that writes files (--trust allows it)"},
      {"return torch._reshape_alias(h, [16, 4], [1 << 40, 1]).clone()", "found one that crashed (signal 11"},
  };
  for (const auto& [lines, expected] : programs) {
    const std::string said = message_of([&] { (void)confined(defined(lines))->outputs(images_); });
    EXPECT_THAT(said, HasSubstr(expected)) << lines;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists("written-by-the-model"));
}

// Checks that this process makes in the same way, of shards of 9 and 8 rows.
TEST_F(Confined, ResultsThatAreNotOutputsAreRefused) {
  const Images images = toy::images(17, {1, 2, 2}, 4);
  for (const auto& [results, expected] :
       {std::pair("h[0:3]", "expected logits of shape ("),
        {"h.repeat([1, x.size(0)])", " classes for every image"},
        {"h, h.repeat([1, x.size(0)])", " features for every image"},
        {"h, h[0:3]", " images, found shape (3, 4)"},
        {"h, h.sum()", " images, found shape ()"},
        {"h, h.to_sparse()", "its features are sparse"},
        {"torch.empty([x.size(0), 4], device=\"meta\")", "its logits are without values"},
        {"h, h / 0", "expected finite features"}}) {
    const auto model = toy::loaded(defined(std::string("return ") + results));
    EXPECT_THAT(message_of([&] { (void)model->outputs(images); }), HasSubstr(expected));
  }
}

TEST_F(Confined, HasTheLimitsOfTheDocument) {
  set_threads(1);
  const auto model = confined(defined("return h"), {1, 2, 2});
  pid_t child = 0;
  for (std::ifstream children("/proc/thread-self/children"); children >> child;) {
  }
  rlimit memory{}, time{};
  ASSERT_EQ(prlimit(child, RLIMIT_DATA, nullptr, &memory), 0);
  ASSERT_EQ(prlimit(child, RLIMIT_CPU, nullptr, &time), 0);
  EXPECT_EQ(memory.rlim_max >> 26, 16U) << "1 GiB, and little for a small file and small images";
  EXPECT_NEAR(static_cast<double>(time.rlim_cur), 630, 30);
  kill(child, SIGXCPU);
  EXPECT_REFUSED(model->outputs(images_), "more than 600 s...");
}

TEST_F(Confined, AGradientThatThereIsNotIsRefusedAndTheModelStays) {
  const auto model = confined(std::string(LEEWAY_REFERENCE) + "/torchscript/no_gradient.pt");
  const Images images = toy::images(5, {1, 8, 8}, 3);
  const Outputs outputs = model->outputs(images);
  EXPECT_REFUSED(toy::class_gradients(*model, images),
                 "no_gradient.pt: expected a model with input gradients...");
  EXPECT_TRUE(toy::same_bits(model->outputs(images).logits, outputs.logits));
}

TEST_F(Confined, ACrashIsSaidAgainByLaterCalls) {
  const auto model = confined(defined("return torch._reshape_alias(h, [16, 4], [1 << 40, 1]).clone()"));
  const auto said = [&] { return message_of([&] { (void)model->outputs(images_); }); };
  const std::string first = said();
  EXPECT_THAT(first, HasSubstr("found one that crashed"));
  EXPECT_EQ(said(), first);
}

// A tensor whose record ends before it does: LibTorch would read what stands behind.
TEST_F(Confined, ShortRecordsAreRefused) {
  torch::jit::Module module("m");
  module.register_parameter("w", torch::ones({4, 64}), false);
  module.define("def forward(self, x):\n  return x.flatten(1) @ self.w\n");
  module.save((folder_ / "whole.pt").string());
  const MappedFile file = map_file(folder_ / "whole.pt");
  {
    AtomicFile shorter(folder_ / "short.pt");
    ZipWriter zip(shorter);
    for (const ZipMember& member : list_zip(file.bytes, "whole.pt")) {
      const MappedFile content = unpack(member, file, "whole.pt");
      const std::size_t size = member.name.ends_with("/data/0") ? 100 : content.bytes.size();
      const std::span<const std::byte> piece = content.bytes.first(size);
      zip.add(member.name, std::span(&piece, 1));
    }
    zip.finish();
    shorter.commit();
  }
  EXPECT_REFUSED(confined(folder_ / "short.pt"), "short.pt: expected 256 elements in...");
}

}  // namespace leeway::nn::client_test
