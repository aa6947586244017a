// A value of a record together with its path, so that what does not fit is refused by name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/result.h"

namespace leeway::report {

class JsonView {
 public:
  JsonView(const Json& value, std::string name);  // `name` opens every message

  // A member; null where it is absent. Errors: this is neither an object nor null.
  [[nodiscard]] JsonView operator[](std::string_view key) const;
  // Items of an array; empty where this is null.
  [[nodiscard]] std::vector<JsonView> items() const;
  [[nodiscard]] std::vector<std::string> keys() const;  // of an object; empty where this is null

  [[nodiscard]] bool is_null() const { return value_ == nullptr || value_->is_null(); }
  [[nodiscard]] std::optional<double> number() const;      // or "inf", "-inf"; "nan" counts as absent
  [[nodiscard]] std::optional<double> share() const;       // a number in [0,1]
  [[nodiscard]] std::optional<std::size_t> index() const;  // a whole number >= 0
  [[nodiscard]] std::string text() const;                  // empty where absent
  [[nodiscard]] bool flag() const;                         // false where absent
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::string> texts() const;

  // Throws Error: "NAME: expected EXPECTED at PATH, found FOUND".
  [[noreturn]] void refuse(std::string_view expected, std::string_view found) const;
  [[noreturn]] void refuse(std::string_view expected) const;

 private:
  JsonView(const Json* value, std::string name, std::string path);
  const Json* value_;
  std::string name_, path_;
};

}  // namespace leeway::report
