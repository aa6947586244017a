// Archives of torch.export made by hand: the JSON of a program and its tensors.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/io/zip.h"

namespace leeway::nn::pt2s {

using nlohmann::json;

inline json tensor(const std::string& value) { return {{"as_tensor", {{"name", value}}}}; }
inline json integer(std::int64_t value) { return {{"as_int", value}}; }

struct Input {
  std::string name;
  json argument;
};

inline json node(const std::string& target, const std::vector<Input>& inputs,
                 const std::vector<json>& outputs) {
  json list = json::array();
  for (const Input& input : inputs)
    list.push_back({{"name", input.name}, {"arg", input.argument}, {"kind", 1}});
  return {{"target", target}, {"inputs", list}, {"outputs", outputs}, {"metadata", json::object()}};
}

inline json sizes_of(const std::vector<std::int64_t>& sizes) {
  json list = json::array();
  for (const std::int64_t size : sizes)
    list.push_back(size < 0 ? json{{"as_expr", {{"expr_str", "s77"}}}} : integer(size));
  return list;
}

inline json meta_of(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
  return {{"dtype", 7},
          {"sizes", sizes_of(sizes)},
          {"strides", sizes_of(strides)},
          {"storage_offset", integer(0)},
          {"layout", 7}};
}

// A program without operators: input "x" of float32, the size -1 left open; its parameters are float32.
struct Pt2Archive {
  json program, weights = {{"config", json::object()}}, constants = weights;
  std::vector<std::pair<std::string, std::string>> members;  // bytes of the tensors, and whatever else

  explicit Pt2Archive(const std::vector<std::int64_t>& input) {
    json& module = program["graph_module"];
    module["graph"] = {{"nodes", json::array()},
                       {"tensor_values", {{"x", {{"dtype", 7}, {"sizes", sizes_of(input)}}}}}};
    module["signature"] = {{"input_specs", json::array()}, {"output_specs", json::array()}};
    module["module_call_graph"] = json::array();
    program["schema_version"] = {{"major", 8}, {"minor", 20}};
    program["torch_version"] = "2.15.0";
    inputs().push_back({{"user_input", {{"arg", tensor("x")}}}});
  }

  json& nodes() { return program["graph_module"]["graph"]["nodes"]; }
  json& inputs() { return program["graph_module"]["signature"]["input_specs"]; }
  json& outputs() { return program["graph_module"]["signature"]["output_specs"]; }

  Pt2Archive& returns(const std::string& value) {
    outputs().push_back({{"user_output", {{"arg", tensor(value)}}}});
    return *this;
  }

  // Value "p_NAME".
  Pt2Archive& parameter(const std::string& name, const std::vector<std::int64_t>& sizes,
                        const std::vector<float>& values) {
    const std::string member = "weight_" + std::to_string(members.size());
    inputs().push_back({{"parameter", {{"arg", {{"name", "p_" + name}}}, {"parameter_name", name}}}});
    weights["config"][name] = {
        {"path_name", member}, {"is_param", true}, {"use_pickle", false}, {"tensor_meta", meta_of(sizes)}};
    members.emplace_back("data/weights/" + member, std::string(reinterpret_cast<const char*>(values.data()),
                                                               values.size() * sizeof(float)));
    return *this;
  }

  [[nodiscard]] std::filesystem::path write(const std::filesystem::path& path) const {
    auto all = members;
    all.emplace_back("models/model.json", program.dump());
    all.emplace_back("data/weights/model_weights_config.json", weights.dump());
    all.emplace_back("data/constants/model_constants_config.json", constants.dump());
    all.emplace_back("byteorder", "little");
    AtomicFile file(path);
    ZipWriter zip(file);
    for (const auto& [name, bytes] : all) {
      const std::span<const std::byte> piece[] = {std::as_bytes(std::span(bytes))};
      zip.add("model/" + name, piece);
    }
    zip.finish();
    file.commit();
    return path;
  }
};

// Two logits of three numbers: (x_1 + x_2 + .5, x_3 - .5).
inline Pt2Archive linear() {
  Pt2Archive archive({-1, 3});
  archive.parameter("weight", {2, 3}, {1, 1, 0, 0, 0, 1}).parameter("bias", {2}, {.5, -.5});
  archive.nodes().push_back(
      node("torch.ops.aten.linear.default",
           {{"input", tensor("x")}, {"weight", tensor("p_weight")}, {"bias", tensor("p_bias")}},
           {tensor("linear")}));
  return archive.returns("linear");
}

}  // namespace leeway::nn::pt2s
