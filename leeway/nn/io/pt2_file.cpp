#include "leeway/nn/io/pt2_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "leeway/core/message.h"
#include "leeway/io/zip.h"
#include "leeway/nn/io/strided.h"

namespace leeway::nn::pt2 {
namespace {

using nlohmann::json;

constexpr std::int64_t schema = 8;
constexpr std::int64_t strided_layout = 7;  // in the file

// Types by their numbers in the file, LibTorch's numbers, and the storages that hold them.
struct NumberType {
  std::int64_t code, in_libtorch;
  std::string_view name, storage;
};
constexpr NumberType number_types[] = {
    {1, 0, "uint8", "torch.ByteStorage"},    {2, 1, "int8", "torch.CharStorage"},
    {3, 2, "int16", "torch.ShortStorage"},   {4, 3, "int32", "torch.IntStorage"},
    {5, 4, "int64", "torch.LongStorage"},    {6, 6, "float16", "torch.HalfStorage"},
    {7, 6, "float32", "torch.FloatStorage"}, {8, 7, "float64", "torch.DoubleStorage"},
    {12, 11, "bool", "torch.BoolStorage"},   {13, 6, "bfloat16", "torch.BFloat16Storage"}};

// An argument, an input and the like is an object of one entry, whose key says what it is.
const std::string& kind_of(const json& object) {
  if (!object.is_object() || object.size() != 1)
    throw json::other_error::create(501, "an object of one entry is missing", &object);
  return object.get_ptr<const json::object_t*>()->begin()->first;
}

Argument whole_number(std::int64_t value) { return {.kind = Kind::integer, .integer = value}; }
Argument flag(bool value) { return {.kind = Kind::flag, .integer = value ? 1 : 0}; }
Argument reference(std::string name) { return {.kind = Kind::reference, .text = std::move(name)}; }

Argument number(const json& value) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Argument number{.kind = Kind::number};
  if (value == "Infinity")
    number.number = infinity;
  else if (value == "-Infinity")
    number.number = -infinity;
  else
    number.number = value == "NaN" ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
  return number;
}

class Reader {
 public:
  Reader(const MappedFile& file, std::string_view name)
      : file_(file), name_(name), members_(list_zip(file.bytes, name)) {}

  [[nodiscard]] Graph read() {
    find_prefix();
    const MappedFile order = member("byteorder");
    if (!order.text().starts_with("little")) refuse(name_, "little-endian tensors", in_quotes(order.text()));
    const json program = parse("models/model.json");
    graph_.writer = program.value("torch_version", "");
    if (const std::int64_t found = integer(program.at("schema_version").at("major")); found != schema)
      refuse(name_, fmt::format("schema {} of torch.export", schema),
             fmt::format("schema {}, written by PyTorch {}", found, printable(graph_.writer)));
    weights_ = parse("data/weights/model_weights_config.json").at("config");
    constants_ = parse("data/constants/model_constants_config.json").at("config");
    budget_.left = (std::size_t{64} << 20) + 16 * file_.bytes.size();
    const json &module = program.at("graph_module"), &graph = module.at("graph");
    read_inputs(module.at("signature").at("input_specs"));
    read_user_input(graph.at("tensor_values"));
    for (const json& one : graph.at("nodes")) graph_.nodes.push_back(node(one));
    read_outputs(module.at("signature").at("output_specs"));
    read_output_names(module.at("module_call_graph"));
    return std::move(graph_);
  }

 private:
  [[nodiscard]] MappedFile member(const std::string& name) const {
    const auto found = std::ranges::find(members_, prefix_ + name, &ZipMember::name);
    if (found == members_.end())
      refuse(name_, "an archive of torch.export with a member " + printable(name, 200), "none");
    return unpack(*found, file_, fmt::format("{}: {}", name_, printable(name, 200)));
  }

  [[nodiscard]] json parse(const std::string& name) const {
    const MappedFile bytes = member(name);
    return json::parse(bytes.text());
  }

  void find_prefix() {
    constexpr std::string_view program = "models/model.json";
    for (const ZipMember& one : members_) {
      if (one.name.ends_with("serialized_exported_program.json"))
        refuse(name_, "an archive of torch.export by PyTorch 2.9 or later",
               "one by PyTorch 2.8 or earlier; export it again, or as ONNX");
      if (!one.name.ends_with(program)) continue;
      const std::string prefix = one.name.substr(0, one.name.size() - program.size());
      if (prefix.find('/') == prefix.size() - 1) prefix_ = prefix;
    }
  }

  [[nodiscard]] std::int64_t integer(const json& value) const {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()))
      refuse(name_, "integers", value.type_name());
    return value.get<std::int64_t>();
  }

  [[nodiscard]] const NumberType& type_of(const json& code) const {
    const auto* const found = std::ranges::find(number_types, integer(code), &NumberType::code);
    if (found == std::end(number_types)) refuse(name_, "tensors of real numbers", "type " + code.dump());
    return *found;
  }

  [[nodiscard]] std::vector<std::int64_t> integers(const json& list) const {
    std::vector<std::int64_t> numbers;
    for (const json& one : list) numbers.push_back(integer(one.at("as_int")));
    return numbers;
  }

  void define(const std::string& value) {
    if (!defined_.insert(value).second)
      refuse(name_, "values with different names", in_quotes(value) + " twice");
  }

  [[nodiscard]] std::string defined(const json& name) const {
    auto value = name.get<std::string>();
    if (!defined_.contains(value)) refuse(name_, "values that an earlier operator makes", in_quotes(value));
    return value;
  }

  void read_inputs(const json& specifications) {
    for (const json& specification : specifications) {
      const std::string kind = kind_of(specification);
      if (kind == "parameter" || kind == "buffer" || kind == "tensor_constant") {
        read_weight(specification.at(kind), kind);
      } else if (kind == "user_input" && graph_.input.empty()) {
        graph_.input = specification.at(kind).at("arg").at("as_tensor").at("name").get<std::string>();
        define(graph_.input);
      } else {
        refuse(name_, "a model that takes one tensor",
               kind == "user_input" ? "several inputs" : "an input " + in_quotes(kind));
      }
    }
    if (graph_.input.empty()) refuse(name_, "a model that takes one tensor", "no input");
  }

  // Parameters and persistent buffers are weights of the archive, the others are its constants.
  void read_weight(const json& specification, const std::string& kind) {
    Weight weight;
    weight.value = specification.at("arg").at("name").get<std::string>();
    weight.is_parameter = kind == "parameter";
    weight.parameter = specification.at(kind + "_name").get<std::string>();
    const std::string where = fmt::format("{}: {}", name_, printable(weight.parameter, 200));
    const auto in_weights = weights_.find(weight.parameter), in_constants = constants_.find(weight.parameter);
    if (in_weights == weights_.end() && in_constants == constants_.end())
      refuse(where, "a tensor of the archive", "none");
    weight.array = in_weights != weights_.end() ? tensor(*in_weights, "data/weights/", where)
                                                : tensor(*in_constants, "data/constants/", where);
    define(weight.value);
    graph_.weights.push_back(std::move(weight));
  }

  [[nodiscard]] Array tensor(const json& entry, const std::string& folder, const std::string& where) {
    if (entry.value("use_pickle", false)) refuse(where, "a tensor as plain bytes", "a pickled one");
    const json& facts = entry.at("tensor_meta");
    if (integer(facts.at("layout")) != strided_layout) refuse(where, "a dense tensor", "another layout");
    const StridedView view{integer(facts.at("storage_offset").at("as_int")), integers(facts.at("sizes")),
                           integers(facts.at("strides"))};
    const StorageType* const type = find_storage_type(type_of(facts.at("dtype")).storage);
    return make_strided(view, *type, member(folder + entry.at("path_name").get<std::string>()), budget_,
                        where);
  }

  void read_user_input(const json& tensor_values) {
    const json& facts = tensor_values.at(graph_.input);
    graph_.input_type = type_of(facts.at("dtype")).name;
    for (const json& one : facts.at("sizes"))
      graph_.shape.push_back(one.contains("as_int") ? integer(one.at("as_int")) : -1);
  }

  void read_outputs(const json& specifications) {
    for (const json& specification : specifications) {
      const std::string kind = kind_of(specification);
      if (kind != "user_output")
        refuse(name_, "a model that changes nothing (call model.eval() before torch.export.export)",
               "a " + in_quotes(kind));
      const json& value = specification.at(kind).at("arg");
      if (!value.contains("as_tensor"))
        refuse(name_, "a model that returns tensors", in_quotes(kind_of(value)));
      graph_.outputs.push_back(defined(value.at("as_tensor").at("name")));
    }
  }

  // The description of the call, itself JSON, has the names of a dictionary:
  //   [1, {"type": "builtins.dict", "context": "[\"logits\", \"features\"]", "children_spec": [...]}]
  void read_output_names(const json& calls) {
    if (calls.empty() || !calls[0].contains("signature") || !calls[0]["signature"].is_object()) return;
    const json structure = json::parse(calls[0]["signature"].at("out_spec").get<std::string>());
    const json& root = structure.at(1);
    if (root.at("type") != "builtins.dict") return;
    const json names = json::parse(root.at("context").get<std::string>());
    if (names.size() != graph_.outputs.size()) return;
    for (const json& one : names)
      graph_.output_names.push_back(one.is_string() ? one.get<std::string>() : "");
  }

  [[nodiscard]] Node node(const json& value) {
    Node node;
    node.target = value.at("target").get<std::string>();
    const std::string where = fmt::format("{}: {}", name_, printable(node.target, 200));
    for (const json& input : value.at("inputs")) {
      node.names.push_back(input.at("name").get<std::string>());
      node.arguments.push_back(argument(input.at("arg"), where));
    }
    for (const json& result : value.at("outputs")) read_result(result, node, where);
    if (node.returns_list && value.at("outputs").size() != 1)
      refuse(where, "one list as the output", "several outputs");
    return node;
  }

  [[nodiscard]] Argument argument(const json& object, const std::string& where) const {
    constexpr std::string_view lists[] = {"as_tensors", "as_optional_tensors", "as_ints", "as_floats",
                                          "as_bools",   "as_sym_ints"};
    constexpr std::string_view sizes[] = {"as_sym_int", "as_sym_bool"};
    const std::string kind = kind_of(object);
    const json& value = object.at(kind);
    if (kind == "as_tensor") return reference(defined(value.at("name")));
    if (kind == "as_optional_tensor") return optional_tensor(value);
    if (kind == "as_none") return {};
    if (kind == "as_bool") return flag(value.get<bool>());
    if (kind == "as_int") return whole_number(integer(value));
    if (kind == "as_float") return number(value);
    if (kind == "as_string") return {.kind = Kind::text, .text = value.get<std::string>()};
    if (kind == "as_device") return {.kind = Kind::device};
    if (kind == "as_scalar_type") return whole_number(type_of(value).in_libtorch);
    if (kind == "as_layout" && integer(value) == strided_layout) return whole_number(0);
    if (kind == "as_memory_format") {
      constexpr std::int64_t in_libtorch[] = {-1, 0, 2, 3,
                                              1};  // unknown, contiguous, channels last, of volumes, preserve
      const std::int64_t code = integer(value);
      if (code > 0 && code < std::ssize(in_libtorch)) return whole_number(in_libtorch[code]);
    }
    if (std::ranges::find(sizes, kind) != std::end(sizes)) return size(value);
    if (std::ranges::find(lists, kind) != std::end(lists)) return list(value, kind);
    refuse(where, "an operator on numbers and tensors",
           kind == "as_graph" ? "control flow" : in_quotes(kind));
  }

  [[nodiscard]] Argument list(const json& values, const std::string& kind) const {
    Argument list{.kind = Kind::list};
    for (const json& value : values) {
      if (kind == "as_tensors")
        list.list.push_back(reference(defined(value.at("name"))));
      else if (kind == "as_optional_tensors")
        list.list.push_back(optional_tensor(value));
      else if (kind == "as_ints")
        list.list.push_back(whole_number(integer(value)));
      else if (kind == "as_floats")
        list.list.push_back(number(value));
      else if (kind == "as_bools")
        list.list.push_back(flag(value.get<bool>()));
      else
        list.list.push_back(size(value));
    }
    return list;
  }

  [[nodiscard]] Argument optional_tensor(const json& value) const {
    if (!value.contains("as_tensor")) return {};
    return reference(defined(value.at("as_tensor").at("name")));
  }

  [[nodiscard]] Argument size(const json& value) const {
    if (value.contains("as_int")) return whole_number(integer(value.at("as_int")));
    if (value.contains("as_bool")) return flag(value.at("as_bool").get<bool>());
    return reference(defined(value.at("as_name")));
  }

  void read_result(const json& result, Node& node, const std::string& where) {
    const std::string kind = kind_of(result);
    const auto add = [&](const json& object, const char* key) {
      node.outputs.push_back(object.at(key).get<std::string>());
      define(node.outputs.back());
    };
    if (kind == "as_tensor") {
      add(result.at(kind), "name");
    } else if (kind == "as_sym_int" || kind == "as_sym_bool") {
      add(result.at(kind), "as_name");
    } else if (kind == "as_none") {
      node.outputs.emplace_back();
    } else if (kind == "as_tensors") {
      node.returns_list = true;
      for (const json& one : result.at(kind)) add(one, "name");
    } else {
      refuse(where, "an operator that gives tensors", in_quotes(kind));
    }
  }

  const MappedFile& file_;
  std::string name_;
  std::vector<ZipMember> members_;
  std::string prefix_;
  json weights_, constants_;
  CopyBudget budget_;
  std::set<std::string> defined_;
  Graph graph_;
};

}  // namespace

Graph parse_pt2(const MappedFile& file, std::string_view name) {
  try {
    return Reader(file, name).read();
  } catch (const json::exception& failure) {
    refuse(name, "a program of torch.export", "\"" + printable(failure.what(), 200) + "\"");
  }
}

Graph read_pt2(const std::filesystem::path& path) { return parse_pt2(map_file(path), display_name(path)); }

}  // namespace leeway::nn::pt2
