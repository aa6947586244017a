#include "leeway/sweep/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"

namespace leeway::sweep {
namespace {

using RolesNames = std::vector<std::string>;
using Words = std::initializer_list<std::string_view>;

bool is_in(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Of an axis STAGE.OPTION.
std::string option_of(const std::string& axis) { return lower_case(axis.substr(axis.rfind('.') + 1)); }
std::string stage_of(const std::string& axis) { return lower_case(axis.substr(0, axis.find('.'))); }

// Columns of a validation set: the first one that a table has selects, the others are further criteria.
constexpr std::array<std::string_view, 6> validation_columns{"validation",
                                                             "validation_accuracy",
                                                             "val_accuracy",
                                                             "kept.validation_robust_accuracy",
                                                             "kept.validation_accuracy",
                                                             "source_accuracy"};
constexpr std::array<std::string_view, 3> criterion_columns{"kept.validation_worst_group_accuracy",
                                                            "kept.selection_score", "validation_worst_group"};
constexpr std::array<std::string_view, 3> kinds{"SC", "LDD", "UDS"};

bool is_kind(const std::string& column) {
  return std::ranges::any_of(kinds, [&](auto kind) { return lower_case(kind) == option_of(column); });
}

class RoleFinder {
 public:
  RoleFinder(const RunTable& table, const tasks::SweepReportOptions& options) : table_(table) {
    find_measures(options);
    const bool collected = !table.axes().empty();
    for (const std::string& axis : collected ? table.axes() : table.keys())
      if (axis != roles_.measure && axis != roles_.validation && values_of(axis).size() > 1)
        open_.push_back(axis);
    take("--algorithm", options.algorithm, roles_.algorithm);
    take("--case", options.cases, roles_.cases);
    take("--repeats", options.repeats, roles_.repeats);
    take("--over", options.over, roles_.over);
    take("--start", options.start, roles_.start);
    take("--select", options.select, roles_.select);
    take("--concurrent", options.concurrent, roles_.concurrent);
    guess_by_names();
    if (!collected)
      std::erase_if(open_, [](const std::string& column) {
        return !is_in({"lr", "weight_decay", "weight-decay", "batch", "momentum"}, option_of(column));
      });
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
    if (table_.has(column)) return;
    RolesNames all = table_.axes();
    all.insert(all.end(), table_.keys().begin(), table_.keys().end());
    refuse(option, fmt::format("a column of {}", table_.name()),
           in_quotes(column) + did_you_mean(column, all));
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
    const std::string usual = table_.has("accuracy") || !table_.has("test") ? "accuracy" : "test";
    roles_.measure = options.measure.empty() ? usual : options.measure;
    if (options.measure.empty() && !table_.has(roles_.measure))
      refuse("--measure", fmt::format("a column of {} to report, as none is named accuracy", table_.name()),
             "none");
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
    roles_.is_share = std::ranges::any_of(Words{"accuracy", "error", "afr", "rate", "test"},
                                          [&](auto part) { return word.find(part) != word.npos; });
    if (!roles_.is_share || !roles_.higher_is_better || !table_.has("k")) return;
    std::set<std::string> classes = values_of("k");
    classes.erase("");
    if (classes.size() != 1) return;
    if (const auto k = parse_number(*classes.begin()); k && *k >= 2) roles_.chance = 1 / *k;
  }

  void take(const std::string& option, const RolesNames& columns, RolesNames& role) {
    for (const std::string& column : columns) {
      require(option, column);
      if (!used_.insert(column).second) refuse(option, "a column without another role", in_quotes(column));
      std::erase(open_, column);
      role.push_back(column);
    }
  }
  void take(const std::string& option, const std::string& column, std::string& role) {
    RolesNames one;
    if (!column.empty()) take(option, RolesNames{column}, one), role = column;
  }

  template <class Is>
  void guess(RolesNames& role, const Is& is) {
    RolesNames axes;
    if (role.empty()) std::ranges::copy_if(open_, std::back_inserter(axes), is);
    take("", axes, role);
  }
  void guess(RolesNames& role, const Words& options) {
    guess(role, [&](const std::string& axis) { return is_in(options, option_of(axis)); });
  }
  void guess(std::string& role, const Words& options) {
    const auto axis =
        std::ranges::find_if(open_, [&](const std::string& name) { return is_in(options, option_of(name)); });
    if (role.empty() && axis != open_.end()) take("", std::string(*axis), role);
  }

  void guess_by_names() {
    guess(roles_.repeats, {"seed"});
    guess(roles_.select, {"select"});
    guess(roles_.start, {"start", "weights", "pretrained"});
    guess_cases();
    guess(roles_.algorithm, {"algorithm", "method", "augment"});
    guess(roles_.algorithm, {"arch", "model"});
    guess(roles_.over, [](const std::string& axis) {
      return is_in({"data", "dataset", "arch", "model"}, option_of(axis)) ||
             (option_of(axis) == "name" &&
              is_in({"data", "dataset", "images", "render", "load"}, stage_of(axis)));
    });
  }

  void guess_cases() {
    if (const auto axis = std::ranges::find_if(open_, is_kind); axis != open_.end())
      guess(roles_.cases, [stage = stage_of(*axis)](const std::string& other) {
        return stage_of(other) == stage || is_kind(other);
      });
    guess(roles_.cases, [&](const std::string& axis) {
      return std::ranges::all_of(values_of(axis),
                                 [](const std::string& text) { return case_name(text).has_value(); });
    });
    guess(roles_.cases, {"case", "shift", "shifts", "kind", "corruption", "target"});
    guess(roles_.cases, [](const std::string& axis) {
      return is_in({"shift", "corrupt", "conds"}, stage_of(axis));
    });
    // Records with several results: of assess one a target, of corruptions one a corruption and severity.
    for (const RolesNames& columns : {RolesNames{"target"}, RolesNames{"corruption", "severity"}})
      if (roles_.cases.empty() && table_.has(columns.front()) && table_.has(columns.back()) &&
          values_of(columns.front()).size() > 1)
        take("", columns, roles_.cases);
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
  const CaseName found = case_of({parts.begin(), parts.end()}, assignment);
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
  if (!any) return {};
  return case_of(present, assignment);
}

bool lower_is_better(std::string_view column) {
  const std::string word = lower_case(column);
  return word.find("error") != word.npos || word.find("loss") != word.npos;
}

}  // namespace leeway::sweep
