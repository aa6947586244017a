#include "leeway/nn/io/model_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/csv.h"
#include "leeway/io/toml.h"

namespace leeway::nn {
namespace {

constexpr double model_notes_most_classes = 1e6, most_pixels = 1e6;  // a side

double number(const TomlEntry& entry, const std::string& text) {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value))
    refuse(entry.place, fmt::format("finite numbers as {}", entry.key), in_quotes(text));
  return *value;
}

std::vector<double> numbers(const TomlEntry& entry) {
  std::vector<double> values;
  for (const std::string& text : entry.values) values.push_back(number(entry, text));
  return values;
}

std::size_t whole(const TomlEntry& entry, const std::string& text, double most) {
  const double value = number(entry, text);
  if (!(value >= 1 && value <= most && value == std::floor(value)))
    refuse(entry.place, fmt::format("integers from 1 to {} as {}", most, entry.key), text);
  return static_cast<std::size_t>(value);
}

void read_input(const TomlEntry& entry, ModelNotes& notes) {
  const std::size_t count = entry.values.size();
  if (count > 3) refuse(entry.place, "input = [channels, height, width]", "more numbers");
  const auto side = [&](std::size_t i) { return i < count ? whole(entry, entry.values[i], most_pixels) : 1; };
  notes.input = {side(0), side(1), side(2), count + 1};
}

void read_classes(const TomlEntry& entry, ModelNotes& notes) {
  const bool named = entry.kind == TomlEntry::Kind::list;
  if (named) notes.class_names = entry.values;
  notes.classes = named ? entry.values.size() : whole(entry, entry.values[0], model_notes_most_classes);
  if (notes.classes < 2) refuse(entry.place, "at least 2 classes", notes.classes);
}

using Kind = TomlEntry::Kind;

struct Key {
  std::string_view name, expected;
  std::vector<Kind> kinds;
  void (*read)(const TomlEntry&, ModelNotes&);
};

const Key& key_of(const TomlEntry& entry) {
  static const Key keys[] = {
      {"arch",
       "arch = \"name\"",
       {Kind::scalar},
       [](const auto& e, auto& n) { n.architecture = e.values[0]; }},
      {"scale", "scale = number", {Kind::scalar}, [](const auto& e, auto& n) { n.scale = numbers(e)[0]; }},
      {"mean",
       "mean = [number, ...], one per channel",
       {Kind::list},
       [](const auto& e, auto& n) { n.mean = numbers(e); }},
      {"std",
       "std = [number, ...], one per channel",
       {Kind::list},
       [](const auto& e, auto& n) { n.std = numbers(e); }},
      {"input", "input = [channels, height, width]", {Kind::list}, read_input},
      {"classes", "classes = number or [name, ...], at least 2", {Kind::scalar, Kind::list}, read_classes},
      {"template",
       "template = \"text with {}\" or a list of such texts",
       {Kind::scalar, Kind::list},
       [](const auto& e, auto& n) { n.templates = e.values; }},
      {"vocabulary", "vocabulary = \"file\"", {Kind::scalar}, [](const auto& e, auto& n) {
         n.vocabulary = std::filesystem::path(n.path).parent_path() / e.values[0];
       }}};
  const std::string given = entry.table.empty() ? entry.key : fmt::format("[{}] {}", entry.table, entry.key);
  return keys[index_of_name(given, keys, &Key::name, entry.place)];
}

}  // namespace

ModelNotes parse_notes(std::string_view text, std::string_view name) {
  ModelNotes notes;
  notes.path = name;
  for (const TomlEntry& entry : parse_toml(text, name)) {
    const Key& key = key_of(entry);
    if (std::ranges::find(key.kinds, entry.kind) == key.kinds.end() || entry.values.empty())
      refuse(entry.place, key.expected, "something else");
    key.read(entry, notes);
  }
  return notes;
}

ModelNotes notes_beside(const std::filesystem::path& model) {
  std::filesystem::path path = model;
  path += ".toml";
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return {};
  const MappedFile file = map_file(path);
  return parse_notes(file.text(), path.string());
}

}  // namespace leeway::nn
