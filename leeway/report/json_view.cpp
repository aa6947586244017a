#include "leeway/report/json_view.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "leeway/core/message.h"

namespace leeway::report {

JsonView::JsonView(const Json& value, std::string name) : value_(&value), name_(std::move(name)) {}

JsonView::JsonView(const Json* value, std::string name, std::string path)
    : value_(value), name_(std::move(name)), path_(std::move(path)) {}

void JsonView::refuse(std::string_view expected, std::string_view found) const {
  const std::string where = path_.empty() ? "the top" : printable(path_);
  leeway::refuse(name_, fmt::format("{} at {}", expected, where), found);
}

void JsonView::refuse(std::string_view expected) const {
  const auto text = value_->is_string() ? in_quotes(value_->get_ref<const std::string&>())
                                        : std::string(value_->type_name());
  refuse(expected, value_->is_number() ? value_->dump() : text);
}

JsonView JsonView::operator[](std::string_view key) const {
  const std::string path = path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  if (is_null()) return {nullptr, name_, path};
  if (!value_->is_object()) refuse("an object");
  const auto found = value_->find(std::string(key));
  return {found == value_->end() ? nullptr : &*found, name_, path};
}

std::vector<JsonView> JsonView::items() const {
  std::vector<JsonView> items;
  if (is_null()) return items;
  if (!value_->is_array()) refuse("a list");
  for (std::size_t i = 0; i < value_->size(); ++i)
    items.push_back(JsonView(&(*value_)[i], name_, fmt::format("{}[{}]", path_, i)));
  return items;
}

std::vector<std::string> JsonView::keys() const {
  std::vector<std::string> keys;
  if (is_null()) return keys;
  if (!value_->is_object()) refuse("an object");
  for (const auto& item : value_->items()) keys.push_back(item.key());
  return keys;
}

std::optional<double> JsonView::number() const {
  if (is_null()) return std::nullopt;
  if (value_->is_string()) {
    const auto& word = value_->get_ref<const std::string&>();
    if (word == "nan") return std::nullopt;
    if (word != "inf" && word != "-inf") refuse("a number");
    return word == "inf" ? HUGE_VAL : -HUGE_VAL;
  }
  if (!value_->is_number()) refuse("a number");
  return value_->get<double>();
}

std::optional<double> JsonView::share() const {
  const auto value = number();
  if (value && !(*value >= 0 && *value <= 1)) refuse("a number from 0 to 1");
  return value;
}

std::optional<std::size_t> JsonView::index() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_number_unsigned() && !(value_->is_number_integer() && value_->get<std::int64_t>() >= 0))
    refuse("a whole number from 0");
  return value_->get<std::size_t>();
}

std::string JsonView::text() const {
  if (is_null()) return "";
  if (!value_->is_string()) refuse("a string");
  return value_->get<std::string>();
}

bool JsonView::flag() const {
  if (is_null()) return false;
  if (!value_->is_boolean()) refuse("true or false");
  return value_->get<bool>();
}

std::vector<double> JsonView::numbers() const {
  std::vector<double> values;
  for (const JsonView& item : items()) values.push_back(item.number().value_or(NAN));
  return values;
}

std::vector<std::string> JsonView::texts() const {
  std::vector<std::string> values;
  for (const JsonView& item : items()) values.push_back(item.text());
  return values;
}

}  // namespace leeway::report
