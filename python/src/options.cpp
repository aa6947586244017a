#include "python/src/options.h"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/describe/json.h"
#include "leeway/describe/number_list.h"
#include "leeway/describe/overloaded.h"

namespace leeway::python {
namespace {

constexpr int deepest = 8;
constexpr std::size_t longest = 1'000'000;

std::string text_of(nb::handle value, const std::string& where) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text != nullptr) return {text, static_cast<std::size_t>(size)};
  PyErr_Clear();
  refuse(where, "text that UTF-8 can encode", printable(nb::repr(value).c_str()));
}

Json integer_of(nb::handle value) {
  int overflow = 0;
  const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) return number;
  const unsigned long long large = PyLong_AsUnsignedLongLong(value.ptr());
  if (PyErr_Occurred() == nullptr) return large;
  PyErr_Clear();
  const double real = PyLong_AsDouble(value.ptr());
  if (PyErr_Occurred() == nullptr) return real;
  PyErr_Clear();
  return json_number(overflow > 0 ? HUGE_VAL : -HUGE_VAL);
}

// What Python holds as JSON; the reader of the description checks it.
Json json_of(nb::handle value, const std::string& where, int depth = 0) {
  if (depth > deepest) refuse(where, fmt::format("a list of at most {} levels", deepest), "more");
  if (value.is_none()) return {};
  if (PyBool_Check(value.ptr())) return value.is(nb::handle(Py_True));
  if (PyLong_Check(value.ptr())) return integer_of(value);
  if (PyFloat_Check(value.ptr())) return json_number(PyFloat_AsDouble(value.ptr()));
  if (PyUnicode_Check(value.ptr())) return text_of(value, where);
  if (nb::hasattr(value, "__fspath__")) return text_of(nb::str(value.attr("__fspath__")()), where);
  if (nb::hasattr(value, "tolist")) {  // arrays and scalars of NumPy, tensors
    const nb::object plain = value.attr("tolist")();
    if (!nb::hasattr(plain, "tolist")) return json_of(plain, where, depth + 1);
    // numpy.longdouble and others that Python has no type for
    const nb::object kind = nb::getattr(nb::getattr(value, "dtype", nb::none()), "kind", nb::none());
    if (kind.equal(nb::str("f"))) return json_number(nb::cast<double>(nb::float_(value)));
    return text_of(nb::repr(value), where);
  }
  if (PyDict_Check(value.ptr())) {
    Json object = Json::object();
    for (const auto& [key, one] : nb::cast<nb::dict>(value))
      object[text_of(nb::str(nb::handle(key)), where)] = json_of(one, where, depth + 1);
    return object;
  }
  if (nb::hasattr(value, "__iter__")) {
    Json list = Json::array();
    for (const nb::handle element : value) {
      if (list.size() == longest)
        refuse(where, fmt::format("a list of at most {} elements", longest), "more");
      list.push_back(json_of(element, where, depth + 1));
    }
    return list;
  }
  return text_of(nb::repr(value), where);
}

// The same for a list: a text is what the command line takes, one value a list of it.
Json list_json_of(nb::handle value, const Field& field, bool of_numbers, const std::string& where) {
  const Json json = json_of(value, where);
  if (json.is_array()) return json;
  if (!json.is_string()) return Json::array({json});
  const auto text = json.get<std::string>();
  if (!of_numbers) return split(text, ',');
  const auto numbers = parse_numbers(text, field.range);
  return numbers ? Json(*numbers) : json;
}

class OptionReader : public Fields {
 public:
  OptionReader(nb::dict given, Json& options, const std::string& name)
      : given_(std::move(given)), options_(options), name_(name) {}

 private:
  void visit(const Field& field, const Slot& slot) override {
    const nb::str key(field.name.data(), field.name.size());
    if (!given_.contains(key)) return;
    const nb::object value = given_[key];
    if (value.is_none()) return;
    const bool numbers = std::holds_alternative<std::vector<double>*>(slot);
    const bool list = numbers || std::holds_alternative<std::vector<std::size_t>*>(slot) ||
                      std::holds_alternative<std::vector<std::string>*>(slot);
    const std::string where = fmt::format("{}: {}", name_, field.name);
    try {
      options_[std::string(field.name)] =
          list ? list_json_of(value, field, numbers, where) : json_of(value, where);
    } catch (nb::python_error& error) {  // of a method of the value
      if (!error.matches(PyExc_Exception)) throw;
      refuse(where, "a readable value", printable(nb::repr(error.value()).c_str(), 200));
    }
  }

  nb::dict given_;
  Json& options_;
  const std::string& name_;
};

std::string type_of(const Field& field, const Slot& slot) {
  const std::string plain = std::visit(
      Overloaded{
          [](const double*) { return "float"; }, [](const std::optional<double>*) { return "float"; },
          [](const std::size_t*) { return "int"; }, [](const std::optional<std::size_t>*) { return "int"; },
          [](const std::int64_t*) { return "int"; }, [](const bool*) { return "bool"; },
          [](const std::optional<bool>*) { return "bool"; }, [](const std::string*) { return "str"; },
          [](const std::optional<std::string>*) { return "str"; },
          [](const std::vector<double>*) { return "list[float]"; },
          [](const std::vector<std::size_t>*) { return "list[int]"; },
          [](const std::vector<std::string>*) { return "list[str]"; },
          [](const std::vector<std::vector<std::size_t>>*) { return "list[list[int]]"; },
          [](const std::map<std::string, std::optional<double>>*) { return "dict[str, float | None]"; },
          [](const std::map<std::string, std::string>*) { return "dict[str, str]"; },
          [](const Nested& nested) {
            return nested.shape == Nested::Shape::list ? "list[struct]" : "struct";
          }},
      slot);
  return plain + (may_be_null(field, slot) ? " | None" : "");
}

class Describer : public Fields {
 public:
  explicit Describer(const Json& values) : values_(values) {}
  nb::list fields;

 private:
  void visit(const Field& field, const Slot& slot) override {
    const std::string name(field.name);
    nb::list choices;
    for (const Choice& choice : field.choices) choices.append(nb::make_tuple(choice.name, choice.meaning));
    nb::object inner = nb::none();
    if (const auto* nested = std::get_if<Nested>(&slot)) inner = fields_of(nested->describe_default);
    fields.append(nb::make_tuple(name, type_of(field, slot), std::string(field.meaning),
                                 object_of(values_.at(name)), choices, inner));
  }

  const Json& values_;
};

}  // namespace

void read_options(const Description& describe, nb::handle given, const std::string& name) {
  Json options = written(describe);
  OptionReader reader(nb::cast<nb::dict>(given), options, name);
  describe(reader);
  read(describe, options, name);
}

nb::list fields_of(const Description& describe) {
  const Json values = written(describe);
  Describer describer(values);
  describe(describer);
  return describer.fields;
}

std::string python_names(const std::string& message) {
  std::string text;
  std::size_t at = 0;
  // Of the command, and within a value: as typed.
  static const std::regex flag("(leeway(?: [a-z-]+){1,2} |['\"\\w-])?--([a-z][a-z-]*)");
  for (auto found = std::sregex_iterator(message.begin(), message.end(), flag);
       found != std::sregex_iterator(); ++found) {
    std::string name = (*found)[1].matched ? found->str() : (*found)[2].str();
    for (char& c : name)
      if (c == '-' && !(*found)[1].matched) c = '_';
    if (name == "as") name += '_';  // a keyword
    text += message.substr(at, static_cast<std::size_t>(found->position()) - at) + name;
    at = static_cast<std::size_t>(found->position() + found->length());
  }
  return text + message.substr(at);
}

nb::object object_of(const Json& json) {
  switch (json.type()) {
    case Json::value_t::object: {
      nb::dict object;
      for (const auto& [key, value] : json.items())
        object[nb::str(key.c_str(), key.size())] = object_of(value);
      return object;
    }
    case Json::value_t::array: {
      nb::list list;
      for (const Json& value : json) list.append(object_of(value));
      return list;
    }
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    }
    case Json::value_t::boolean:
      return nb::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return nb::int_(json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return nb::int_(json.get<std::uint64_t>());
    case Json::value_t::number_float:
      return nb::float_(json.get<double>());
    default:
      return nb::none();
  }
}

}  // namespace leeway::python
