#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/constant_propagation.h>
#include <torch/csrc/jit/passes/dead_code_elimination.h>
#include <torch/csrc/jit/passes/inliner.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/runtime/print_handler.h>
#include <torch/script.h>
#include <torch/version.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/io/zip.h"
#include "leeway/nn/detail/tensors.h"
#include "leeway/nn/detail/torch_model.h"
#include "leeway/nn/io/load.h"
#include "leeway/nn/io/onnx_head.h"
#include "leeway/nn/io/pickle.h"

namespace leeway::nn {
namespace {

// "a tuple of 3: (4, 10), (4, 2), (4, 5)", "a dictionary of out, aux".
std::string words_of(const torch::jit::IValue& value) {
  std::vector<std::string> parts;
  const auto add = [&](const torch::jit::IValue& part) {
    parts.push_back(part.isTensor() ? text_of(part.toTensor().sizes()) : part.tagKind());
  };
  if (value.isTuple() || value.isList()) {
    if (value.isTuple()) std::ranges::for_each(value.toTupleRef().elements(), add);
    if (value.isList()) std::ranges::for_each(value.toListRef(), add);
    return fmt::format("a {} of {}: {}", value.isTuple() ? "tuple" : "list", parts.size(),
                       fmt::join(parts, ", "));
  }
  if (!value.isGenericDict()) return value.tagKind();
  for (const auto& entry : value.toGenericDict())
    parts.push_back(entry.key().isString() ? entry.key().toStringRef() : entry.key().tagKind());
  return fmt::format("a dictionary of {}", fmt::join(parts, ", "));
}

// Strided real numbers, which is what can be copied.
void check_numbers(const torch::Tensor& tensor, const char* what) {
  if (!tensor.defined()) return;
  const char* const found = tensor.is_meta()                     ? "without values"
                            : tensor.layout() != torch::kStrided ? "sparse"
                            : tensor.is_complex()                ? "complex"
                            : tensor.is_quantized()              ? "quantized"
                                                                 : nullptr;
  if (found)
    throw std::runtime_error(
        fmt::format("its {} are {}: export a module that returns real numbers", what, found));
}

Forward split(const torch::jit::IValue& value) {
  if (value.isTensor()) return {value.toTensor(), {}};
  if (value.isTuple()) {
    const auto& parts = value.toTupleRef().elements();
    if (parts.size() == 2 && parts[0].isTensor() && parts[1].isTensor())
      return {parts[0].toTensor(), parts[1].toTensor()};
  }
  if (value.isGenericDict()) {
    const auto dict = value.toGenericDict();
    const auto logits = dict.find("logits"), features = dict.find("features");
    if (logits != dict.end() && logits->value().isTensor())
      return {logits->value().toTensor(), features != dict.end() && features->value().isTensor()
                                              ? features->value().toTensor()
                                              : torch::Tensor()};
  }
  throw std::runtime_error("it returns " + words_of(value) +
                           ", not logits, (logits, features) or a dictionary with logits: export a module "
                           "that returns the classification output");
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

// What hands its first input on: the same numbers, or the same rounded.
bool torchscript_head_passes_on(const torch::jit::Node& node) {
  static const c10::Symbol kinds[] = {c10::aten::to,    c10::aten::type_as, c10::aten::contiguous,
                                      c10::aten::clone, c10::aten::detach,  c10::aten::dropout,
                                      c10::aten::alias};
  return !node.inputs().empty() && std::ranges::find(kinds, node.kind()) != std::end(kinds);
}

bool is_softmax_over_classes(const torch::jit::Node& node) {
  if (node.kind() != c10::aten::softmax && node.kind() != c10::aten::_softmax) return false;
  const auto dimension = torch::jit::constant_as<std::int64_t>(node.input(1));
  return dimension && (*dimension == 1 || *dimension == -1);
}

// The program's `forward` without the softmax (dimension 1 or last) of its first result, as in
// io/onnx_head.h; takes (module, images). Null if the inlined graph does not end in a softmax, apart from
// casts, copies and the like.
std::shared_ptr<torch::jit::GraphFunction> without_softmax(const torch::jit::Module& module) {
  const auto method = module.find_method("forward");
  if (!method) return nullptr;
  std::shared_ptr<torch::jit::Graph> graph = method->graph()->copy();
  torch::jit::Inline(*graph);
  torch::jit::ConstantPropagation(graph);  // functional.softmax chooses by whether a type was given
  if (graph->outputs().size() != 1) return nullptr;
  torch::jit::Node* user = graph->return_node();
  torch::jit::Node* const returned = user->input(0)->node();
  if (returned->kind() == c10::prim::TupleConstruct && returned->inputs().size() == 2) user = returned;
  torch::jit::Node* last = user->input(0)->node();
  while (torchscript_head_passes_on(*last)) last = last->input(0)->node();
  if (!is_softmax_over_classes(*last)) return nullptr;
  user->replaceInput(0, last->input(0));
  torch::jit::EliminateDeadCode(graph);
  auto function = std::make_shared<torch::jit::GraphFunction>("forward", graph, nullptr);
  function->setSchema(method->function().getSchema());
  return function;
}

// Whether rows (n,k), k >= 2, are probabilities: nothing below 0, sums within 1e-3 of 1.
bool are_probabilities(const torch::Tensor& rows) {
  constexpr double rounding = 1e-3;
  if (rows.dim() != 2 || rows.size(1) < 2 || !rows.is_floating_point()) return false;
  const torch::Tensor p = rows.to(torch::kFloat64);
  return p.ge(0).all().item<bool>() && p.sum(1).sub(1).abs().le(rounding).all().item<bool>();
}

// What a program prints, on any of its threads, is dropped: stdout belongs to the result.
class Silence {
 public:
  Silence() {
    static std::once_flag once;
    std::call_once(once, [] { torch::jit::setPrintHandler(print); });
    ++silences;
  }
  ~Silence() { --silences; }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
#if TORCH_VERSION_MAJOR >= 2
  using WarningHandlerGuard = c10::WarningUtils::WarningHandlerGuard;
  struct NoWarnings : c10::WarningHandler {
    void process(const c10::Warning&) override {}
  };
#else
  using WarningHandlerGuard = c10::Warning::WarningHandlerGuard;
  struct NoWarnings : c10::WarningHandler {
    void process(const c10::SourceLocation&, const std::string&, const bool) override {}
  };
#endif
  static void print(const std::string& text) {
    if (silences == 0) torch::jit::getDefaultPrintHandler()(text);
  }

  static inline std::atomic<int> silences{0};
  static inline NoWarnings no_warnings;
  WarningHandlerGuard guard_{&no_warnings};
};

struct TorchProgram {
  torch::jit::Module module;
  std::shared_ptr<torch::jit::GraphFunction> logits;  // without the softmax at the end; null: there is none
  torch::ScalarType type = torch::kFloat32;           // of its weights
  std::size_t rank = 4;                               // of what it takes
  bool returns_probabilities = false, logits_second = false;

  // A copy a call: Module::forward is not const, though it changes nothing.
  Forward operator()(const torch::Tensor& x) const {
    const Silence silence;
    const torch::jit::GraphOptimizerEnabledGuard plain(false);
    torch::jit::Module own = module;
    // a copy, which the module may change in place: attacks go on with theirs
    const torch::Tensor images = of_rank(x, rank).to(type, /*non_blocking=*/false, /*copy=*/true);
    Forward result = split(logits ? (*logits)({own._ivalue(), images}) : own.forward({images}));
    if (logits_second) std::swap(result.logits, result.features);
    check_numbers(result.logits, "logits");
    check_numbers(result.features, "features");
    if (returns_probabilities) result.logits = logarithms(result.logits);
    result.logits = result.logits.to(torch::kFloat32);
    return result;
  }
};

TorchProgram read_program(std::istream& file, torch::Device device) {
  const Silence silence;
  TorchProgram program;
  program.module = torch::jit::load(file, device);
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

// Error if the archive has fewer bytes for a tensor than its pickle says: LibTorch reads on behind them. A
// pickle that leeway cannot read is left to LibTorch.
void check_records(const std::string& path) {
  const std::string name = display_name(path);
  const MappedFile file = map_file(path);
  const std::vector<ZipMember> members = list_zip(file.bytes, name);
  for (const std::string part : {"data", "constants"})
    for (const ZipMember& member : members) {
      if (!member.name.ends_with("/" + part + ".pkl")) continue;
      const std::string folder = member.name.substr(0, member.name.size() - 4) + "/";
      pickle::Pickle content;
      try {
        content = pickle::unpickle(unpack(member, file, name).bytes, name);
      } catch (const Error&) {
        continue;
      }
      for (const pickle::Object& object : content.objects) {
        const auto* const storage = std::get_if<pickle::Storage>(&object);
        if (storage == nullptr || storage->type == nullptr || storage->count < 0) continue;
        const auto record = std::ranges::find(members, folder + storage->key, &ZipMember::name);
        if (record == members.end()) continue;
        if (record->size / storage->type->size < static_cast<std::size_t>(storage->count))
          refuse(name, fmt::format("{} elements in {}", storage->count, printable(record->name)),
                 fmt::format("{} bytes", record->size));
      }
    }
}

// What noise images give. Failures are ignored; the first real images will report them.
std::optional<Forward> outputs_of_noise(const TorchProgram& program, const ModelInfo& info,
                                        const InputShape& input, torch::Device device) {
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
    Forward found = normalized(info.normalization, program)(pixels(images, 0, rows).to(device));
    if (found.logits.size(0) == static_cast<std::int64_t>(rows)) return found;
  } catch (const std::exception&) {
  }
  return std::nullopt;
}

bool returns_tuple(const torch::jit::Module& module) {
  const auto method = module.find_method("forward");
  return method && method->function().getSchema().returns().at(0).type()->kind() == c10::TypeKind::TupleType;
}

// Numbers a row.
std::size_t width_of(const torch::Tensor& rows) {
  return static_cast<std::size_t>(rows.numel() / std::max<std::int64_t>(rows.size(0), 1));
}

}  // namespace

LoadedProgram load_torchscript(ModelInfo info, const InputShape& images, torch::Device device,
                               const std::function<void()>& before_running) {
  const std::string name = display_name(info.path);
  TorchProgram program;
  try {
    std::ifstream file(info.path, std::ios::binary);
    check_records(info.path);
    before_running();
    program = read_program(file, device);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    refuse(name, "a TorchScript file for LibTorch " TORCH_VERSION,
           fmt::format("\"{}\"; if a newer PyTorch wrote it, export the model there with "
                       "torch.export.save(torch.export.export(model.eval(), (x,)), 'model.pt2') or "
                       "torch.onnx.export(model.eval(), (x,), 'model.onnx')",
                       printable(first_line(failure), 200)));
  }
  program.rank = images.rank;
  info.input.rank = images.rank;
  for (const torch::Tensor& parameter : program.module.parameters())
    info.parameters += static_cast<std::size_t>(parameter.numel());
  info.layers = layers_of(program.module);
  const auto found = images.known() ? outputs_of_noise(program, info, images, device) : std::nullopt;
  torch::Tensor logits = found ? found->logits : torch::Tensor();
  if (found && found->features.dim() > 0 && returns_tuple(program.module)) {
    onnx::PairOfOutputs pair =
        onnx::read_pair(name, width_of(logits), width_of(found->features), info.classes);
    info.notes.push_back(std::move(pair.note));
    program.logits_second = pair.logits_second;
    if (pair.logits_second) logits = found->features, program.logits.reset();
  }
  if (program.logits) {
    info.notes.push_back(fmt::format("{} ends in a softmax: its inputs are used as logits", name));
  } else if (logits.defined() && are_probabilities(logits)) {
    program.returns_probabilities = true;
    info.notes.push_back(fmt::format("{} returns probabilities: their logarithms are used as logits", name));
  }
  return {std::move(info), std::move(program)};
}

}  // namespace leeway::nn
