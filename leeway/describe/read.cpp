#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <concepts>
#include <limits>
#include <utility>

#include "leeway/describe/json.h"
#include "leeway/describe/overloaded.h"

namespace leeway {
namespace {

// A value and where it stands in which record.
struct Place {
  const std::string& name;
  std::string path;

  [[nodiscard]] Place key(std::string_view key) const {
    return {name, path.empty() ? std::string(key) : fmt::format("{}.{}", path, key)};
  }
  [[nodiscard]] Place item(std::size_t i) const { return {name, fmt::format("{}[{}]", path, i)}; }

  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const {
    leeway::refuse(name, fmt::format("{} at {}", expected, path.empty() ? "the top" : printable(path)),
                   found);
  }
  [[noreturn]] void refuse_value(std::string_view expected, const Json& found) const {
    if (found.is_string()) refuse(expected, in_quotes(found.get_ref<const std::string&>()));
    refuse(expected, found.is_number() || found.is_boolean() ? found.dump() : std::string(found.type_name()));
  }
};

std::optional<double> number_in(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return HUGE_VAL;
  if (json == "-inf") return -HUGE_VAL;
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

template <class Integer>
std::optional<Integer> integer_in(const Json& json) {
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  } else if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    if (std::in_range<Integer>(value)) return static_cast<Integer>(value);
  }
  return std::nullopt;
}

bool within(double value, const Range& range) {
  const bool bounded = std::isfinite(range.least) || std::isfinite(range.most);
  return std::isnan(value) ? !bounded : value >= range.least && value <= range.most;
}

void read_value(const Json& json, const Place& place, const Field& field, double& value) {
  const auto number = number_in(json);
  if (!number || !within(*number, field.range)) place.refuse_value(expected(field, &value), json);
  value = *number;
}

template <std::integral Integer>
void read_value(const Json& json, const Place& place, const Field& field, Integer& value) {
  const auto number = integer_in<Integer>(json);
  if (!number || !within(static_cast<double>(*number), field.range))
    place.refuse_value(expected(field, &value), json);
  value = *number;
}

void read_value(const Json& json, const Place& place, const Field& field, bool& value) {
  if (!json.is_boolean()) place.refuse_value(expected(field, &value), json);
  value = json.get<bool>();
}

void read_value(const Json& json, const Place& place, const Field& field, std::string& value) {
  const auto is_choice = [&](const std::string& text) {
    for (const Choice& choice : field.choices)
      if (choice.name == text) return true;
    return field.choices.empty();
  };
  if (!json.is_string() || !is_choice(json.get_ref<const std::string&>()))
    place.refuse_value(expected(field, &value), json);
  value = json.get<std::string>();
}

template <class T>
void read_value(const Json& json, const Place& place, const Field& field, std::optional<T>& value) {
  value.emplace();
  read_value(json, place, field, *value);
}

template <class T>
void read_value(const Json& json, const Place& place, const Field& field, std::vector<T>& values) {
  if (!json.is_array()) place.refuse_value("a list", json);
  values.assign(json.size(), {});
  for (std::size_t i = 0; i < json.size(); ++i) read_value(json[i], place.item(i), field, values[i]);
}

template <class T>
void read_value(const Json& json, const Place& place, const Field& field, std::map<std::string, T>& values) {
  if (!json.is_object()) place.refuse_value("an object", json);
  values.clear();
  for (const auto& item : json.items()) {
    T& value = values[item.key()];
    if (std::is_same_v<T, std::string> || !item.value().is_null())
      read_value(item.value(), place.key(item.key()), field, value);
  }
}

void clear(double& value) { value = std::numeric_limits<double>::quiet_NaN(); }
template <class T>
void clear(T& value) {
  value = {};
}

class Reader : public Fields {
 public:
  Reader(const Json& object, Place place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) place_.refuse_value("an object", object);
  }

 private:
  void visit(const Field& field, const Slot& slot) override {
    const auto found = object_.find(std::string(field.name));
    const Place place = place_.key(field.name);
    const bool none = found == object_.end() || found->is_null();
    if (none && !may_be_null(field, slot)) {
      if (found == object_.end()) place.refuse(expected(field, slot), "none");
      place.refuse_value(expected(field, slot), *found);
    }
    std::visit(Overloaded{[&](const Nested& nested) {
                            if (none)
                              nested.resize(0);
                            else
                              read_nested(*found, place, nested);
                          },
                          [&](auto* value) {
                            if (none)
                              clear(*value);
                            else
                              read_value(*found, place, field, *value);
                          }},
               slot);
  }

  void visit_lengths(const Lengths& lengths) override {
    const auto size = [&](std::string_view name) {
      const auto found = object_.find(std::string(name));
      return found != object_.end() && found->is_array() ? found->size() : 0;
    };
    std::string found;
    bool fit = true;
    const auto compare = [&](std::string_view name, bool may_be_empty) {
      const std::size_t length = size(name);
      found += fmt::format("{}{} ({})", found.empty() ? "" : ", ", name, length);
      fit = fit && (length == size(lengths.alike.front()) || (may_be_empty && length == 0));
    };
    for (const std::string_view name : lengths.alike) compare(name, false);
    for (const std::string_view name : lengths.or_empty) compare(name, true);
    if (!fit) place_.refuse("lists of equal length", found);
    for (const std::string_view name : lengths.filled)
      if (size(name) == 0) place_.key(name).refuse("a non-empty list", "none");
    const std::size_t side = size(lengths.square);
    for (std::size_t i = 0; i < side; ++i)
      if (const std::size_t row = object_.at(std::string(lengths.square))[i].size(); row != side)
        place_.key(lengths.square)
            .item(i)
            .refuse(fmt::format("a list of {} numbers", side), std::to_string(row));
  }

  static void read_nested(const Json& json, const Place& place, const Nested& nested) {
    const auto read_element = [&](const Json& element, const Place& at, std::size_t i) {
      Reader reader(element, at);
      nested.describe(i, reader);
    };
    if (nested.shape != Nested::Shape::list) {
      nested.resize(1);
      read_element(json, place, 0);
      return;
    }
    if (!json.is_array()) place.refuse_value("a list", json);
    nested.resize(json.size());
    for (std::size_t i = 0; i < json.size(); ++i) read_element(json[i], place.item(i), i);
  }

  const Json& object_;
  const Place place_;
};

// 2 of "leeway.pa/2" where `schema` begins with `stem`, "leeway.pa/".
std::optional<int> number_after(std::string_view stem, std::string_view schema) {
  if (!schema.starts_with(stem)) return std::nullopt;
  schema.remove_prefix(stem.size());
  int number = 0;
  const auto [end, error] = std::from_chars(schema.data(), schema.data() + schema.size(), number);
  if (error != std::errc() || end != schema.data() + schema.size()) return std::nullopt;
  return number;
}

}  // namespace

void read(const Description& describe, const Json& json, const std::string& name) {
  Reader reader(json, {name, ""});
  describe(reader);
}

void require_schema(const Json& record, std::string_view schema, const std::string& name) {
  const auto found = record.is_object() ? record.find("schema") : record.end();
  if (!record.is_object() || found == record.end() || !found->is_string())
    refuse(name, fmt::format("a record of schema {}", schema), "none");
  const auto& own = found->get_ref<const std::string&>();
  if (own == schema) return;
  const std::string_view stem = schema.substr(0, schema.rfind('/') + 1);
  const auto number = number_after(stem, own), wanted = number_after(stem, schema);
  if (number && wanted && *number < *wanted)
    refuse(name, fmt::format("a record of schema {}", schema),
           fmt::format("{}, written by an earlier version: run the command again", in_quotes(own)));
  refuse(name, fmt::format("a record of schema {}", schema), in_quotes(own));
}

}  // namespace leeway
