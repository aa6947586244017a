// Steps of training algorithms, one for each name on standard input; a peer of peers/algorithms.py.
// algorithms_bench prints their names. algorithms_bench ARCHITECTURE SIDE CHANNELS BATCH THREADS ALGORITHM... takes lines:
//   ALGORITHM -> seconds of making its batch, of the step
//   work ALGORITHM -> multiply-adds of a step's convolutions and matrix products, forwards and backwards
//   memory -> the largest size of the process so far, MB
// Data of 10 classes, two environments, groups and unlabelled images, random pixels; the algorithm's parameters are its defaults.
// A first stage is left out: what it would have trained is a network of random weights. An algorithm that the architecture does not
// permit answers "none".
#include <torch/torch.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>

#include "leeway/core/error.h"
#include "leeway/core/parallel.h"
#include "leeway/nn/train/algorithm.h"
#include "leeway/nn/train/training_set.h"
#include "tests/nn/toy.h"

namespace {

using namespace leeway::nn;

constexpr std::size_t classes = 10;

leeway::data::TrainingData make_data(const InputShape& shape, std::size_t n) {
  leeway::data::TrainingData data(toy::images(n, shape, classes));
  leeway::GroupColumn colour{"colour", {"blue", "red"}, {}}, camera{"camera", {"a", "b"}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    colour.codes.push_back(i % 3 == 0);
    camera.codes.push_back(i % 5 < 2);
  }
  data.groups = {colour};
  data.environment = camera;
  data.unlabelled = toy::images(n, shape, classes, 2);
  data.unlabelled->labels.reset();
  return data;
}

std::shared_ptr<Network> random_network(const std::string& name, const InputShape& shape) {
  auto network = make_network(architecture(name), shape, classes);
  initialize(*network, 1);
  return network;
}

class Stepper {
 public:
  Stepper(const leeway::data::TrainingData& data, const std::string& backbone, const std::string& name,
          std::size_t batch)
      : member_(algorithm(name)), parameters_(complete_parameters(member_, {})) {
    options_.algorithm = name;
    options_.batch = batch;
    options_.validation = 0;
    set_ = std::make_unique<TrainingSet>(data, options_, member_.needs(parameters_), name);
    const InputShape shape = shape_of(data.images);
    const std::string own = member_.network_of(backbone, parameters_);
    AlgorithmSetting setting;
    setting.network = random_network(own, shape);
    setting.another = [own, shape] { return make_network(architecture(own), shape, classes); };
    setting.parameters = parameters_;
    const std::string_view output = architecture(own).output;
    setting.head = output.substr(0, output.rfind('.') + 1);
    setting.features = hidden_units(*setting.network, shape);
    setting.classes = classes;
    if (const auto base = member_.base_of(parameters_)) {
      const AlgorithmMember& first = algorithm(base->algorithm);
      setting.base =
          random_network(first.network_of(backbone, complete_parameters(first, base->parameters)), shape);
      setting.base->eval();
    }
    setting.input = shape;
    algorithm_ = member_.make(setting);
    algorithm_->attach(*set_);
    algorithm_->prepare(*set_);
    algorithm_->set_training(true);
    begin_epoch();
  }

  Minibatches batches() {
    if (place_ == set_->steps()) ++epoch_, begin_epoch();
    Minibatches made = set_->minibatches(place_++);
    made.step = ++step_, made.steps = 1000;
    return made;
  }
  void step(const Minibatches& batches) { (void)algorithm_->update(batches); }

 private:
  void begin_epoch() {
    set_->begin_epoch(epoch_);
    place_ = 0;
  }

  const AlgorithmMember& member_;
  std::map<std::string, double> parameters_;
  TrainOptions options_;
  std::unique_ptr<TrainingSet> set_;
  std::unique_ptr<Algorithm> algorithm_;
  std::size_t epoch_ = 1, place_ = 0, step_ = 0;
};

double elements(const c10::IValue& value) { return static_cast<double>(value.toTensor().numel()); }

// Multiply-adds of what a step calls, as it is told before each call. A gradient of a convolution costs as much as the convolution.
double work = 0;

std::unique_ptr<at::ObserverContext> count_work(const at::RecordFunction& function) {
  const auto inputs = function.inputs();
  const std::string_view name = function.name();
  const auto of_convolution = [](const c10::IValue& output, const c10::IValue& weight) {
    return elements(output) * elements(weight) / static_cast<double>(weight.toTensor().size(0));
  };
  if (name == "aten::convolution_backward") {
    const auto wanted = inputs[10].toBoolList();
    const bool transposed = inputs[7].toBool();
    work += (static_cast<double>(wanted[0]) + static_cast<double>(wanted[1])) *
            of_convolution(transposed ? inputs[1] : inputs[0], inputs[2]);
  } else if (name == "aten::mm" || name == "aten::bmm") {
    work += elements(inputs[0]) * static_cast<double>(inputs[1].toTensor().size(-1));
  } else if (name == "aten::addmm") {
    work += elements(inputs[1]) * static_cast<double>(inputs[2].toTensor().size(-1));
  } else if (name == "leeway::convolution" || name == "leeway::convolution_transposed") {
    const torch::Tensor x = inputs[0].toTensor(),
                        w = inputs[1].toTensor();  // every tap once a place of the smaller side
    const bool transposed = name.ends_with("transposed");
    double cells = static_cast<double>(x.size(0));
    for (const int i : {2, 3}) cells *= static_cast<double>(x.size(i) - (transposed ? 0 : w.size(i) - 1));
    work += cells * elements(inputs[1]);
  } else if (name == "aten::convolution") {
    const torch::Tensor x = inputs[0].toTensor(), w = inputs[1].toTensor();
    double cells = inputs[6].toBool() ? elements(inputs[0]) / static_cast<double>(w.size(0))
                                      : static_cast<double>(x.size(0));
    if (!inputs[6].toBool())
      for (std::int64_t i = 0; i < 2; ++i) {
        const auto at = [&](int input) {
          const auto list = inputs[static_cast<std::size_t>(input)].toIntVector();
          return list.size() == 1 ? list[0] : list[static_cast<std::size_t>(i)];
        };
        const std::int64_t reach = at(5) * (w.size(i + 2) - 1) + 1;
        cells *= static_cast<double>((x.size(i + 2) + 2 * at(4) - reach) / at(3) + 1);
      }
    work += cells * elements(inputs[1]);
  }
  return nullptr;
}

double work_of(Stepper& stepper) {
  const Minibatches batches = stepper.batches();
  work = 0;
  const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(count_work).needsInputs(true));
  stepper.step(batches);
  at::removeCallback(handle);
  return work;
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::atof(line.c_str() + 6) / 1024;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1)
    for (const AlgorithmMember& member : algorithms()) std::cout << member.name << '\n';
  if (argc < 7) return argc == 1 ? 0 : 2;
  const auto number = [&](int i) { return static_cast<std::size_t>(std::atoi(argv[i])); };
  const std::size_t batch = number(4);
  session().set_threads(std::atoi(argv[5]));
  at::set_num_threads(std::atoi(argv[5]));
  const leeway::data::TrainingData data = make_data({number(3), number(2), number(2)}, 8 * batch);
  std::map<std::string, std::unique_ptr<Stepper>> steppers;
  for (int i = 6; i < argc; ++i) {
    try {
      steppers[argv[i]] = std::make_unique<Stepper>(data, argv[1], argv[i], batch);
    } catch (const leeway::Error& error) {
      std::cerr << error.what() << '\n';
    }
  }
  const auto seconds = [](const auto& run) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::string name;
  while (std::cin >> name) {
    const bool counted = name == "work";
    if (counted) std::cin >> name;
    if (name == "memory") {
      std::printf("%.1f\n", peak_megabytes());
    } else if (!steppers.contains(name)) {
      std::puts("none");
    } else if (counted) {
      std::printf("%.9g\n", work_of(*steppers.at(name)));
    } else {
      Minibatches batches;
      const double made = seconds([&] { batches = steppers.at(name)->batches(); });
      std::printf("%.6f %.6f\n", made, seconds([&] { steppers.at(name)->step(batches); }));
    }
    std::fflush(stdout);
  }
}
