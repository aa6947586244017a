// The plan as a file, plan.jsonl: one line about the plan, then one line a unit.
//
//   {"schema":"leeway.sweep/1","version":"0.1.0","threads":1,"memory":0,"stages":[{"name","command"}],"axes":[...],
//    "inputs":{"/home/me/test.npz":"test.npz:1f..."},"units":12}
//   {"unit":"2f...","stage":"shift","axes":{"shift.strength":"0.1"},"words":["shift",...],"needs":["91..."]}
//
// Errors (Error): no such file, a line that is no such JSON, another schema or version of leeway (whose
// results may have other bits), fewer units than promised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/sweep/plan.h"

namespace leeway::sweep {

void write_plan(const std::filesystem::path& path, const Plan& plan);

struct PlannedUnit {
  std::string name;
  std::size_t stage = 0;
  std::vector<std::size_t> needs;
  std::size_t at = 0, size = 0;  // of its line in the file
};

// What a run needs at once; the words of a unit are read when it is run.
class PlanFile {
 public:
  // With `any_version`, a plan of another version of leeway is read too. With a catalog, the words of each unit are
  // checked (check_words in study.h): for those who run them.
  explicit PlanFile(const std::filesystem::path& path, bool any_version = false,
                    const Catalog* catalog = nullptr);

  std::vector<PlannedStage> stages;
  std::vector<std::string> axes;
  std::size_t threads = 1;
  std::uint64_t memory = 0;
  std::map<std::string, std::string> inputs;  // of plan.h; a plan of before they were written has none
  std::vector<PlannedUnit> units;

  [[nodiscard]] std::vector<std::string> words(const PlannedUnit& unit) const;
  // One a axis of the plan; empty for those that the unit does not have.
  [[nodiscard]] std::vector<std::string> axis_values(const PlannedUnit& unit) const;
  // Indices of the axes that any unit of the stage has, by its own options or those of units that it reads, in order.
  [[nodiscard]] std::vector<std::size_t> axes_of_stage(std::size_t stage) const;

 private:
  [[nodiscard]] std::string_view line(const PlannedUnit& unit) const;
  MappedFile file_;
  std::vector<std::vector<bool>> has_axis_;  // by stage and axis
};

}  // namespace leeway::sweep
