#include "leeway/core/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/version.h"

namespace leeway {

const char* const version = LEEWAY_VERSION;

namespace {

constexpr std::size_t deepest_nesting = 100, most_keys = 10'000;  // each key is found by a linear search

std::string place_of(std::string_view text, std::size_t byte) {
  const auto before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  return fmt::format("line {}, byte {}", line, byte);
}

}  // namespace

Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json read_record(const std::string& path) {
  const MappedFile file = map_file(path);
  return parse_record(file.text(), path);
}

Json parse_nested(std::string_view text, const std::string& name) {
  std::vector<std::size_t> keys;  // of each open object; 0 for a list
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"')
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
    if (c == '{' || c == '[') keys.push_back(c == '{' ? 1 : 0);
    if ((c == '}' || c == ']') && !keys.empty()) keys.pop_back();
    if (c == ',' && !keys.empty() && keys.back() > 0) ++keys.back();
    if (keys.size() > deepest_nesting || (!keys.empty() && keys.back() > most_keys))
      refuse(name,
             fmt::format("JSON nested at most {} levels deep, at most {} keys per object", deepest_nesting,
                         most_keys),
             "more");
  }
  return Json::parse(text.begin(), text.end());
}

Json parse_record(std::string_view text, const std::string& path) {
  Json record;
  try {
    record = parse_nested(text, path);
  } catch (const Json::parse_error& mistake) {
    const std::string found =
        text.empty() ? "an empty file" : "text that is not JSON at " + place_of(text, mistake.byte);
    refuse(path, "a result record (JSON)", found);
  } catch (const Json::out_of_range&) {
    refuse(path, "a result record (JSON)", "a number beyond float64");
  }
  if (!record.is_object())
    refuse(path, "a result record (a JSON object)",
           fmt::format("{} {}", record.is_array() ? "an" : "a", record.type_name()));
  const auto schema = record.find("schema");
  if (schema == record.end() || !schema->is_string())
    refuse(path, "a result record with a \"schema\" string",
           schema == record.end() ? "none" : schema->type_name());
  return record;
}

}  // namespace leeway
