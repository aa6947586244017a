#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/describe/json.h"
#include "leeway/describe/overloaded.h"

namespace leeway {
namespace {

template <class T>
Json value_json(const T& value) {
  return value;
}
Json value_json(double value) { return json_number(value); }
template <class T>
Json value_json(const std::optional<T>& value) {
  return value ? value_json(*value) : Json();
}
template <class T>
Json value_json(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(value_json(value));
  return list;
}
template <class T>
Json value_json(const std::map<std::string, T>& values) {
  Json object = Json::object();
  for (const auto& [key, value] : values) object[key] = value_json(value);
  return object;
}

bool is_empty(double value) { return std::isnan(value); }
bool is_empty(const std::string& text) { return text.empty(); }
template <class T>
bool is_empty(const T&) {
  return false;
}

Json nested_json(const Nested& nested) {
  const auto element = [&](std::size_t i) { return written([&](Fields& f) { nested.describe(i, f); }); };
  const std::size_t size = nested.size();
  if (nested.shape != Nested::Shape::list) return size == 0 ? Json() : element(0);
  Json list = Json::array();
  for (std::size_t i = 0; i < size; ++i) list.push_back(element(i));
  return list;
}

class Writer : public Fields {
 public:
  Json object = Json::object();

 private:
  void visit(const Field& field, const Slot& slot) override {
    object[std::string(field.name)] =
        std::visit(Overloaded{[](const Nested& nested) { return nested_json(nested); },
                              [&](const auto* value) {
                                return field.null_if_empty && is_empty(*value) ? Json() : value_json(*value);
                              }},
                   slot);
  }
};

}  // namespace

Json written(const Description& describe) {
  Writer writer;
  describe(writer);
  return std::move(writer.object);
}

std::string record_text(const Json& record) {
  const std::string text = record.dump(1, ' ', false, Json::error_handler_t::replace);
  std::string escaped;  // DEL and U+0080 to U+009F, which JSON permits
  escaped.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const unsigned next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    const bool control = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    if (control) ++i;
    if (control || byte == 0x7f)
      escaped += fmt::format("\\u{:04x}", control ? next : byte);
    else
      escaped += text[i];
  }
  return escaped + "\n";
}

std::string digest_of(const Description& describe) { return digest_text(written(describe).dump()); }

}  // namespace leeway
