// Small graphs as models, by way of a file.
#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "tests/nn/io/onnx_files.h"
#include "tests/nn/toy.h"

namespace leeway::nn {

using onnx_files::File;

// x (rows,1,2,2) to three classes: logits = W x, as the file's nodes do it.
class Handmade : public ::testing::Test {
 protected:
  [[nodiscard]] static File begin(std::int64_t rows, std::int64_t opset = 13) {
    File file(opset);
    file.input("x", {rows, 1, 2, 2});
    file.output("y");
    file.floats("w", {4, 3}, {1, 2, -1, 0, 1, .5, -2, 1, 1, 3, -1, 0});
    return file;
  }
  // In this process, which takes a tenth of the time, unless it is not to be trusted.
  [[nodiscard]] std::unique_ptr<Model> load(const File& file, const InputShape& input = {},
                                            bool trust = true) const {
    std::ofstream(folder_ / "m.onnx", std::ios::binary) << file.bytes();
    ModelSource source = toy::source_of(folder_ / "m.onnx", "", input);
    source.trust = trust;
    return session().load(source);
  }
  [[nodiscard]] std::string refused(const File& file, bool trust = true) const {
    std::string message = message_of([&] { (void)load(file, {}, trust); });
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    const std::string path = (folder_ / "m.onnx").string();
    for (std::size_t at = 0; (at = message.find(path)) != std::string::npos;)
      message.replace(at, path.size(), "m");
    return message;
  }
  // The logits of images 0, 1, ... alone and together are the same.
  static void expect_rows_alone(const Model& model, std::size_t n) {
    const Images images = toy::images(n, {1, 2, 2}, 3);
    const Array together = model.outputs(images).logits;
    ASSERT_EQ(together.shape, (std::vector<std::size_t>{n, 3}));
    for (std::size_t i = 0; i < n; ++i) {
      Images one;
      const auto pixels = images.pixels.view<float>().subspan(4 * i, 4);
      one.pixels = make_array<float>({1, 1, 2, 2}, {pixels.begin(), pixels.end()});
      const Array alone = model.outputs(one).logits;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(together.view<float>()[3 * i + j], alone.view<float>()[j], 1e-6) << i;
    }
  }
  toy::Folder folder_;
};

}  // namespace leeway::nn
