#include "leeway/sweep/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>

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

// Empty: the last one.
std::string stage_of(const Plan& plan, const std::string& name) {
  if (name.empty()) return plan.stages.back().name;
  return plan.stages[index_of_name(name, plan.stages, &PlannedStage::name, "--stage")].name;
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
  Collector(const Plan& plan, const Store& store, const tasks::SweepCollectOptions& options) : store_(store) {
    table_.stage = stage_of(plan, options.stage);
    for (const Unit& unit : plan.units)
      if (unit.stage == table_.stage) units_.push_back(&unit);
    for (const PlannedAxis& axis : plan.axes)
      if (std::ranges::any_of(units_, [&](const Unit* unit) { return unit->axes.contains(axis.name); }))
        axes_.push_back(axis.name);
    for (const Unit* unit : units_)
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

  std::filesystem::path record_of(const Unit& unit) const { return store_.done(unit.name) / record_file; }

  std::optional<Json> read(const Unit& unit) const {
    const auto text = read_small_file(record_of(unit));
    if (!text) return {};
    check_output(store_, unit.name, std::string(record_file), *text);
    Json json = parse_record(*text, display_name(record_of(unit)));
    if (!json.contains("results") || !json["results"].is_array())
      refuse(display_name(record_of(unit)), "a result record with a list \"results\"", "none");
    return json;
  }

  void find_columns(const Unit& unit, const Json& record, const tasks::SweepCollectOptions& options) {
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
    table_.columns.insert(table_.columns.end(), axes_.begin(), axes_.end());
    table_.columns.emplace_back("unit_seconds");
    for (const ResultKey& key : keys_) table_.columns.push_back(key.column);
  }

  void choose_keys(const std::vector<std::string>& chosen) {
    std::vector<ResultKey> keys;
    for (const std::string& name : chosen)
      keys.push_back(keys_[index_of_name(
          name, keys_, &ResultKey::column, "--columns",
          fmt::format("keys of a result of {} that have one value, or one value in each element of a list",
                      schema_))]);
    keys_ = std::move(keys);
  }

  std::optional<Rows> rows_of(const Unit& unit) const {
    const auto json = read(unit);
    if (!json) return {};
    if (json->at("schema") != schema_)
      refuse(display_name(record_of(unit)), "a record of " + schema_, json->at("schema").dump());
    Row front{unit.name};
    for (const std::string& axis : axes_) {
      const auto value = unit.axes.find(axis);
      front.push_back(value == unit.axes.end() ? "" : value->second);
    }
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

  const Store& store_;
  std::vector<const Unit*> units_;
  std::string schema_;
  std::vector<ResultKey> keys_;
  std::vector<std::string> axes_;  // of any unit of the stage
  tasks::SweepTable table_;
};

constexpr std::string_view training_command = "train";

RunTable collected(const Plan& plan, const Store& store, const std::string& stage, Progress* progress) {
  const auto text = std::make_shared<std::string>();
  (void)Collector(plan, store, {stage, {}, true})
      .lines(store.folder().string(), progress, [&](const std::string& line) { *text += line; });
  return {{text, std::as_bytes(std::span(*text))},
          fmt::format("{} [{}]", display_name(store.folder()), stage)};
}

// The nearest training stages that units of the stage read, directly or not; not what a training began with.
std::vector<std::string> trainings_before(const Plan& plan, const std::string& stage) {
  std::unordered_map<std::string, std::string> stages;  // by unit
  std::map<std::string, std::set<std::string>> reads;
  for (const Unit& unit : plan.units) {
    stages[unit.name] = unit.stage;
    for (const std::string& other : unit.needs) reads[unit.stage].insert(stages.at(other));
  }
  std::vector<std::string> names;
  std::set<std::string> now = reads[stage];
  for (std::size_t depth = 0; names.empty() && depth < plan.stages.size(); ++depth) {
    std::set<std::string> next;
    for (const PlannedStage& before : plan.stages) {
      if (!now.contains(before.name)) continue;
      if (before.command == training_command) names.push_back(before.name);
      next.insert(reads[before.name].begin(), reads[before.name].end());
    }
    now = std::move(next);
  }
  return names;
}

std::vector<MissingRun> missing_of(const Plan& plan, const Store& store, const std::string& stage) {
  const auto done = store.listed(Outcome::done), failed = store.listed(Outcome::failed);
  std::unordered_map<std::string, std::string>
      without;  // units that failed or read one that did: words for readers
  std::vector<MissingRun> missing;
  for (const Unit& unit : plan.units) {
    if (done.contains(unit.name)) continue;
    std::string reason = failed.contains(unit.name) ? "failed: " + store.failure(unit.name).message : "";
    for (const std::string& other : unit.needs)
      if (const auto why = without.find(other); why != without.end()) reason = why->second;
    if (!reason.empty()) without[unit.name] = fmt::format("reads a unit of [{}] that {}", unit.stage, reason);
    if (unit.stage == stage) missing.push_back({unit.axes, reason.empty() ? "not done yet" : reason});
  }
  return missing;
}

}  // namespace

void check_table_name(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (!ending.empty() && ending != ".csv" && ending != ".gz")
    refuse(display_name(out), "a table name that ends in .csv or .csv.gz", in_quotes(ending));
}

tasks::SweepTable collect(const Plan& plan, const Store& store, const tasks::SweepCollectOptions& options,
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

RunTable runs_of_folder(const Plan& plan, const Store& store, const std::string& stage, Progress* progress) {
  const std::string name = stage_of(plan, stage);
  RunTable table = collected(plan, store, name, progress);
  for (const std::string& training : trainings_before(plan, name))
    table.join(collected(plan, store, training, progress));
  table.missing = missing_of(plan, store, name);
  for (const PlannedAxis& axis : plan.axes) table.roles.emplace(axis.name, axis.role);
  return table;
}

}  // namespace leeway::sweep
