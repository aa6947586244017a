#include "leeway/core/safetensors_header.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr std::size_t safetensors_header_max_dimensions = 32;

// Receives the JSON piece by piece; nothing is built but the header itself.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string_view name) : name_(name) {}
  SafetensorsHeader header;

  bool start_object(std::size_t) override {
    switch (place_) {
      case Place::outside:
        return go(Place::top);
      case Place::tensor_value:
        return go(Place::tensor);
      case Place::metadata_value:
        return go(Place::metadata);
      default:
        fail("an object");
    }
  }

  bool key(string_t& key) override {
    if (place_ == Place::top) {
      if (key == "__metadata__" && !has_metadata_) {
        has_metadata_ = true;
        return go(Place::metadata_value);
      }
      if (key == "__metadata__" || header.entries.contains(key))
        refuse(name_, "names that stand once", in_quotes(key) + " twice");
      tensor_ = key;
      field_.clear();
      pending_ = {};
      return go(Place::tensor_value);
    }
    field_ = key;
    if (place_ == Place::metadata) return true;
    return go(Place::field);
  }

  bool string(string_t& value) override {
    if (place_ == Place::metadata) {
      header.metadata[field_] = value;
      return true;
    }
    if (place_ != Place::field || field_ != "dtype" || pending_.dtype) fail(in_quotes(value));
    pending_.dtype = value;
    return go(Place::tensor);
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::field) fail("a list");
    if (field_ == "shape" && !pending_.shape) {
      pending_.shape.emplace();
      return go(Place::shape);
    }
    if (field_ != "data_offsets" || pending_.offsets) fail("a list");
    pending_.offsets.emplace();
    return go(Place::offsets);
  }

  bool number_unsigned(number_unsigned_t value) override {
    auto* list = place_ == Place::shape     ? &*pending_.shape
                 : place_ == Place::offsets ? &*pending_.offsets
                                            : nullptr;
    if (list == nullptr || list->size() == (place_ == Place::shape ? safetensors_header_max_dimensions : 2))
      fail(fmt::format("{}", value));
    list->push_back(value);
    return true;
  }

  bool end_array() override { return go(Place::tensor); }

  bool end_object() override {
    if (place_ == Place::top) return go(Place::outside);
    if (place_ == Place::tensor) {
      if (!pending_.dtype || !pending_.shape || !pending_.offsets || pending_.offsets->size() != 2)
        refuse(name_ + ": " + printable(tensor_), "dtype, shape and two data_offsets", "fewer");
      header.entries[tensor_] = {*pending_.dtype, *pending_.shape, pending_.offsets->front(),
                                 pending_.offsets->back()};
    }
    return go(Place::top);
  }

  bool null() override { fail("null"); }
  bool boolean(bool) override { fail("true or false"); }
  bool number_integer(number_integer_t value) override { fail(fmt::format("{}", value)); }
  bool number_float(number_float_t value, const string_t&) override { fail(fmt::format("{}", value)); }
  bool binary(binary_t&) override { fail("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    refuse(name_, "a JSON header", fmt::format("other text at byte {}", position + 8));
  }

 private:
  enum class Place { outside, top, tensor_value, metadata_value, tensor, metadata, field, shape, offsets };
  struct Pending {
    std::optional<std::string> dtype;
    std::optional<std::vector<std::size_t>> shape, offsets;
  };

  bool go(Place place) {
    place_ = place;
    return true;
  }

  [[noreturn]] void fail(const std::string& found) const {
    switch (place_) {
      case Place::outside:
      case Place::top:
        refuse(name_, "a JSON object as header", found);
      case Place::metadata_value:
      case Place::metadata:
        refuse(name_ + ": __metadata__", "an object of texts", found);
      default:
        break;
    }
    const std::string where = field_.empty() ? "" : " at " + in_quotes(field_);
    refuse(name_ + ": " + printable(tensor_), "dtype, shape and data_offsets", found + where);
  }

  std::string name_, tensor_, field_;
  Place place_ = Place::outside;
  bool has_metadata_ = false;
  Pending pending_;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, std::string_view name) {
  if (!text.starts_with('{')) refuse(name, "a JSON object as header", in_quotes(text.substr(0, 20)));
  HeaderReader reader(name);
  nlohmann::json::sax_parse(text.begin(), text.end(), &reader);
  return std::move(reader.header);
}

}  // namespace leeway
