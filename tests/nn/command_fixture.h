// Commands on small images, and on a model trained on them.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "leeway/io/npy.h"
#include "tests/apps/run_command.h"

namespace leeway {

class Command : public CommandTest {
 protected:
  // A process with these arguments, as they are.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments) const {
    std::string words;
    for (const std::string& argument : arguments) words += " '" + argument + "'";
    return start_command(folder_, words);
  }
  [[nodiscard]] int wait_for(pid_t child) const { return outcome_of(child, folder_).code; }
  int run(const std::vector<std::string>& arguments) const { return wait_for(start(arguments)); }
  int call(const std::string& words) const { return CommandTest::run(words).code; }
  // The first result of a run that ends well.
  [[nodiscard]] Json result(const std::string& words) const { return record(words).at("results").at(0); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string out() const { return read_bytes(folder_ / ".out"); }
  [[nodiscard]] std::string err() const { return read_bytes(folder_ / ".err"); }

  // n images of 8x8 with one bright column a class.
  std::string images(std::size_t n) const {
    std::vector<float> pixels;
    std::vector<std::int64_t> labels;
    for (std::size_t i = 0; i < n; ++i) {
      Random random(1, stream("command test"), i);
      labels.push_back(static_cast<std::int64_t>(i % 3));
      for (std::size_t j = 0; j < 64; ++j)
        pixels.push_back(static_cast<float>((j % 8 == i % 3 ? .5 : .1) + .4 * random.uniform()));
    }
    write_images(folder_ / "data.npz", {"", make_array({n, 1, 8, 8}, std::move(pixels)), labels});
    return path("data.npz");
  }

  // A small network trained on images(300), which are in data.npz. Trained once a process.
  [[nodiscard]] std::string trained() const {
    static std::string bytes;
    const std::string data = images(300), model = path("m.safetensors");
    if (bytes.empty()) {
      good("train --data " + data + " --epochs 3 --threads 1 --lr 0.005 --out " + model + " --quiet");
      bytes = read_bytes(model);
    } else {
      write_bytes(model, bytes);
    }
    return model;
  }
};

}  // namespace leeway
