#include "leeway/core/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "leeway/core/file.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr int deepest_nesting = 100;

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
  const auto check_depth = [&](int depth, Json::parse_event_t event, const Json&) {
    const bool opens =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    if (opens && depth >= deepest_nesting)
      throw Error(
          fmt::format("{}: expected JSON nested at most {} levels deep, found more", name, deepest_nesting));
    return true;
  };
  return Json::parse(text.begin(), text.end(), check_depth);
}

Json parse_record(std::string_view text, const std::string& path) {
  Json record;
  try {
    record = parse_nested(text, path);
  } catch (const Json::parse_error& mistake) {
    const std::string found =
        text.empty() ? "an empty file" : "text that is not JSON at " + place_of(text, mistake.byte);
    throw Error(fmt::format("{}: expected a result record (JSON), found {}", path, found));
  } catch (const Json::out_of_range&) {
    throw Error(fmt::format("{}: expected a result record (JSON), found a number beyond float64", path));
  }
  if (!record.is_object())
    throw Error(fmt::format("{}: expected a result record (a JSON object), found {} {}", path,
                            record.is_array() ? "an" : "a", record.type_name()));
  const auto schema = record.find("schema");
  if (schema == record.end() || !schema->is_string())
    throw Error(fmt::format("{}: expected a result record with a \"schema\" string, found {}", path,
                            schema == record.end() ? "none" : schema->type_name()));
  return record;
}

}  // namespace leeway
