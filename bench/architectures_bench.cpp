// Passes over random images of 3 x 32 x 32 in [0,1], one for each line of standard input; a peer of
// peers/architectures.py. architectures_bench ARCHITECTURE THREADS IMAGES FILE.onnx
//   leeway forward | leeway gradient | onnx ... | bare ... -> seconds
// leeway: through the facade, in shards, one thread each. onnx: the same with the file. bare: the same module in a loop over batches of 128, with
// LibTorch's own threads; gradient: of the cross-entropy by the images.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "leeway/core/parallel.h"
#include "leeway/nn/detail/tensors.h"
#include "tests/nn/toy.h"

namespace {

using namespace leeway::nn;

struct Setting {
  std::shared_ptr<Network> network;
  std::unique_ptr<Model> model, onnx;
  leeway::Images images;
  torch::Tensor x, y;
};

void bare_pass(const Setting& setting, bool gradient) {
  std::vector<torch::Tensor> results;
  for (std::int64_t i = 0; i < setting.x.size(0); i += 128) {
    const std::int64_t end = std::min(i + 128, setting.x.size(0));
    const torch::Tensor x = setting.x.slice(0, i, end).detach().requires_grad_(gradient);
    const torch::Tensor logits = setting.network->forward(x).logits;
    if (gradient) {
      const torch::Tensor loss = torch::nn::functional::cross_entropy(
          logits, setting.y.slice(0, i, end),
          torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
      results.push_back(torch::autograd::grad({loss}, {x})[0]);
    } else {
      results.push_back(logits);
    }
  }
  (void)torch::cat(results);
}

void one_pass(const Setting& setting, const std::string& who, bool gradient) {
  if (who == "bare") {
    const torch::AutoGradMode mode(gradient);
    return bare_pass(setting, gradient);
  }
  const Model& model = who == "onnx" ? *setting.onnx : *setting.model;
  if (gradient)
    (void)model.input_gradients(setting.images, *setting.images.labels);
  else
    (void)model.outputs(setting.images);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int threads = std::atoi(argv[2]);
  session().set_threads(threads);
  at::set_num_threads(threads);
  const InputShape shape{3, 32, 32};
  Setting setting;
  setting.network = make_network(architecture(argv[1]), shape, 10);
  initialize(*setting.network, 1);
  setting.model = toy::model(argv[1], shape, 10);
  ModelSource source;
  source.path = argv[4];
  setting.onnx = session().load(source);
  setting.network->eval();
  for (torch::Tensor& weight : setting.network->parameters()) weight.requires_grad_(false);
  setting.images = toy::images(static_cast<std::size_t>(std::atoi(argv[3])), shape, 10);
  setting.x = pixels(setting.images, 0, setting.images.n());
  setting.y = to_tensor(*setting.images.labels, 0, setting.images.n());
  std::string who, what;
  while (std::cin >> who >> what) {
    const auto begin = std::chrono::steady_clock::now();
    one_pass(setting, who, what == "gradient");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%.6f\n", seconds.count());
    std::fflush(stdout);
  }
}
