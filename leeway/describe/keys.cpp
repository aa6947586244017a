#include "leeway/describe/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/family.h"
#include "leeway/describe/overloaded.h"

namespace leeway {
namespace {

template <class... Types>
bool holds(const Slot& slot) {
  return (std::holds_alternative<Types*>(slot) || ...);
}

std::string type_of(const Field& field, const Slot& slot) {
  const auto listed = [&](auto value, const char* list) {
    std::string item = expected(field, &value);
    item = item.substr(item.find(' ') + 1);  // without the article
    item.insert(std::min(item.find(' '), item.size()), "s");
    return list + item;
  };
  std::string type;
  if (holds<std::vector<double>>(slot))
    type = listed(double{}, "a list of ");
  else if (holds<std::vector<std::size_t>>(slot))
    type = listed(std::size_t{}, "a list of ");
  else if (holds<std::vector<std::vector<std::size_t>>>(slot))
    type = listed(std::size_t{}, "a list of lists of ");
  else if (holds<std::vector<std::string>>(slot))
    type = field.choices.empty() ? "a list of strings"
                                 : "a list of words, each one of " + names_of(field.choices);
  else if (holds<std::map<std::string, std::optional<double>>>(slot))
    type = listed(double{}, "an object of ") + " or null, by name";
  else if (holds<std::map<std::string, std::string>>(slot))
    type = "an object of strings, by name";
  else
    type = expected(field, slot);
  return may_be_null(field, slot) ? type + ", or null" : type;
}

std::string meaning_of(const Field& field) {
  std::string words(field.meaning);
  const char* before = ": ";
  for (const Choice& choice : field.choices) {
    if (choice.meaning.empty()) continue;
    words += fmt::format("{}{}: {}", std::exchange(before, "; "), choice.name, choice.meaning);
  }
  return words;
}

class KeyList : public Fields {
 public:
  KeyList(std::vector<Key>& keys, std::string path) : keys_(keys), path_(std::move(path)) {}

 private:
  void visit(const Field& field, const Slot& slot) override {
    const std::string path = fmt::format("{}{}", path_, field.name);
    keys_.push_back(
        {path, type_of(field, slot), meaning_of(field),
         holds<double, std::optional<double>, std::size_t, std::optional<std::size_t>, std::int64_t>(slot),
         field.range});
    if (holds<std::size_t, std::optional<std::size_t>>(slot))
      keys_.back().range.least = std::max(0., field.range.least);
    if (const auto* nested = std::get_if<Nested>(&slot)) {
      KeyList inner(keys_, path + (nested->shape == Nested::Shape::list ? "[]." : "."));
      nested->describe_default(inner);
    }
  }

  std::vector<Key>& keys_;
  const std::string path_;
};

class NumberFinder : public Fields {
 public:
  explicit NumberFinder(std::string_view path) : path_(path) {}

  std::optional<double> found;

 private:
  void visit(const Field& field, const Slot& slot) override {
    const std::size_t dot = path_.find('.');
    if (path_.substr(0, dot) != field.name) return;
    if (dot != path_.npos) {
      if (const auto* nested = std::get_if<Nested>(&slot)) enter(*nested, path_.substr(dot + 1));
      return;
    }
    std::visit(Overloaded{[&](const double* value) {
                            if (!field.null_if_empty || !std::isnan(*value)) found = *value;
                          },
                          [&](const std::optional<double>* value) { found = *value; },
                          [&](const std::size_t* value) { found = static_cast<double>(*value); },
                          [&](const std::optional<std::size_t>* value) {
                            if (*value) found = static_cast<double>(**value);
                          },
                          [&](const std::int64_t* value) { found = static_cast<double>(*value); },
                          [](const Nested&) {}, [](const auto*) {}},
               slot);
  }

  void enter(const Nested& nested, std::string_view rest) {
    if (nested.shape == Nested::Shape::list || nested.size() == 0) return;
    NumberFinder inner(rest);
    nested.describe(0, inner);
    found = inner.found;
  }

  const std::string_view path_;
};

// A cell of a table: a bar would end it.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

}  // namespace

std::vector<Key> keys_of(const Description& describe) {
  std::vector<Key> keys;
  KeyList list(keys, "");
  describe(list);
  return keys;
}

std::optional<double> find_number(const Description& describe, std::string_view path) {
  NumberFinder finder(path);
  describe(finder);
  return finder.found;
}

std::string key_table(const Description& describe) {
  std::string table = "| key | value | meaning |\n|---|---|---|\n";
  for (const Key& key : keys_of(describe))
    table += fmt::format("| `{}` | {} | {} |\n", key.path, cell(key.type), cell(key.meaning));
  return table;
}

}  // namespace leeway
