#include "leeway/sweep/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "leeway/core/message.h"
#include "leeway/core/result.h"

namespace leeway::sweep {
namespace {

constexpr std::string_view schema = "leeway.sweep/1";

// nlohmann's message would quote the input.
template <class Read>
auto reading(const std::string& name, std::size_t number, const Read& read) {
  try {
    return read();
  } catch (const Json::exception&) {
    refuse(name, "the plan of a sweep, written by leeway sweep plan",
           fmt::format("invalid content in line {}", number));
  }
}

std::string digest_of_plan(const Json& head, std::string_view units) {
  return digest_text(head.dump(-1, ' ', false, Json::error_handler_t::replace).append(units));
}

}  // namespace

void write_plan(const std::filesystem::path& path, const Plan& plan) {
  AtomicFile file(path);
  Json head = {{"schema", schema}, {"version", version}, {"threads", plan.threads}, {"memory", plan.memory}};
  head["stages"] = Json::array();
  for (const PlannedStage& stage : plan.stages)
    head["stages"].push_back({{"name", stage.name}, {"command", stage.command}});
  head["axes"] = plan.axes, head["inputs"] = plan.inputs, head["units"] = plan.units.size();
  std::string units = "\n";
  for (const Unit& unit : plan.units) {
    Json line = {{"unit", unit.name}, {"stage", plan.stages[unit.stage].name}, {"axes", Json::object()}};
    for (std::size_t i = 0; i < unit.axes.size(); ++i) line["axes"][plan.axes[unit.axes[i]]] = unit.values[i];
    line["words"] = unit.words, line["needs"] = Json::array();
    for (const std::size_t other : unit.needs) line["needs"].push_back(plan.units[other].name);
    units += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  head["digest"] = digest_of_plan(head, units);
  file.write(head.dump(-1, ' ', false, Json::error_handler_t::replace));
  file.write(units);
  file.commit();
}

PlanFile::PlanFile(const std::filesystem::path& path, bool any_version, const Catalog* catalog)
    : file_(map_file(path)) {
  const std::string name = display_name(path);
  const std::string_view text = file_.text();
  std::size_t at = text.find('\n'), number = 1, promised = 0;
  std::string digest, written_digest;
  reading(name, 1, [&] {
    Json head = parse_nested(text.substr(0, std::min(at, text.size())), name);
    if (head.at("schema") != schema)
      refuse(name, fmt::format("a plan of {}", schema), in_quotes(head.at("schema").get<std::string>()));
    if (const auto made_by = head.at("version").get<std::string>(); made_by != version && !any_version)
      refuse(name, fmt::format("a plan of leeway {} (plan the study again into another folder)", version),
             "a plan of " + printable(made_by));
    const auto whole = [&](const char* key) {
      const Json& value = head.at(key);
      if (!value.is_number_unsigned())
        refuse(name, fmt::format("a whole number as {}", key), in_quotes(value.dump()));
      return value.get<std::uint64_t>();
    };
    threads = whole("threads"), memory = whole("memory"), promised = whole("units");
    if (threads < 1 || threads > most_threads || memory >= std::uint64_t{1} << 60)
      refuse(name, fmt::format("1 to {} threads and less than 2^60 bytes of memory", most_threads),
             fmt::format("{} and {}", threads, memory));
    for (const Json& stage : head.at("stages")) {
      stages.push_back({stage.at("name"), stage.at("command")});
      if (!is_stage_name(stages.back().name))
        refuse(name, "stage names of a-z, 0-9, - and _", in_quotes(stages.back().name));
    }
    axes = head.at("axes").get<std::vector<std::string>>();
    inputs = head.value("inputs", std::map<std::string, std::string>());
    written_digest = head.value("digest", std::string());
    head.erase("digest");
    if (at < text.size()) digest = digest_of_plan(head, text.substr(at));
  });
  std::unordered_map<std::string, std::size_t> index, place_of_axis;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) place_of_axis.emplace(axes[axis], axis);
  has_axis_.assign(stages.size(), std::vector<bool>(axes.size(), false));
  const auto stage_of = [&](const std::string& stage) {
    const auto found = std::ranges::find(stages, stage, &PlannedStage::name);
    if (found == stages.end()) refuse(name, "stages of the first line", in_quotes(stage));
    return static_cast<std::size_t>(found - stages.begin());
  };
  while (at + 1 < text.size()) {
    ++at;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    ++number;
    reading(name, number, [&] {
      const Json line = Json::parse(text.substr(at, end - at));
      PlannedUnit unit{line.at("unit"), stage_of(line.at("stage")), {}, at, end - at};
      if (unit.name.size() != 32 || unit.name.find_first_not_of("0123456789abcdef") != std::string::npos)
        refuse(name, "names of 32 hexadecimal digits", in_quotes(unit.name));
      for (const std::string other : line.at("needs")) {
        const auto needed = index.find(other);
        if (needed == index.end()) refuse(name, "units after the units they need", in_quotes(other));
        unit.needs.push_back(needed->second);
      }
      for (const auto& [axis, value] : line.at("axes").items()) {
        const auto known = place_of_axis.find(axis);
        if (known == place_of_axis.end()) refuse(name, "axes of the first line", in_quotes(axis));
        (void)value.get<std::string>();
        has_axis_[unit.stage][known->second] = true;
      }
      const auto words = line.at("words").get<std::vector<std::string>>();
      if (catalog)
        check_words(words, stages[unit.stage].command, *catalog, fmt::format("{}: line {}", name, number));
      if (!index.emplace(unit.name, units.size()).second)
        refuse(name, "each unit once", in_quotes(unit.name));
      units.push_back(std::move(unit));
    });
    at = end;
  }
  if (units.size() != promised || units.empty())
    refuse(name, fmt::format("{} units", std::max<std::size_t>(promised, 1)), units.size());
  if (digest != written_digest)
    refuse(name, "a plan as written by leeway sweep plan (plan the study again into another folder)",
           "a changed plan");
}

std::string_view PlanFile::line(const PlannedUnit& unit) const {
  return file_.text().substr(unit.at, unit.size);
}

std::vector<std::string> PlanFile::words(const PlannedUnit& unit) const {
  return Json::parse(line(unit)).at("words").get<std::vector<std::string>>();
}

std::vector<std::string> PlanFile::axis_values(const PlannedUnit& unit) const {
  const Json parsed = Json::parse(line(unit));
  std::vector<std::string> values;
  for (const std::string& axis : axes)
    values.push_back(parsed.at("axes").contains(axis) ? parsed.at("axes").at(axis).get<std::string>() : "");
  return values;
}

std::vector<std::size_t> PlanFile::axes_of_stage(std::size_t stage) const {
  std::vector<std::size_t> places;
  for (std::size_t axis = 0; axis < axes.size(); ++axis)
    if (has_axis_[stage][axis]) places.push_back(axis);
  return places;
}

}  // namespace leeway::sweep
