#include "leeway/nn/io/onnx_head.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "leeway/core/message.h"

namespace leeway::nn::onnx {

std::int64_t integer_attribute(const Node& node, const std::string& name, std::int64_t otherwise) {
  const auto found = node.attributes.find(name);
  const auto* const value =
      found == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  return value == nullptr ? otherwise : *value;
}

namespace {

constexpr std::string_view onnx_head_passes_on[] = {"Identity", "Cast", "Dropout"};
constexpr std::string_view rearranges[] = {"Identity", "Cast", "Dropout", "Flatten", "Reshape", "Squeeze"};
constexpr std::string_view adds_bias[] = {"Add", "Sub"};

class Tail {
 public:
  explicit Tail(const Graph& graph) {
    for (const Value& input : graph.inputs) depends_.insert(input.name);
    for (const Node& node : graph.nodes) {
      const bool depends = std::ranges::any_of(
          node.inputs, [&](const std::string& input) { return depends_.contains(input); });
      for (const std::string& output : node.outputs) {
        makers_[output] = &node;
        if (depends) depends_.insert(output);
      }
    }
  }

  [[nodiscard]] const Node* maker(const std::string& value) const {
    const auto found = makers_.find(value);
    return found == makers_.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool depends_on_input(const std::string& value) const { return depends_.contains(value); }

  // The value before nodes of those operators, as far back as they go.
  template <class Names>
  [[nodiscard]] std::string before(std::string value, const Names& names) const {
    for (const Node* node = maker(value); node != nullptr; node = maker(value)) {
      if (!node->domain.empty() || std::ranges::find(names, node->op) == std::end(names) ||
          node->inputs.empty())
        break;
      value = node->inputs[0];
    }
    return value;
  }

 private:
  std::map<std::string, const Node*> makers_;
  std::set<std::string> depends_;
};

// Softmax over axis 1 or the last one: of (n, k) the same.
bool is_softmax_over_classes(const Node& node, std::int64_t opset) {
  const std::int64_t axis = integer_attribute(node, "axis", opset < 13 ? 1 : -1);
  return node.domain.empty() && node.op == "Softmax" && node.inputs.size() == 1 && (axis == 1 || axis == -1);
}

// Declared columns; 0: unknown.
std::size_t width_of(const Value& value) {
  const bool matrix = value.shape && value.shape->size() == 2 && value.shape->back() != any_size;
  return matrix ? static_cast<std::size_t>(value.shape->back()) : 0;
}

// Declared as (n) or (n,1).
bool is_single(const Value& value) {
  return value.shape && (value.shape->size() == 1 || (value.shape->size() == 2 && value.shape->back() == 1));
}

// What the layer that makes `logits` multiplies by its weights; "" where there is no such layer.
std::string last_hidden(const Tail& tail, const std::string& logits) {
  std::string value = tail.before(logits, rearranges);
  for (const Node* node = tail.maker(value); node != nullptr && node->inputs.size() > 1;
       node = tail.maker(value)) {
    const std::string &first = node->inputs[0], &second = node->inputs[1];
    const bool one_constant = tail.depends_on_input(first) != tail.depends_on_input(second);
    if (!node->domain.empty() || !one_constant) return "";
    if (std::ranges::find(adds_bias, node->op) != std::end(adds_bias)) {
      value = tail.before(tail.depends_on_input(first) ? first : second, rearranges);
      continue;
    }
    const bool product =
        node->op == "MatMul" || (node->op == "Gemm" && integer_attribute(*node, "transA", 0) == 0);
    const bool weights_second = tail.depends_on_input(first);
    if (!product || !weights_second || tail.maker(tail.before(first, rearranges)) == nullptr) return "";
    return first;
  }
  return "";
}

}  // namespace

PairOfOutputs read_pair(const std::string& name, std::size_t first, std::size_t second, std::size_t classes) {
  PairOfOutputs pair{classes > 0 && second == classes && first != classes, {}};
  const auto columns = [](std::size_t width) { return width > 0 ? fmt::format(" ({} columns)", width) : ""; };
  const std::string one = "the first" + columns(first), two = "the second" + columns(second);
  pair.note = fmt::format("{} returns two outputs without names: {} is read as logits, {} as features", name,
                          pair.logits_second ? two : one, pair.logits_second ? one : two);
  if (!pair.logits_second && second > 0 && first > second && first != classes)
    pair.note += fmt::format(
        "; features are usually wider: if the second output is the logits, write classes = {} to {}.toml",
        second, name);
  return pair;
}

Head find_head(const Graph& graph, const std::string& file, Binary binary, std::size_t classes) {
  const Tail tail(graph);
  const std::vector<Value>& outputs = graph.outputs;
  const auto named = std::ranges::find(outputs, "logits", &Value::name);
  std::vector<std::string> names;
  for (const Value& output : outputs) names.push_back(printable(output.name));
  if (outputs.size() > 2 && named == outputs.end())
    refuse(file, "one output (logits), two (logits, features) or an output named 'logits'",
           fmt::format("{} outputs: {}", outputs.size(), fmt::join(names, ", ")));
  Head head;
  const bool pair = outputs.size() == 2 && named == outputs.end();
  auto place =
      pair ? 0 : static_cast<std::size_t>(named - outputs.begin()) % outputs.size();  // of the logits
  if (pair && outputs[0].name == "features") {
    place = 1;
  } else if (pair && outputs[1].name != "features") {
    PairOfOutputs read = read_pair(file, width_of(outputs[0]), width_of(outputs[1]), classes);
    place = read.logits_second ? 1 : 0;
    head.notes.push_back(std::move(read.note));
  }
  const Value& output = outputs[place];
  head.logits = output.name;
  const Node* const last = tail.maker(tail.before(head.logits, onnx_head_passes_on));
  if (last != nullptr && is_softmax_over_classes(*last, graph.opset)) {
    head.logits = last->inputs[0];
    head.notes.push_back(fmt::format("{} ends in a Softmax: its inputs are used as logits", file));
  }
  if (last != nullptr && binary == Binary::prob && is_single(output) && last->domain.empty() &&
      last->op == "Sigmoid" && last->inputs.size() == 1) {
    head.logits = last->inputs[0];
    head.logit_of_sigmoid = true;
    head.notes.push_back(fmt::format("{} ends in a Sigmoid: its input is used as the logit", file));
  }
  if (outputs.size() == 2 && (pair || place == 0))
    head.features = outputs[1 - place].name;
  else
    head.features = last_hidden(tail, head.logits);
  return head;
}

}  // namespace leeway::nn::onnx
