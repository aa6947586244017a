#include "apps/leeway/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "leeway/core/message.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace leeway::app {
namespace {

struct Placed {
  toml::source_position at;
  ConfigEntry entry;
};

std::string place_of(std::string_view name, const toml::source_position& at) {
  return fmt::format("{}: line {}, column {}", display_name(name), at.line, at.column);
}

std::string_view kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
    case toml::node_type::floating_point:
      return "a number";
    default:
      return "a date or time";
  }
}

// Nothing for what cannot stand on a command line. Numbers keep every digit that float64 has.
std::optional<std::string> scalar(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  return {};
}

ConfigEntry entry_of(std::string_view name, const std::string& table, const toml::key& key,
                     const toml::node& node) {
  ConfigEntry entry{
      table, std::string(key.str()), ConfigEntry::Kind::scalar, {}, place_of(name, key.source().begin)};
  const auto take = [&](const toml::node& from, std::string_view expected) {
    auto value = scalar(from);
    if (!value) refuse(place_of(name, from.source().begin), expected, kind_of(from));
    if (value->find('\0') != std::string::npos)
      refuse(place_of(name, from.source().begin), "a text without the character 0", in_quotes(*value));
    entry.values.push_back(std::move(*value));
  };
  if (const auto* boolean = node.as_boolean()) {
    entry.kind = ConfigEntry::Kind::boolean;
    entry.values.emplace_back(boolean->get() ? "true" : "false");
  } else if (const auto* list = node.as_array()) {
    entry.kind = ConfigEntry::Kind::list;
    for (const toml::node& one : *list) take(one, "a text or a number in a list");
  } else {
    take(node, "a text, a number, true, false or a list");
  }
  return entry;
}

}  // namespace

std::vector<ConfigEntry> parse_config(std::string_view text, std::string_view name) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed)
    refuse(place_of(name, parsed.error().source().begin), "TOML",
           fmt::format("a mistake ({})", printable(parsed.error().description(), 200)));
  std::vector<Placed> found;
  for (const auto& [key, node] : parsed.table()) {
    const toml::table* const table = node.as_table();
    if (!table) {
      found.push_back({key.source().begin, entry_of(name, "", key, node)});
      continue;
    }
    for (const auto& [inner, value] : *table)
      found.push_back({inner.source().begin, entry_of(name, std::string(key.str()), inner, value)});
  }
  std::stable_sort(found.begin(), found.end(), [](const Placed& a, const Placed& b) {
    return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
  });
  std::vector<ConfigEntry> entries;
  for (Placed& one : found) entries.push_back(std::move(one.entry));
  return entries;
}

}  // namespace leeway::app
