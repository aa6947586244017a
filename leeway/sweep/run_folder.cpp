#include "leeway/sweep/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <set>
#include <unordered_set>

#include "leeway/core/message.h"
#include "leeway/sweep/collect.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view training_command = "train";

// A folder for one table, gone with this object.
class TableFolder {
 public:
  TableFolder() {
    std::string name = (fs::temp_directory_path() / "leeway-sweep-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail_at(name, "cannot make the folder", errno);
    path_ = name;
  }
  ~TableFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TableFolder(const TableFolder&) = delete;
  TableFolder& operator=(const TableFolder&) = delete;
  [[nodiscard]] std::string file() const { return (path_ / "runs.csv").string(); }

 private:
  fs::path path_;
};

RunTable collected(const PlanFile& plan, const Store& store, const std::string& stage, Progress* progress) {
  const TableFolder folder;
  (void)collect(plan, store, {stage, {}, true}, folder.file(), progress);
  return {map_file(folder.file()), fmt::format("{} [{}]", display_name(store.folder()), stage)};
}

// Stages of trainings among those that units of the stage read, at once or over others: the nearest ones. What a training
// began with is not what it became.
std::vector<std::string> trainings_before(const PlanFile& plan, std::size_t stage) {
  std::vector<std::set<std::size_t>> reads(plan.stages.size());
  for (const PlannedUnit& unit : plan.units)
    for (const std::size_t other : unit.needs) reads[unit.stage].insert(plan.units[other].stage);
  std::vector<std::string> names;
  std::set<std::size_t> seen, now = reads[stage];
  while (names.empty() && !now.empty()) {
    std::set<std::size_t> next;
    for (const std::size_t before : now) {
      if (plan.stages[before].command == training_command) names.push_back(plan.stages[before].name);
      if (seen.insert(before).second) next.insert(reads[before].begin(), reads[before].end());
    }
    now = std::move(next);
  }
  return names;
}

std::unordered_set<std::string> run_folder_all_listed(const Store& store, Outcome outcome) {
  const std::vector<std::string> names = store.listed(outcome);
  return {names.begin(), names.end()};
}

std::vector<MissingRun> missing_of(const PlanFile& plan, const Store& store, std::size_t stage) {
  const auto done = run_folder_all_listed(store, Outcome::done),
             failed = run_folder_all_listed(store, Outcome::failed);
  std::vector<std::string> reasons(plan.units.size());  // empty: there is a record
  std::vector<MissingRun> missing;
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    const PlannedUnit& unit = plan.units[i];
    if (done.contains(unit.name)) continue;
    reasons[i] = failed.contains(unit.name) ? "failed: " + store.failure(unit.name).message : "not done yet";
    for (const std::size_t other : unit.needs)
      if (reasons[other].starts_with("failed: ") || reasons[other].starts_with("reads "))
        reasons[i] = fmt::format("reads a unit of [{}] that {}", plan.stages[plan.units[other].stage].name,
                                 reasons[other]);
    if (unit.stage != stage) continue;
    MissingRun& run = missing.emplace_back();
    run.reason = reasons[i];
    const std::vector<std::string> values = plan.axis_values(unit);
    for (std::size_t axis = 0; axis < values.size(); ++axis)
      if (!values[axis].empty()) run.axes[plan.axes[axis]] = values[axis];
  }
  return missing;
}

}  // namespace

RunTable runs_of_folder(const PlanFile& plan, const Store& store, const std::string& stage,
                        Progress* progress) {
  const std::string name = stage.empty() ? plan.stages.back().name : stage;
  RunTable table = collected(plan, store, name, progress);
  const auto place = static_cast<std::size_t>(std::ranges::find(plan.stages, name, &PlannedStage::name) -
                                              plan.stages.begin());
  for (const std::string& training : trainings_before(plan, place))
    table.join(collected(plan, store, training, progress));
  table.missing = missing_of(plan, store, place);
  return table;
}

}  // namespace leeway::sweep
