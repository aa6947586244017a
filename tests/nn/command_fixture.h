// Runs the command with its output in files, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/io/images.h"
#include "tests/files.h"

namespace leeway {

class Command : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(LEEWAY_COMMAND)) GTEST_SKIP() << LEEWAY_COMMAND << " is not built";
  }

  // A process of the command in the folder, with its output in files.
  [[nodiscard]] pid_t start(const std::vector<std::string>& arguments, const char* library = nullptr) const {
    const std::string out = path("stdout"), err = path("stderr");
    const pid_t child = fork();
    if (child != 0) return child;
    if (library) setenv("LEEWAY_NN_LIBRARY", library, 1);
    if (chdir(folder_.path().c_str()) != 0) _exit(97);
    if (!freopen(out.c_str(), "w", stdout) || !freopen(err.c_str(), "w", stderr)) _exit(99);
    std::vector<char*> argv{const_cast<char*>(LEEWAY_COMMAND)};
    for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(LEEWAY_COMMAND, argv.data());
    _exit(98);
  }
  [[nodiscard]] static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int run(const std::vector<std::string>& arguments, const char* library = nullptr) const {
    return wait_for(start(arguments, library));
  }
  // The words that spaces part, as a shell has them.
  int call(const std::string& words) const {
    std::istringstream stream(words);
    return run({std::istream_iterator<std::string>(stream), {}});
  }
  void good(const std::string& words) const { EXPECT_EQ(call(words), 0) << words << "\n" << err(); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string out() const { return read_bytes(path("stdout")); }
  [[nodiscard]] std::string err() const { return read_bytes(path("stderr")); }

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
      std::ofstream(model, std::ios::binary) << bytes;
    }
    return model;
  }

  const TemporaryFolder folder_;
};

}  // namespace leeway
