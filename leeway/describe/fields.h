// Describes a struct once: its fields by name, type, range and meaning. The description yields the JSON
// writer, the checked reader and the JSON schema (json.h), the key table (keys.h), and the flags of options.
//
//   void fields(Point& p, Fields& f) {                       // in the .cpp of its record
//     f("beta", p.beta, at_least(0), "inverse temperature");
//     f.measured("pa", p.pa, p.pa_interval, {}, "posterior agreement");     // keys pa, pa_low, pa_high
//   }
//
// Every key is always written. A missing value is null: an empty std::optional, and what unless_nan() and
// unless_empty() name. An empty list is []. A field that is a struct, alone, in std::optional or in
// std::vector, is described by its own fields(), in the struct's namespace or in this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "leeway/core/numbers.h"
#include "leeway/core/statistics.h"

namespace leeway {

class Fields;

// Both ends belong to it; an infinite end is none.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};
[[nodiscard]] constexpr Range at_least(double least) { return {.least = least}; }
[[nodiscard]] constexpr Range from_to(double least, double most) { return {least, most}; }
inline constexpr Range a_share{0, 1};

struct Choice {
  std::string name, meaning;
};

struct Field {
  std::string_view name;
  std::string_view meaning;          // a few words, no capital, no full stop
  Range range = {};                  // of a number, and of each number of a list
  std::vector<Choice> choices = {};  // of a text; empty: any
  bool null_if_empty = false;        // a number that is NaN, a text that is empty
};

// A field that is a struct, or several; elements are described by index.
struct Nested {
  enum class Shape { one, optional, list };
  Shape shape;
  std::function<std::size_t()> size;  // elements there are
  std::function<void(std::size_t)> resize;
  std::function<void(std::size_t, Fields&)> describe;
  std::function<void(Fields&)>
      describe_default;  // an element as its type makes it, where there is none to look at
};

using Slot =
    std::variant<double*, std::optional<double>*, std::size_t*, std::optional<std::size_t>*, std::int64_t*,
                 bool*, std::optional<bool>*, std::string*, std::optional<std::string>*, std::vector<double>*,
                 std::vector<std::size_t>*, std::vector<std::string>*, std::vector<std::vector<std::size_t>>*,
                 std::map<std::string, std::optional<double>>*, std::map<std::string, std::string>*, Nested>;

// What the reader requires of lists of one struct, by their names.
struct Lengths {
  std::vector<std::string_view> alike = {};     // that have one length
  std::vector<std::string_view> or_empty = {};  // that have this length, too, or none
  std::vector<std::string_view> filled = {};    // that have an element
  std::string_view square = {};                 // a list of lists, each as long as the list
};

class Fields {
 public:
  Fields() = default;
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;
  virtual ~Fields() = default;

  template <class T>
  void operator()(std::string_view name, T& value, std::string_view meaning) {
    visit({name, meaning}, slot_of(value));
  }
  template <class T>
  void operator()(std::string_view name, T& value, Range range, std::string_view meaning) {
    visit({name, meaning, range}, slot_of(value));
  }

  // One of several words; T is std::string or std::optional<std::string>.
  template <class T>
  void choice(std::string_view name, T& value, std::vector<Choice> choices, std::string_view meaning) {
    visit({name, meaning, {}, std::move(choices)}, slot_of(value));
  }

  // A number with its interval: the keys NAME, NAME_low and NAME_high. Without value all are null; without
  // interval, its ends.
  void measured(std::string_view name, double& value, Interval& interval, Range range,
                std::string_view meaning);
  template <class Value>
  void measured(std::string_view name, Value& value, std::optional<Interval>& interval, Range range,
                std::string_view meaning) {
    (*this)(name, value, range, meaning);
    ends(name, interval, range);
  }

  // The same for both in one.
  void measured(std::string_view name, std::optional<Estimate>& estimate, Range range,
                std::string_view meaning) {
    std::optional<double> value;
    std::optional<Interval> interval;
    if (estimate) value = estimate->value, interval = estimate->interval;
    measured(name, value, interval, range, meaning);
    estimate.reset();
    if (value && interval) estimate = Estimate{*value, *interval};
  }

  // One of several values, each under the name that name_of() gives it.
  template <class Enum, class All>
  void one_of(std::string_view name, Enum& value, const All& all, std::string_view meaning) {
    std::string word(name_of(value));
    std::vector<Choice> choices;
    for (const Enum each : all) choices.push_back({std::string(name_of(each)), ""});
    choice(name, word, std::move(choices), meaning);
    for (const Enum each : all)
      if (name_of(each) == word) value = each;
  }

  // Numbers by name; one that is null is left out.
  void numbers(std::string_view name, std::map<std::string, double>& values, std::string_view meaning);

  void unless_nan(std::string_view name, double& value, Range range, std::string_view meaning) {
    visit({name, meaning, range, {}, true}, &value);
  }
  void unless_empty(std::string_view name, std::string& value, std::string_view meaning) {
    visit({name, meaning, {}, {}, true}, &value);
  }
  // A list that is [] where older files lack it.
  template <class T>
  void unless_missing(std::string_view name, std::vector<T>& values, std::string_view meaning,
                      Range range = {}) {
    visit({name, meaning, range, {}, true}, slot_of(values));
  }

  // f.lengths({.alike = {"columns", "values"}}), after these fields.
  void lengths(const Lengths& lengths) { visit_lengths(lengths); }

 protected:
  virtual void visit(const Field& field, const Slot& slot) = 0;
  virtual void visit_lengths(const Lengths& /*lengths*/) {}

 private:
  void ends(std::string_view name, std::optional<Interval>& interval, Range range);

  template <class T>
  static Slot slot_of(T& value) {
    if constexpr (std::is_constructible_v<Slot, T*>)
      return &value;
    else
      return nested(value);
  }

  template <class T>
  static Nested nested(T& value) {
    return {Nested::Shape::one, [] { return std::size_t{1}; }, [](std::size_t) {},
            [&value](std::size_t, Fields& f) { fields(value, f); }, describe_new<T>};
  }
  template <class T>
  static Nested nested(std::optional<T>& value) {
    return {Nested::Shape::optional, [&value] { return std::size_t{value ? 1u : 0u}; },
            [&value](std::size_t size) {
              if (size == 0)
                value.reset();
              else
                value.emplace();
            },
            [&value](std::size_t, Fields& f) { fields(*value, f); }, describe_new<T>};
  }
  template <class T>
  static Nested nested(std::vector<T>& values) {
    return {Nested::Shape::list, [&values] { return values.size(); },
            [&values](std::size_t size) { values.resize(size); },
            [&values](std::size_t i, Fields& f) { fields(values[i], f); }, describe_new<T>};
  }
  template <class T>
  static void describe_new(Fields& f) {
    T value{};
    fields(value, f);
  }
};

// A quantity of core/numbers.h: the keys NAME, NAME_low and NAME_high, each null where there is none.
void measured(Fields& f, std::string_view name, Measured& value, Range range, std::string_view meaning);

// The members of a family, as what an option may be.
template <class Members>
[[nodiscard]] std::vector<Choice> choices_of(const Members& members) {
  std::vector<Choice> choices;
  for (const auto& member : members)
    choices.push_back({std::string(member.name), std::string(member.summary)});
  return choices;
}

// The fields of one struct, whichever it is: [&](Fields& f) { fields(value, f); }.
using Description = std::function<void(Fields&)>;

// True where the value may be null.
[[nodiscard]] bool may_be_null(const Field& field, const Slot& slot);

// What a value must be: "a number from 0 to 1", "an integer from 0", "one of labels, ids, none", "a list".
[[nodiscard]] std::string expected(const Field& field, const Slot& slot);

}  // namespace leeway
