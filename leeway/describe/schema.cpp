#include <cmath>
#include <utility>

#include "leeway/describe/json.h"
#include "leeway/describe/overloaded.h"

namespace leeway {
namespace {

Json with_range(Json type, const Range& range) {
  if (std::isfinite(range.least)) type["minimum"] = range.least;
  if (std::isfinite(range.most)) type["maximum"] = range.most;
  return type;
}

// Numbers beyond JSON are words, as far as the range holds them.
Json number_schema(const Range& range) {
  const bool least = std::isfinite(range.least), most = std::isfinite(range.most);
  Json words = Json::array();
  if (!most) words.push_back("inf");
  if (!least) words.push_back("-inf");
  if (!least && !most) words.push_back("nan");
  Json number = with_range({{"type", "number"}}, range);
  if (words.empty()) return number;
  return {{"anyOf", {std::move(number), {{"enum", std::move(words)}}}}};
}

Json integer_schema(Range range, bool is_signed) {
  if (!is_signed && !(range.least > 0)) range.least = 0;
  Json type = {{"type", "integer"}};
  if (std::isfinite(range.least)) type["minimum"] = static_cast<std::int64_t>(range.least);
  if (std::isfinite(range.most)) type["maximum"] = static_cast<std::int64_t>(range.most);
  return type;
}

Json array_schema(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
Json map_of(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }
Json or_null(Json type) {
  if (type.contains("anyOf")) {
    type["anyOf"].push_back({{"type", "null"}});
    return type;
  }
  return {{"anyOf", {std::move(type), {{"type", "null"}}}}};
}

Json text_schema(const Field& field) {
  if (field.choices.empty()) return {{"type", "string"}};
  Json names = Json::array();
  for (const Choice& choice : field.choices) names.push_back(choice.name);
  return {{"enum", std::move(names)}};
}

Json object_schema(const Description& describe);

Json nested_schema(const Nested& nested) {
  Json element = object_schema(nested.describe_default);
  return nested.shape == Nested::Shape::list ? array_schema(std::move(element)) : element;
}

Json slot_schema(const Field& field, const Slot& slot) {
  return std::visit(Overloaded{[&]<class T>(const std::optional<T>*) {
                                 return slot_schema(field, static_cast<T*>(nullptr));
                               },
                               [&]<class T>(const std::vector<T>*) {
                                 return array_schema(slot_schema(field, static_cast<T*>(nullptr)));
                               },
                               [&](const double*) { return number_schema(field.range); },
                               [&](const std::size_t*) { return integer_schema(field.range, false); },
                               [&](const std::int64_t*) { return integer_schema(field.range, true); },
                               [&](const bool*) {
                                 return Json{{"type", "boolean"}};
                               },
                               [&](const std::string*) { return text_schema(field); },
                               [&](const std::map<std::string, std::optional<double>>*) {
                                 return map_of(or_null(number_schema(field.range)));
                               },
                               [&](const std::map<std::string, std::string>*) {
                                 return map_of({{"type", "string"}});
                               },
                               [&](const Nested& nested) { return nested_schema(nested); }},
                    slot);
}

class SchemaWriter : public Fields {
 public:
  Json required = Json::array(), properties = Json::object();

 private:
  void visit(const Field& field, const Slot& slot) override {
    Json type = slot_schema(field, slot);
    if (may_be_null(field, slot)) type = or_null(std::move(type));
    type["description"] = field.meaning;
    required.push_back(field.name);
    properties[std::string(field.name)] = std::move(type);
  }
};

Json object_schema(const Description& describe) {
  SchemaWriter writer;
  describe(writer);
  return {{"type", "object"},
          {"required", std::move(writer.required)},
          {"properties", std::move(writer.properties)}};
}

}  // namespace

Json schema_of(const Description& describe, std::string_view title) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(object_schema(describe));
  return schema;
}

}  // namespace leeway
