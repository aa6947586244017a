// One side of nn_training.py: an epoch of plain training and passes over the test images, through the facade.
// nn_training THREADS PASSES -> {"epoch": seconds, "inference": [seconds, ...]}
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "leeway/io/images.h"
#include "leeway/nn/session.h"
#include "leeway/nn/train.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  auto& session = leeway::nn::session();
  session.set_threads(std::atoi(argv[1]));
  leeway::nn::TrainOptions options;
  options.epochs = 1;
  options.validation = 0;
  const auto out = std::filesystem::temp_directory_path() / "leeway-bench-nn_training.safetensors";
  const auto trained = session.train(leeway::read_images("fashion-mnist:train"), options, out);
  std::filesystem::remove(out);
  std::printf("{\"epoch\": %.6f, \"inference\": [", trained.epochs.front().seconds);
  const leeway::Images test = leeway::read_images("fashion-mnist:test");
  for (int i = 0; i < std::atoi(argv[2]); ++i) {
    const auto begin = Clock::now();
    const auto outputs = trained.model->outputs(test);
    std::printf("%s%.6f", i ? ", " : "", Seconds(Clock::now() - begin).count());
  }
  std::puts("]}");
}
