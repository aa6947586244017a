#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/describe/json.h"
#include "leeway/describe/number_list.h"
#include "leeway/sweep/plan.h"

namespace leeway::sweep {

static void fields(PlannedStage& stage, Fields& f) {
  f("name", stage.name, "name of the stage in the study");
  f("command", stage.command, "command that the units run");
}

static void fields(PlannedAxis& axis, Fields& f) {
  f("name", axis.name, "STAGE.OPTION");
  f("role", axis.role, "role in a comparison of runs; empty: hyperparameter");
}

static void fields(Plan& plan, Fields& f) {
  f("schema", plan.schema, "name and number of the schema");
  f("version", plan.version, "version of leeway");
  f("threads", plan.threads, from_to(1, most_threads), "threads of a unit");
  f("memory", plan.memory, from_to(0, 0x1p60), "memory of a unit in bytes; 0: unknown");
  f("stages", plan.stages, "stages of the study");
  f("axes", plan.axes, "options with several values");
  f("inputs", plan.inputs, "the user's files, with digests of their contents");
  f("digest", plan.digest, "digest of all other contents");
}

static void fields(Unit& unit, Fields& f) {
  f("unit", unit.name, "digest of the unit");
  f("stage", unit.stage, "name of the unit's stage");
  f("axes", unit.axes, "values by axis");
  f("words", unit.words, "command line");
  f("needs", unit.needs, "units whose files this unit reads");
}

namespace {

template <class Described>
std::string line_of(Described& one) {
  const Json json = written([&](Fields& f) { fields(one, f); });
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string digest_of(Plan& plan, std::string_view units) {
  plan.digest.clear();
  return digest_text(line_of(plan).append(units));
}

// nlohmann's message would quote the input.
Json parsed(const std::string& line, const std::string& place) {
  try {
    return parse_nested(line, place);
  } catch (const Json::exception&) {
    refuse(place, "JSON, as written by leeway sweep plan", "invalid content");
  }
}

// `known`: the units before it.
void check_unit(const Unit& unit, const Plan& plan, const std::unordered_set<std::string>& known,
                const std::string& place) {
  const auto expect = [&](bool is, std::string_view expected, const std::string& found) {
    if (!is) refuse(place, expected, in_quotes(found));
  };
  const auto names = [](const auto& list, const std::string& name) {
    return std::ranges::any_of(list, [&](const auto& one) { return one.name == name; });
  };
  expect(unit.name.size() == 32 && unit.name.find_first_not_of("0123456789abcdef") == std::string::npos,
         "a name of 32 hexadecimal digits", unit.name);
  expect(!known.contains(unit.name), "each unit once", unit.name);
  expect(names(plan.stages, unit.stage), "a stage of the first line", unit.stage);
  for (const auto& [axis, value] : unit.axes) expect(names(plan.axes, axis), "axes of the first line", axis);
  for (const std::string& other : unit.needs)
    expect(known.contains(other), "units after the units they need", other);
}

}  // namespace

void write_plan(const std::filesystem::path& path, Plan plan) {
  std::string units;
  for (Unit& unit : plan.units) units += line_of(unit);
  plan.digest = digest_of(plan, units);
  write_text(path, line_of(plan) + units);
}

bool is_plan(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  return file.text().starts_with(R"({"schema":"leeway.sweep/)");
}

Plan read_plan(const std::filesystem::path& path) {
  const MappedFile file = map_file(path);
  const std::string name = display_name(path);
  Plan plan;
  std::unordered_set<std::string> known;
  std::size_t number = 0;
  for (const std::string& line : split(std::string(file.text()), '\n')) {
    const std::string place = fmt::format("{}: line {}", name, ++number);
    const Json json = parsed(line, place);
    if (number == 1) {
      require_schema(json, plan_schema, name);
      read([&](Fields& f) { fields(plan, f); }, json, place);
      for (const PlannedStage& stage : plan.stages)
        if (!is_stage_name(stage.name))
          refuse(name, "stage names of a-z, 0-9, - and _", in_quotes(stage.name));
      continue;
    }
    Unit& unit = plan.units.emplace_back();
    read([&](Fields& f) { fields(unit, f); }, json, place);
    check_unit(unit, plan, known, place);
    known.insert(unit.name);
  }
  const std::string digest = plan.digest;
  const std::string_view text = file.text();
  if (plan.units.empty() || digest != digest_of(plan, text.substr(text.find('\n') + 1)))
    refuse(name, "a plan as written by leeway sweep plan (plan the study again in a different folder)",
           "a changed plan");
  return plan;
}

}  // namespace leeway::sweep
