#include <fmt/format.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/script.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/confined_model.h"
#include "leeway/nn/detail/shards.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/confinement.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/torchscript_head.h"

namespace leeway::nn {
namespace {

Forward split(const torch::jit::IValue& value) {
  if (value.isTensor()) return {value.toTensor(), {}};
  if (value.isTuple()) {
    const auto& parts = value.toTupleRef().elements();
    if (parts.size() == 2 && parts[0].isTensor() && parts[1].isTensor())
      return {parts[0].toTensor(), parts[1].toTensor()};
  }
  throw std::runtime_error("it returns " + value.tagKind() + ", not logits or (logits, features)");
}

std::vector<Layer> layers_of(const torch::jit::Module& module) {
  std::vector<Layer> layers;
  for (const auto& part : module.named_modules()) {
    Layer layer{part.name, part.value.type()->name()->name(), {}, 0};
    for (const auto& parameter : part.value.named_parameters(/*recurse=*/false)) {
      if (parameter.name == "weight") layer.shape = text_of(parameter.value.sizes());
      layer.parameters += static_cast<std::size_t>(parameter.value.numel());
    }
    if (layer.parameters > 0) layers.push_back(std::move(layer));
  }
  return layers;
}

// What a program says is not ours to print: stdout belongs to the result.
class Silence {
 public:
  Silence() : before_(std::exchange(silent, true)) {
    static std::once_flag once;
    std::call_once(once, [] { torch::jit::setPrintHandler(print); });
  }
  ~Silence() { silent = before_; }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  struct NoWarnings : c10::WarningHandler {
    void process(const c10::SourceLocation&, const std::string&, const bool) override {}
  };
  static void print(const std::string& text) {
    if (!silent) torch::jit::getDefaultPrintHandler()(text);
  }

  static inline thread_local bool silent = false;
  bool before_;
  static inline NoWarnings no_warnings;
  c10::Warning::WarningHandlerGuard guard_{&no_warnings};
};

struct Program {
  torch::jit::Module module;
  std::shared_ptr<torch::jit::GraphFunction> logits;  // without the softmax at the end; null: there is none
  torch::ScalarType type = torch::kFloat32;           // of its weights
  std::size_t rank = 4;                               // of what it takes
  bool returns_probabilities = false;

  // A copy a call: Module::forward is not const, though it changes nothing.
  Forward operator()(const torch::Tensor& x) const {
    const Silence silence;
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    torch::jit::Module own = module;
    // a copy, which the module may change in place: attacks go on with theirs
    const torch::Tensor images = of_rank(x, rank).to(type, /*non_blocking=*/false, /*copy=*/true);
    Forward result = split(logits ? (*logits)({own._ivalue(), images}) : own.forward({images}));
    if (returns_probabilities) result.logits = logarithms(result.logits);
    result.logits = result.logits.to(torch::kFloat32);
    return result;
  }
};

Program read_program(const std::string& path, torch::Device device) {
  const Silence silence;
  Program program;
  program.module = torch::jit::load(path, device);
  program.module.eval();
  std::optional<torch::ScalarType> type;
  for (torch::Tensor parameter : program.module.parameters()) {
    parameter.requires_grad_(false);
    if (!type && parameter.is_floating_point()) type = parameter.scalar_type();
  }
  program.type = type.value_or(torch::kFloat32);
  program.logits = without_softmax(program.module);
  return program;
}

// Whether the program returns probabilities for images of noise. What fails here fails for the first images too, and is
// told then.
bool finds_probabilities(const Program& program, const ModelInfo& info, const InputShape& input,
                         torch::Device device) {
  constexpr std::size_t rows = 4;
  const torch::NoGradGuard no_grad;
  const TorchThreads one(1);
  std::vector<float> noise(rows * input.pixels());
  Random random(0, stream("images of noise"), 0);
  for (float& pixel : noise) pixel = static_cast<float>(random.uniform());
  Images images;
  images.rank = input.rank;
  images.pixels = make_array({rows, input.channels, input.height, input.width}, std::move(noise));
  try {
    const torch::Tensor logits =
        normalized(info.normalization, program)(pixels(images, 0, rows).to(device)).logits;
    return logits.size(0) == static_cast<std::int64_t>(rows) && are_probabilities(logits);
  } catch (const std::exception&) {
    return false;
  }
}

std::unique_ptr<Model> load_program(ModelInfo info, const InputShape& images, torch::Device device) {
  const std::string name = display_name(info.path);
  Program program;
  try {
    program = read_program(info.path, device);
  } catch (const std::exception& failure) {
    refuse(name, "a TorchScript file", "\"" + printable(first_line(failure), 200) + "\"");
  }
  program.rank = images.rank;
  info.input.rank = images.rank;
  for (const torch::Tensor& parameter : program.module.parameters())
    info.parameters += static_cast<std::size_t>(parameter.numel());
  info.layers = layers_of(program.module);
  if (program.logits) {
    info.notes.push_back(
        fmt::format("{} ends in a softmax: logits are what goes into it, not its probabilities", name));
  } else if (images.known() && finds_probabilities(program, info, images, device)) {
    program.returns_probabilities = true;
    info.notes.push_back(fmt::format("{} returns probabilities: logits are their logarithms", name));
  }
  return make_model(std::move(info), std::move(program), nullptr, device);
}

}  // namespace

std::unique_ptr<Model> load_torchscript(ModelInfo info, const ModelSource& source) {
  const std::string name = display_name(info.path);
  const torch::Device device = device_from_name(source.device);
  const auto load = [&] { return load_program(std::move(info), source.input, device); };
  if (source.trust) {
    info.confinement = "none";
    return load();
  }
  if (!device.is_cpu())
    throw Error(
        fmt::format("{}: TorchScript is a program, and can be kept from writing files on the cpu alone: "
                    "--trust runs it on {}",
                    name, source.device));
  if (const std::string reason = why_not_confined(); !reason.empty())
    throw Error(
        fmt::format("{}: TorchScript is a program, and this machine cannot keep it from writing files ({}): "
                    "--trust runs it all the same",
                    name, reason));
  info.confinement = "seccomp";
  std::unique_ptr<Model> model;
  run_confined(name, [&] { model = load(); });
  return confined_model(std::move(model));
}

}  // namespace leeway::nn
