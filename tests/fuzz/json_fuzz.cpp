// `leeway report RECORD.json...` on arbitrary records, mutated as bytes and as values: an Error, or a page.
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/tasks/report/join.h"
#include "leeway/tasks/report/page.h"
#include "tests/fuzz/fuzz.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using leeway::Json;

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& inner : value) collect(inner, all);
}

Json strange_value(std::uint32_t choice) {
  static const Json values = Json::parse(R"([null, true, 0, -1, 1, 0.5, 2, 1e300, 5e-324, 4294967296,
    -9223372036854775807, 18446744073709551615, "", "inf", "-inf", "nan", "</script>", "\u2028", [], {}, [null], [1, "inf"]])");
  return values[choice % values.size()];
}

void mutate(Json& record, std::minstd_rand& random) {
  std::vector<Json*> all;
  collect(record, all);
  Json& chosen = *all[random() % all.size()];
  const Json other = *all[random() % all.size()];
  switch (random() % 5) {
    case 0:
      if (chosen.is_structured() && !chosen.empty()) {
        auto at = chosen.begin();
        std::advance(at, random() % chosen.size());
        chosen.erase(at);
      } else {
        chosen = nullptr;
      }
      break;
    case 1:
      if (chosen.is_array() && !chosen.empty())
        chosen.push_back(Json(chosen[random() % chosen.size()]));
      else
        chosen = other;
      break;
    case 2:
      if (chosen.is_number()) {
        chosen = chosen.get<double>() * (random() % 2 == 0 ? -1. : 1000.);
        break;
      }
      [[fallthrough]];
    case 3:
      chosen = strange_value(static_cast<std::uint32_t>(random()));
      break;
    default:
      chosen = other;
  }
}

std::string joined_page(const Json& record) {
  using namespace leeway::tasks;
  const auto joined = [](const auto& read) {
    return html_report(leeway::tasks::join_records({"first", "second"}, std::vector{read, read}));
  };
  const auto schema = record["schema"].get<std::string>();
  if (schema.starts_with("leeway.pa/")) return joined(leeway::record_from<leeway::tasks::Pa>(record, "file"));
  if (schema.starts_with("leeway.assess/"))
    return joined(leeway::record_from<leeway::tasks::Assess>(record, "file"));
  return html_report(record);
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  std::minstd_rand random(seed);
  Json record = Json::parse(text_of(data, size), nullptr, false);
  if (record.is_discarded() || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  for (std::uint32_t i = 0; i <= random() % 3; ++i) mutate(record, random);
  const std::string text = record.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    const Json record = leeway::parse_record(text_of(data, size), "file");
    if (!leeway::tasks::html_report(record).ends_with("</html>\n")) std::abort();
    const std::string joined = joined_page(record);
    if (!joined.ends_with("</html>\n")) std::abort();
  });
}
