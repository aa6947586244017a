#include "leeway/sweep/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/result.h"
#include "leeway/describe/keys.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/io/inflate.h"
#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/roles.h"
#include "leeway/sweep/study.h"
#include "leeway/tasks/records.h"

namespace leeway::sweep {
namespace {

constexpr std::size_t block = 2048, most_kept = 1 << 20;
constexpr std::string_view result_prefix = "results[].";

std::size_t stage_of(const PlanFile& plan, const std::string& name) {
  if (name.empty()) return plan.stages.size() - 1;
  return index_of_name(name, plan.stages, &PlannedStage::name, "--stage");
}

// A key of a result: one value, or the numbers of a list, of `list` the key `name` of each element.
struct ResultKey {
  std::string column, list = {}, name = {};
};

// Keys of a result that are one value each, and those of the numbers of lists.
std::vector<ResultKey> result_keys(const std::string& schema, const std::string& name) {
  const auto records = tasks::records();
  const auto found = std::ranges::find(records, schema, &tasks::RecordType::schema);
  if (found == records.end()) refuse(name, "a record that this version supports", in_quotes(schema));
  std::vector<ResultKey> keys;
  for (const Key& key : keys_of(found->describe)) {
    const bool single = !key.type.starts_with("a list") && !key.type.starts_with("an object");
    if (!single || !key.path.starts_with(result_prefix)) continue;
    std::string path = key.path.substr(result_prefix.size());
    const std::size_t list = path.find("[].");
    if (list == path.npos && path.find("[]") == path.npos)
      keys.push_back({std::move(path)});
    else if (key.number && list != path.npos && path.find("[]", list + 1) == path.npos)
      keys.push_back(
          {path.substr(0, list) + path.substr(list + 2), path.substr(0, list), path.substr(list + 3)});
  }
  return keys;
}

std::string cell(const Json* value) {
  if (value == nullptr || value->is_null()) return "";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

// `path`: keys separated by dots.
const Json* at(const Json& object, const std::string& path) {
  const Json* here = &object;
  for (const std::string& key : split(path, '.')) {
    const auto found = here->find(key);
    if (found == here->end()) return nullptr;
    here = &*found;
  }
  return here;
}

// The numbers of a list, separated by spaces; empty where all are null.
std::string series_cell(const Json* list, const std::string& key) {
  if (list == nullptr || !list->is_array()) return "";
  std::string text;
  bool any = false;
  for (const Json& element : *list) {
    const std::string one = cell(at(element, key));
    any = any || !one.empty();
    text += (text.empty() ? "" : " ") + (one.empty() ? "nan" : one);
  }
  return any ? text : "";
}

std::string csv_line(std::span<const std::string> row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) (line += i > 0 ? "," : "") += csv_name(row[i]);
  return line + '\n';
}

class Collector {
 public:
  Collector(const PlanFile& plan, const Store& store, const tasks::SweepCollectOptions& options)
      : plan_(plan), store_(store) {
    const std::size_t stage = stage_of(plan, options.stage);
    for (const PlannedUnit& unit : plan.units)
      if (unit.stage == stage) units_.push_back(&unit);
    table_.stage = plan.stages[stage].name;
    for (const PlannedUnit* unit : units_)
      if (const auto record = read(*unit)) {
        find_columns(*unit, *record, options);
        return;
      }
    refuse(display_name(store.folder()), fmt::format("a record of [{}]", table_.stage), "none yet");
  }

  // write(line) for the header and every row. `out`: what they go to.
  template <class Write>
  tasks::SweepTable lines(const std::string& out, Progress* progress, const Write& write) {
    write(csv_line(table_.columns));
    std::vector<std::optional<Rows>> rows;
    for (std::size_t first = 0; first < units_.size(); first += block) {
      if (progress != nullptr && progress->stop_requested())
        throw Interrupted("interrupted: " + display_name(out) + " is unchanged");
      rows.assign(std::min(block, units_.size() - first), {});
      parallel_for(rows.size(), [&](std::size_t i) { rows[i] = rows_of(*units_[first + i]); });
      for (const auto& unit : rows) {
        ++(unit ? table_.units : table_.missing);
        if (!unit) continue;
        table_.rows += unit->size();
        for (const Row& row : *unit) write(csv_line(row));
      }
      if (progress != nullptr) progress->update("records", first + rows.size(), units_.size(), "");
    }
    table_.out = out;
    return table_;
  }

 private:
  using Row = std::vector<std::string>;
  using Rows = std::vector<Row>;

  std::filesystem::path record_of(const PlannedUnit& unit) const {
    return store_.done(unit.name) / record_file;
  }

  std::optional<Json> read(const PlannedUnit& unit) const {
    const auto text = read_small_file(record_of(unit));
    if (!text) return {};
    check_output(store_, unit.name, std::string(record_file), *text);
    Json json = parse_record(*text, display_name(record_of(unit)));
    if (!json.contains("results") || !json["results"].is_array())
      refuse(display_name(record_of(unit)), "a result record with a list \"results\"", "none");
    return json;
  }

  void find_columns(const PlannedUnit& unit, const Json& record, const tasks::SweepCollectOptions& options) {
    schema_ = record.at("schema").get<std::string>();
    keys_ = result_keys(schema_, display_name(record_of(unit)));
    if (!options.columns.empty())
      choose_keys(options.columns);
    else
      std::erase_if(keys_, [&](const ResultKey& key) {
        return !key.list.empty() &&
               !(options.series && std::ranges::find(curve_columns, key.column) != curve_columns.end());
      });
    table_.columns = {"unit"};
    axes_ = plan_.axes_of_stage(unit.stage);
    for (const std::size_t axis : axes_) table_.columns.push_back(plan_.axes[axis]);
    table_.columns.emplace_back("unit_seconds");
    for (const ResultKey& key : keys_) table_.columns.push_back(key.column);
  }

  void choose_keys(const std::vector<std::string>& chosen) {
    std::vector<ResultKey> keys;
    for (const std::string& name : chosen)
      keys.push_back(keys_[index_of_name(
          name, keys_, &ResultKey::column, "--columns",
          fmt::format("keys of a result of {} with one value, or one in each element of a list", schema_))]);
    keys_ = std::move(keys);
  }

  std::optional<Rows> rows_of(const PlannedUnit& unit) const {
    const auto json = read(unit);
    if (!json) return {};
    if (json->at("schema") != schema_)
      refuse(display_name(record_of(unit)), "a record of " + schema_, json->at("schema").dump());
    const std::vector<std::string> values = plan_.axis_values(unit);
    Row front{unit.name};
    for (const std::size_t axis : axes_) front.push_back(values[axis]);
    front.push_back(cell(at(*json, "seconds")));
    Rows rows;
    for (const Json& result : json->at("results")) {
      Row& row = rows.emplace_back(front);
      for (const ResultKey& key : keys_)
        row.push_back(key.list.empty() ? cell(at(result, key.column))
                                       : series_cell(at(result, key.list), key.name));
    }
    return rows;
  }

  const PlanFile& plan_;
  const Store& store_;
  std::vector<const PlannedUnit*> units_;
  std::string schema_;
  std::vector<ResultKey> keys_;
  std::vector<std::size_t> axes_;
  tasks::SweepTable table_;
};

constexpr std::string_view training_command = "train";

RunTable collected(const PlanFile& plan, const Store& store, const std::string& stage, Progress* progress) {
  const auto text = std::make_shared<std::string>();
  (void)Collector(plan, store, {stage, {}, true})
      .lines(store.folder().string(), progress, [&](const std::string& line) { *text += line; });
  return {{text, std::as_bytes(std::span(*text))},
          fmt::format("{} [{}]", display_name(store.folder()), stage)};
}

// The nearest training stages that units of the stage read, directly or not; not what a training began with.
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

std::vector<MissingRun> missing_of(const PlanFile& plan, const Store& store, std::size_t stage) {
  const auto done = store.listed(Outcome::done), failed = store.listed(Outcome::failed);
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

void check_table_name(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (!ending.empty() && ending != ".csv" && ending != ".gz")
    refuse(display_name(out), "a table name that ends in .csv or .csv.gz", in_quotes(ending));
}

tasks::SweepTable collect(const PlanFile& plan, const Store& store, const tasks::SweepCollectOptions& options,
                          const std::string& out, Progress* progress) {
  check_table_name(out);
  Collector collector(plan, store, options);
  AtomicFile file(out);
  std::string text;
  const auto put = [&] { file.write(out.ends_with(".gz") ? gzipped(text) : text), text.clear(); };
  const tasks::SweepTable table = collector.lines(out, progress, [&](const std::string& line) {
    if ((text += line).size() > most_kept) put();
  });
  put();
  file.commit();
  return table;
}

RunTable runs_of_folder(const PlanFile& plan, const Store& store, const std::string& stage,
                        Progress* progress) {
  const std::size_t place = stage_of(plan, stage);
  RunTable table = collected(plan, store, plan.stages[place].name, progress);
  for (const std::string& training : trainings_before(plan, place))
    table.join(collected(plan, store, training, progress));
  table.missing = missing_of(plan, store, place);
  return table;
}

}  // namespace leeway::sweep
