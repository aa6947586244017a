#include "leeway/nn/onnx/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/nn/detail/tensors.h"

namespace leeway::nn::onnx {
namespace {

constexpr std::size_t program_absent = 0;  // the slot of inputs that a node leaves out
constexpr std::size_t most_folded_bytes = std::size_t{1} << 30;

// The nodes that `outputs` need, by number.
std::set<std::size_t> needed_nodes(const Graph& graph, const std::vector<std::string>& outputs) {
  std::map<std::string_view, std::size_t> makers;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::string& output : graph.nodes[i].outputs)
      if (!output.empty()) makers[output] = i;
  std::set<std::size_t> needed;
  std::vector<std::string_view> open(outputs.begin(), outputs.end());
  while (!open.empty()) {
    const auto maker = makers.find(open.back());
    open.pop_back();
    if (maker == makers.end() || !needed.insert(maker->second).second) continue;
    const auto& inputs = graph.nodes[maker->second].inputs;
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return needed;
}

// Outputs that the node leaves out at its end are not asked for.
std::vector<std::string> wanted_outputs(const Node& node) {
  std::vector<std::string> outputs = node.outputs;
  while (!outputs.empty() && outputs.back().empty()) outputs.pop_back();
  return outputs;
}

// All on one device where any is on another than the CPU.
Tensors together(Tensors inputs) {
  const auto placed = std::ranges::find_if(
      inputs, [](const torch::Tensor& tensor) { return tensor.defined() && !tensor.is_cpu(); });
  if (placed == inputs.end()) return inputs;
  const torch::Device device = placed->device();
  for (torch::Tensor& tensor : inputs)
    if (tensor.defined()) tensor = tensor.to(device);
  return inputs;
}

// What the kernel gives, at least as much as the node names. Failures name the node.
Tensors run_kernel(const Kernel& kernel, const Tensors& inputs, const Batch& batch, std::size_t wanted,
                   const std::string& where) {
  Tensors results;
  try {
    results = kernel(inputs, batch);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& failure) {
    throw std::runtime_error(fmt::format("{}: {}", where, first_line(failure)));
  }
  if (results.size() < wanted)
    refuse(where, fmt::format("{} outputs", results.size()), std::to_string(wanted));
  return results;
}

constexpr double most_difference = 1e-3;  // of the largest output; kernels differ by 1e-5 with the batch

torch::Tensor random_rows(std::int64_t rows, const torch::Tensor& like, double scale) {
  Integers sizes = like.sizes().vec();
  sizes.at(0) = rows;
  torch::Tensor x = torch::empty(sizes, torch::kFloat32);
  Random random(0, stream("onnx rows"), 0);
  std::generate_n(x.data_ptr<float>(), x.numel(),
                  [&] { return static_cast<float>(random.uniform() * scale); });
  return x.to(like.device(), like.scalar_type());
}

bool agree(const Forward& a, const Forward& b) {
  if (a.logits.sizes() != b.logits.sizes() || a.features.defined() != b.features.defined()) return false;
  const torch::Tensor x = a.logits.to(torch::kFloat64), y = b.logits.to(torch::kFloat64);
  return (x - y).abs().max().item<double>() <= most_difference * y.abs().max().item<double>();
}

}  // namespace

Program::Program(const Graph& graph, const std::vector<std::string>& outputs, const std::string& file,
                 torch::Device device, const std::map<std::string, torch::Tensor>& known) {
  const torch::NoGradGuard no_grad;
  const TorchThreads one(1);  // what is folded has the same bits on any machine's threads
  constants_.emplace_back();  // `absent`
  for (const Value& input : graph.inputs) inputs_.push_back(slot_of(input.name));
  for (const auto& [name, value] : known) constants_[slot_of(name)] = value;
  const std::set<std::size_t> needed = needed_nodes(graph, outputs);
  std::set<std::string> used(outputs.begin(), outputs.end());
  for (const std::size_t i : needed) used.insert(graph.nodes[i].inputs.begin(), graph.nodes[i].inputs.end());
  for (const auto& [name, array] : graph.initializers) {
    if (!used.contains(name)) continue;
    constants_[slot_of(name)] = tensor_of(array, fmt::format("{}: tensor {}", file, in_quotes(name)));
    if (array.is_float()) parameters_ += array.size();
  }
  for (const std::size_t i : needed) add_node(graph, graph.nodes[i], file);
  for (const std::string& output : outputs) {
    if (!slots_.contains(output)) refuse(file, "outputs that the graph produces", in_quotes(output));
    outputs_.push_back(slot_of(output));
  }
  forget_after_last_use();
  slots_.clear();
  for (torch::Tensor& constant : constants_)
    if (constant.defined() && constant.is_floating_point()) constant = constant.to(device);
}

Program::Slot Program::slot_of(const std::string& value) {
  if (value.empty()) return program_absent;
  const auto [found, is_new] = slots_.emplace(value, constants_.size());
  if (is_new) constants_.emplace_back();
  return found->second;
}

void Program::add_node(const Graph& graph, const Node& node, const std::string& file) {
  const std::string where = place_of(node, graph.opset, file);
  Tensors constants;
  bool foldable = true;
  for (const std::string& input : node.inputs) {
    constants.push_back(constants_[slot_of(input)]);
    foldable = foldable && (input.empty() || constants.back().defined());
  }
  const Kernel kernel = prepare_node(node, graph.opset, constants, where);
  if (foldable) {
    fold(kernel, node, constants, where);
    return;
  }
  Step step{kernel, where, {}, {}, {}};
  for (const std::string& input : node.inputs) step.inputs.push_back(slot_of(input));
  for (const std::string& output : wanted_outputs(node)) step.outputs.push_back(slot_of(output));
  steps_.push_back(std::move(step));
}

// Computed here and once, where nothing of it depends on an input.
void Program::fold(const Kernel& kernel, const Node& node, const Tensors& inputs, const std::string& where) {
  const std::vector<std::string> outputs = wanted_outputs(node);
  Tensors results;
  try {
    results = run_kernel(kernel, inputs, {}, outputs.size(), where);
  } catch (const std::runtime_error& failure) {
    refuse(where, "constants with matching shapes", "\"" + printable(first_line(failure), 300) + "\"");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    folded_bytes_ += results[i].storage().nbytes();
    if (folded_bytes_ > most_folded_bytes) refuse(where, "less than 1 GiB of computed constants", "more");
    constants_[slot_of(outputs[i])] = results[i];
  }
}

void Program::forget_after_last_use() {
  std::set<Slot> used(outputs_.begin(), outputs_.end());
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const Slot slot : step->inputs)
      if (used.insert(slot).second && !constants_[slot].defined()) step->last_used.push_back(slot);
    for (const Slot slot : step->outputs)
      if (used.insert(slot).second && slot != program_absent)
        step->last_used.push_back(slot);  // nobody asks for it
  }
  for (Slot slot = 0; slot < constants_.size(); ++slot)
    if (!used.contains(slot)) constants_[slot].reset();
}

Tensors Program::run(const Tensors& inputs, const Batch& batch) const {
  TORCH_CHECK(inputs.size() == inputs_.size(), inputs_.size(), " inputs, not ", inputs.size());
  Tensors values = constants_;
  for (std::size_t i = 0; i < inputs.size(); ++i) values[inputs_[i]] = inputs[i];
  Tensors taken;
  for (const Step& step : steps_) {
    taken.clear();
    for (const Slot slot : step.inputs) taken.push_back(values[slot]);
    Tensors made = run_kernel(step.kernel, together(taken), batch, step.outputs.size(), step.where);
    for (std::size_t i = 0; i < step.outputs.size(); ++i)
      if (step.outputs[i] != program_absent) values[step.outputs[i]] = std::move(made[i]);
    taken.clear();
    for (const Slot slot : step.last_used) values[slot].reset();
  }
  Tensors results;
  for (const Slot slot : outputs_) results.push_back(values[slot]);
  return results;
}

RowRunner::RowRunner(RunGraph graph, bool has_features, std::int64_t declared_batch, double scale,
                     std::string name)
    : graph_(std::move(graph)),
      has_features_(has_features),
      declared_(declared_batch),
      group_(std::max<std::int64_t>(declared_batch, 1)),
      scale_(scale),
      name_(std::move(name)) {}

Forward RowRunner::operator()(const torch::Tensor& x) const {
  if (x.size(0) == group_) return run(x);
  return goes_together(x) ? run(x) : run_in_groups(x, group_);
}

bool RowRunner::goes_together(const torch::Tensor& like) const {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = together_.emplace(like.sizes().slice(1).vec(), false);
  if (is_new) {
    try {
      found->second = check(like);
    } catch (...) {
      together_.erase(found);
      throw;
    }
  }
  return found->second;
}

Forward RowRunner::run(const torch::Tensor& x) const {
  Tensors results = graph_(x, {declared_, x.size(0)});
  Forward forward;
  forward.logits = results[0];
  while (forward.logits.dim() > 2 && forward.logits.size(-1) == 1)
    forward.logits = forward.logits.squeeze(-1);
  if (has_features_ && results[1].dim() > 1 && results[1].size(0) == x.size(0) &&
      results[1].is_floating_point())
    forward.features = results[1];
  return forward;
}

Forward RowRunner::run_in_groups(const torch::Tensor& x, std::int64_t group) const {
  const std::int64_t n = x.size(0);
  Tensors logits, features;
  for (std::int64_t begin = 0; begin < n; begin += group) {
    torch::Tensor rows = x.slice(0, begin, std::min(n, begin + group));
    const std::int64_t there = rows.size(0);
    if (there < group) {
      Integers copies(static_cast<std::size_t>(x.dim()), -1);
      copies[0] = group - there;
      rows = torch::cat({rows, rows.slice(0, there - 1).expand(copies)});
    }
    const Forward part = run(rows);
    TORCH_CHECK(part.logits.dim() > 0 && part.logits.size(0) == group, "outputs with one row for each input");
    logits.push_back(part.logits.slice(0, 0, there));
    if (part.features.defined()) features.push_back(part.features.slice(0, 0, there));
  }
  return {torch::cat(logits), features.empty() ? torch::Tensor() : torch::cat(features)};
}

bool RowRunner::check(const torch::Tensor& like) const {
  const torch::NoGradGuard no_grad;
  if (group_ <= most_checked) return agrees_in_groups(like, group_ == 1 ? 3 : group_ + 1, group_);
  try {
    if (agrees_in_groups(like, 3, 1)) return true;
  } catch (const std::exception&) {  // one row alone does not run: its shapes say how many there are
  }
  const std::int64_t each = like.numel() / like.size(0);
  if (group_ > most_numbers / std::max<std::int64_t>(each, 1))
    refuse(name_, "a graph with a dynamic batch axis (see dynamic axes in the exporter)",
           fmt::format(
               "one for exactly {0} rows: every pass would compute all {0}, {1:.3g} GB for the input alone",
               group_, 4e-9 * static_cast<double>(group_) * static_cast<double>(each)));
  return agrees_in_groups(like, group_ + 1, group_);
}

bool RowRunner::agrees_in_groups(const torch::Tensor& like, std::int64_t rows, std::int64_t group) const {
  const torch::Tensor x = random_rows(rows, like, scale_);
  const Forward expected = run_in_groups(x, group);
  try {
    return agree(run(x), expected);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace leeway::nn::onnx
