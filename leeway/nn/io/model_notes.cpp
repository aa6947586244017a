#include "leeway/nn/io/model_notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/toml.h"
#include "leeway/nn/io/tensor_names.h"

namespace leeway::nn {
namespace {

constexpr double model_notes_most_classes = 1e6, most_pixels = 1e6;  // a side

double number(const TomlEntry& entry, const std::string& text) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    refuse(entry.place, fmt::format("finite numbers as {}", entry.key), in_quotes(text));
  return value;
}

std::vector<double> numbers(const TomlEntry& entry) {
  if (entry.kind != TomlEntry::Kind::list || entry.values.empty())
    refuse(entry.place, fmt::format("{} = [number, ...], one per channel", entry.key), "something else");
  std::vector<double> values;
  for (const std::string& text : entry.values) values.push_back(number(entry, text));
  return values;
}

std::size_t whole(const TomlEntry& entry, const std::string& text, double most) {
  const double value = number(entry, text);
  if (!(value >= 1 && value <= most && value == std::floor(value)))
    refuse(entry.place, fmt::format("whole numbers from 1 to {} as {}", most, entry.key), text);
  return static_cast<std::size_t>(value);
}

void read_architecture(const TomlEntry& entry, ModelNotes& notes) {
  if (entry.kind != TomlEntry::Kind::scalar) refuse(entry.place, "arch = \"name\"", "something else");
  notes.architecture = entry.values[0];
}

void read_scale(const TomlEntry& entry, ModelNotes& notes) {
  if (entry.kind != TomlEntry::Kind::scalar) refuse(entry.place, "scale = number", "something else");
  notes.scale = number(entry, entry.values[0]);
}

void read_mean(const TomlEntry& entry, ModelNotes& notes) { notes.mean = numbers(entry); }

void read_std(const TomlEntry& entry, ModelNotes& notes) { notes.std = numbers(entry); }

void read_input(const TomlEntry& entry, ModelNotes& notes) {
  const std::size_t count = entry.values.size();
  if (entry.kind != TomlEntry::Kind::list || count < 1 || count > 3)
    refuse(entry.place, "input = [channels, height, width]", "something else");
  const auto side = [&](std::size_t i) { return i < count ? whole(entry, entry.values[i], most_pixels) : 1; };
  notes.input = {side(0), side(1), side(2), count + 1};
}

void read_classes(const TomlEntry& entry, ModelNotes& notes) {
  if (entry.kind == TomlEntry::Kind::scalar) {
    notes.classes = whole(entry, entry.values[0], model_notes_most_classes);
  } else if (entry.kind == TomlEntry::Kind::list) {
    notes.class_names = entry.values;
    notes.classes = entry.values.size();
  }
  if (notes.classes < 2)
    refuse(entry.place, "classes = number or [name, ...], at least 2", "fewer or something else");
}

struct Key {
  std::string_view name;
  void (*read)(const TomlEntry&, ModelNotes&);
};

constexpr Key keys[] = {{"arch", read_architecture}, {"scale", read_scale}, {"mean", read_mean},
                        {"std", read_std},           {"input", read_input}, {"classes", read_classes}};

const Key& key_of(const TomlEntry& entry) {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    if (entry.table.empty() && entry.key == key.name) return key;
    names.emplace_back(key.name);
  }
  const std::string given = entry.table.empty() ? entry.key : fmt::format("[{}] {}", entry.table, entry.key);
  const std::string nearest = nearest_name(entry.key, names);
  refuse(entry.place, fmt::format("one of {}", fmt::join(names, ", ")),
         printable(given) + (nearest.empty() ? "" : fmt::format(" (nearest: {})", nearest)));
}

}  // namespace

ModelNotes parse_notes(std::string_view text, std::string_view name) {
  ModelNotes notes;
  notes.path = name;
  for (const TomlEntry& entry : parse_toml(text, name)) key_of(entry).read(entry, notes);
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
