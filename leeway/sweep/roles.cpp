#include "leeway/sweep/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"

namespace leeway::sweep {
namespace {

using RolesNames = std::vector<std::string>;

// Keys of a validation set: the first one that a table has selects, the others are further criteria.
constexpr std::array<std::string_view, 3> validation_columns{"kept.validation_robust_accuracy",
                                                             "kept.validation_accuracy", "source_accuracy"};
constexpr std::array<std::string_view, 2> criterion_columns{"kept.validation_worst_group_accuracy",
                                                            "kept.selection_score"};
constexpr std::array<std::string_view, 3> kinds{"SC", "LDD", "UDS"};

// The option of an axis STAGE.OPTION.
std::string option_of(const std::string& axis) { return lower_case(axis.substr(axis.rfind('.') + 1)); }

bool is_kind(const std::string& column) {
  return std::ranges::any_of(kinds, [&](auto kind) { return lower_case(kind) == option_of(column); });
}

class RoleFinder {
 public:
  RoleFinder(const RunTable& table, const tasks::SweepReportOptions& options) : table_(table) {
    find_measures(options);
    for (const std::string& axis : table.axes())
      if (values_of(axis).size() > 1) open_.push_back(axis);
    for (const RolesNames& given : {options.algorithm, options.cases, options.repeats, options.over,
                                    RolesNames{options.start, options.select, options.concurrent}})
      for (const std::string& column : given) std::erase(open_, column);
    assign("algorithm", options.algorithm, roles_.algorithm);
    assign("case", options.cases, roles_.cases);
    assign("repeats", options.repeats, roles_.repeats);
    assign("over", options.over, roles_.over);
    assign("start", options.start, roles_.start);
    assign("select", options.select, roles_.select);
    assign("concurrent", options.concurrent, roles_.concurrent);
    for (const RolesNames& keys : {RolesNames{"target"}, RolesNames{"corruption", "severity"}})
      if (roles_.cases.empty() && table_.has(keys.front()) && table_.has(keys.back()) &&
          values_of(keys.front()).size() > 1)
        roles_.cases = keys;
    roles_.hyperparameters = open_;
  }
  [[nodiscard]] tasks::SweepRoles roles() const { return roles_; }

 private:
  [[nodiscard]] std::set<std::string> values_of(const std::string& column) const {
    std::set<std::string> all(table_.column(column).begin(), table_.column(column).end());
    for (const MissingRun& run : table_.missing)
      if (const auto axis = run.axes.find(column); axis != run.axes.end()) all.insert(axis->second);
    return all;
  }

  void require(const std::string& option, const std::string& column) const {
    RolesNames all = table_.axes();
    all.insert(all.end(), table_.keys().begin(), table_.keys().end());
    index_of_name(column, all, option, fmt::format("a column of {}", table_.name()));
  }

  // Those of these columns that have a value.
  [[nodiscard]] RolesNames filled(std::span<const std::string_view> columns) const {
    RolesNames found;
    for (const std::string_view column : columns)
      if (const std::string name(column); table_.has(name) && values_of(name) != std::set<std::string>{""})
        found.push_back(name);
    return found;
  }

  void find_measures(const tasks::SweepReportOptions& options) {
    roles_.measure = options.measure.empty() ? "accuracy" : options.measure;
    require("--measure", roles_.measure);
    roles_.validation = options.validation;
    if (!options.validation.empty()) require("--validation", options.validation);
    for (const std::string& name : filled(validation_columns))
      if (roles_.validation.empty() && name != roles_.measure) roles_.validation = name;
    for (const std::string& column : options.criteria) require("--criteria", column);
    roles_.criteria = options.criteria.empty() ? filled(criterion_columns) : options.criteria;
    roles_.curves = filled(curve_columns);
    roles_.higher_is_better = options.better ? *options.better == "higher" : !lower_is_better(roles_.measure);
    const std::string word = lower_case(roles_.measure);
    roles_.is_share = std::ranges::any_of(std::array{"accuracy", "error", "afr", "rate", "test"},
                                          [&](auto part) { return word.find(part) != word.npos; });
    if (!roles_.is_share || !roles_.higher_is_better || !table_.has("k")) return;
    std::set<std::string> classes = values_of("k");
    classes.erase("");
    if (classes.size() != 1) return;
    if (const auto k = parse_number(*classes.begin()); k && *k >= 2) roles_.chance = 1 / *k;
  }

  // The columns that the option of that name gives, else the axes that have the role in the plan.
  void assign(const std::string& role, const RolesNames& given, RolesNames& columns) {
    columns = given;
    for (const std::string& axis : open_)
      if (const auto known = table_.roles.find(axis);
          given.empty() && known != table_.roles.end() && known->second == role)
        columns.push_back(axis);
    for (const std::string& column : columns) {
      require("--" + role, column);
      if (!used_.insert(column).second)
        refuse("--" + role, "a column without another role", in_quotes(column));
      std::erase(open_, column);
    }
  }
  void assign(const std::string& role, const std::string& given, std::string& column) {
    RolesNames columns;
    assign(role, given.empty() ? RolesNames() : RolesNames{given}, columns);
    if (!columns.empty()) column = columns.front();
  }

  const RunTable& table_;
  tasks::SweepRoles roles_;
  RolesNames open_;  // axes without a role
  std::set<std::string> used_;
};

// `present`: of the kinds, in small letters.
CaseName case_of(const std::set<std::string>& present, std::string assignment) {
  CaseName name{"", std::move(assignment), 0};
  for (const std::string_view kind : kinds)
    if (present.contains(lower_case(kind)))
      (name.kind += name.kind.empty() ? "" : "+") += kind, ++name.concurrent;
  if (name.kind.empty()) name.kind = "UNIFORM";
  return name;
}

}  // namespace

tasks::SweepRoles roles_of(const RunTable& table, const tasks::SweepReportOptions& options) {
  return RoleFinder(table, options).roles();
}

std::optional<CaseName> case_name(std::string_view text) {
  std::string name = lower_case(text.substr(text.rfind('/') + 1));
  for (const std::string_view ending : {".gz", ".csv"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const std::size_t dash = std::min(name.find('-'), name.size());
  const std::string assignment = dash < name.size() ? name.substr(dash + 1) : "";
  name.resize(dash);
  if (name == "uniform") return case_of({}, assignment);
  std::ranges::replace(name, '_', '+');
  const std::vector<std::string> parts = split(name + '+', '+');
  CaseName found = case_of({parts.begin(), parts.end()}, assignment);
  if (found.concurrent == 0 || found.concurrent != parts.size()) return {};
  return found;
}

std::optional<CaseName> case_name(const std::map<std::string, std::string>& values) {
  std::set<std::string> present;
  std::string assignment;
  bool any = false;
  for (const auto& [column, value] : values) {
    any |= is_kind(column);
    if (is_kind(column) && !value.empty() && value != "none") present.insert(option_of(column));
    if (!value.empty()) (assignment += assignment.empty() ? "" : ", ") += value;
  }
  if (any) return case_of(present, assignment);
  return values.size() == 1 ? case_name(values.begin()->second) : std::nullopt;
}

bool lower_is_better(std::string_view column) {
  const std::string word = lower_case(column);
  return word.find("error") != word.npos || word.find("loss") != word.npos;
}

}  // namespace leeway::sweep
