#include "leeway/sweep/roles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"

namespace leeway::sweep {
namespace {

using RolesNames = std::vector<std::string>;
using Words = std::initializer_list<std::string_view>;

bool is_in(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}
bool is_in(const RolesNames& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::string last_part(const std::string& axis) { return lower_case(axis.substr(axis.rfind('.') + 1)); }
std::string stage_of(const std::string& axis) { return lower_case(axis.substr(0, axis.find('.'))); }

// Columns to choose by that name what a validation set says, the first that is there.
constexpr std::array<std::string_view, 6> validation_columns{"validation",
                                                             "validation_accuracy",
                                                             "val_accuracy",
                                                             "kept.validation_robust_accuracy",
                                                             "kept.validation_accuracy",
                                                             "source_accuracy"};
constexpr std::array<std::string_view, 3> criterion_columns{"kept.validation_worst_group_accuracy",
                                                            "kept.selection_score", "validation_worst_group"};
constexpr std::array<std::string_view, 3> kinds{"sc", "ldd", "uds"};

bool is_kind(const std::string& column) { return std::ranges::find(kinds, last_part(column)) != kinds.end(); }

class Guess {
 public:
  Guess(const RunTable& table, const tasks::SweepReportOptions& options) : table_(table) {
    measures(options);
    const bool collected = !table.axes().empty();
    for (const std::string& axis : collected ? table.axes() : table.keys())
      if (axis != roles_.measure && axis != roles_.validation && values_of(axis).size() > 1)
        open_.push_back(axis);
    given(options);
    guessed(options);
    if (!collected)
      std::erase_if(open_, [](const std::string& column) {
        return !is_in(Words{"lr", "weight_decay", "weight-decay", "batch", "momentum"}, last_part(column));
      });
    roles_.hyperparameters = open_;
  }
  [[nodiscard]] tasks::SweepRoles roles() const { return roles_; }

 private:
  [[nodiscard]] std::set<std::string> values_of(const std::string& column) const {
    const auto columns = table_.read({column});
    const RolesNames& values = columns.at(column);
    std::set<std::string> all(values.begin(), values.end());
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

  [[nodiscard]] bool some_number(const std::string& column) const {
    const auto columns = table_.read({column});
    return std::ranges::any_of(columns.at(column),
                               [](const auto& text) { return parse_number(text).has_value(); });
  }

  [[nodiscard]] bool some_text(const std::string& column) const {
    const auto columns = table_.read({column});
    return std::ranges::any_of(columns.at(column), [](const auto& text) { return !text.empty(); });
  }

  void measures(const tasks::SweepReportOptions& options) {
    const std::string usual = table_.has("accuracy") || !table_.has("test") ? "accuracy" : "test";
    roles_.measure = options.measure.empty() ? usual : options.measure;
    if (options.measure.empty() && !table_.has(roles_.measure))
      refuse("--measure", fmt::format("a column of {} to report, as none is named accuracy", table_.name()),
             "none");
    require("--measure", roles_.measure);
    roles_.validation = options.validation;
    if (!options.validation.empty()) require("--validation", options.validation);
    for (const std::string_view column : validation_columns)
      if (const std::string name(column);
          roles_.validation.empty() && table_.has(name) && name != roles_.measure && some_number(name))
        roles_.validation = name;
    roles_.criteria = options.criteria;
    for (const std::string& column : options.criteria) require("--criteria", column);
    if (options.criteria.empty())
      for (const std::string_view column : criterion_columns)
        if (const std::string name(column); table_.has(name) && some_number(name))
          roles_.criteria.push_back(name);
    for (const std::string_view column : curve_columns)
      if (const std::string name(column); table_.has(name) && some_text(name)) roles_.curves.push_back(name);
    roles_.higher_is_better = options.better ? *options.better == "higher" : !lower_is_better(roles_.measure);
    const std::string word = lower_case(roles_.measure);
    roles_.is_share = std::ranges::any_of(Words{"accuracy", "error", "afr", "rate", "test"},
                                          [&](auto part) { return word.find(part) != word.npos; });
    if (roles_.is_share && roles_.higher_is_better && table_.has("k")) guess_chance();
  }

  void guess_chance() {
    std::optional<double> classes;
    const auto columns = table_.read({"k"});
    for (const std::string& text : columns.at("k")) {
      if (text.empty()) continue;
      const auto k = parse_number(text);
      if (!k || *k < 2 || *k != classes.value_or(*k)) return;  // several numbers of classes
      classes = k;
    }
    if (classes) roles_.chance = 1 / *classes;
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

  void given(const tasks::SweepReportOptions& options) {
    take("--algorithm", options.algorithm, roles_.algorithm);
    take("--case", options.cases, roles_.cases);
    take("--repeats", options.repeats, roles_.repeats);
    take("--over", options.over, roles_.over);
    take("--start", options.start, roles_.start);
    take("--select", options.select, roles_.select);
    take("--concurrent", options.concurrent, roles_.concurrent);
  }

  template <class Is>
  void guess(RolesNames& role, const Is& is) {
    if (!role.empty()) return;
    const RolesNames axes = open_;
    for (const std::string& axis : axes)
      if (is(axis)) take("", RolesNames{axis}, role);
  }
  void guess(std::string& role, const Words& words) {
    if (!role.empty()) return;
    const auto axis =
        std::ranges::find_if(open_, [&](const auto& name) { return is_in(words, last_part(name)); });
    if (axis != open_.end()) take("", std::string(*axis), role);
  }

  void guessed(const tasks::SweepReportOptions& options) {
    const auto last_in = [](Words words) {
      return [names = RolesNames(words.begin(), words.end())](const std::string& axis) {
        return is_in(names, last_part(axis));
      };
    };
    guess(roles_.repeats, last_in({"seed", "seeds", "repeat"}));
    guess(roles_.select, {"select"});
    guess(roles_.start, {"start", "weights", "init", "initialisation", "initialization", "pretrained"});
    drawn_cases();
    guess(roles_.cases, [&](const std::string& axis) {
      return std::ranges::all_of(values_of(axis),
                                 [](const auto& text) { return case_name(text).has_value(); });
    });
    guess(roles_.cases,
          last_in({"case", "cases", "shift", "shifts", "kind", "corruption", "target", "scenario"}));
    guess(roles_.cases, [](const std::string& axis) {
      return is_in(Words{"shift", "shifts", "case", "cases", "conds", "corrupt"}, stage_of(axis));
    });
    if (roles_.cases.empty() && options.cases.empty()) keys_as_cases();
    guess(roles_.algorithm, last_in({"algorithm", "method", "augment", "augmentation"}));
    guess(roles_.algorithm, last_in({"arch", "architecture", "model", "backbone"}));
    guess(roles_.over, [](const std::string& axis) {
      return is_in(Words{"dataset", "data-set", "data_set", "data", "arch", "architecture", "model",
                         "backbone", "assignment"},
                   last_part(axis)) ||
             (last_part(axis) == "name" &&
              is_in(Words{"data", "dataset", "images", "render", "load", "set", "source"}, stage_of(axis)));
    });
  }

  void drawn_cases() {
    const auto axis = std::ranges::find_if(open_, is_kind);
    if (!roles_.cases.empty() || axis == open_.end()) return;
    const std::string stage = stage_of(*axis);
    guess(roles_.cases, [&](const std::string& other) { return stage_of(other) == stage || is_kind(other); });
  }

  // Records with several results: of assess one a target, of corruptions one a corruption and severity.
  void keys_as_cases() {
    for (const RolesNames& columns : {RolesNames{"target"}, RolesNames{"corruption", "severity"}})
      if (std::ranges::all_of(columns, [&](const auto& column) { return table_.has(column); }) &&
          values_of(columns.front()).size() > 1)
        return take("", columns, roles_.cases);
  }

  const RunTable& table_;
  tasks::SweepRoles roles_;
  RolesNames open_;  // axes without a role
  std::set<std::string> used_;
};

}  // namespace

tasks::SweepRoles roles_of(const RunTable& table, const tasks::SweepReportOptions& options) {
  return Guess(table, options).roles();
}

std::optional<CaseName> case_name(std::string_view text) {
  std::string name = lower_case(text.substr(text.rfind('/') + 1));
  for (const std::string_view ending : {".gz", ".csv"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  const std::size_t dash = name.find('-');
  CaseName found{"", dash == name.npos ? "" : name.substr(dash + 1), 0};
  name.resize(std::min(dash, name.size()));
  if (name == "uniform") return CaseName{"UNIFORM", found.assignment, 0};
  std::ranges::replace(name, '_', '+');
  std::set<std::string> parts;
  for (std::size_t at = 0; at <= name.size();) {
    const std::size_t end = std::min(name.find('+', at), name.size());
    const std::string part = name.substr(at, end - at);
    if (!is_in(Words{"sc", "ldd", "uds"}, part) || !parts.insert(part).second) return {};
    at = end + 1;
  }
  for (const char* part : {"sc", "ldd", "uds"}) {
    if (!parts.contains(part)) continue;
    found.kind += found.kind.empty() ? "" : "+";
    for (const char* c = part; *c != 0; ++c) found.kind += static_cast<char>(*c - 'a' + 'A');
    ++found.concurrent;
  }
  return found;
}

std::optional<CaseName> case_name(const std::map<std::string, std::string>& values) {
  CaseName found;
  bool any = false;
  for (const std::string_view kind : kinds)
    for (const auto& [column, value] : values) {
      if (last_part(column) != kind) continue;
      any = true;
      if (value.empty() || value == "none") continue;
      found.kind += found.kind.empty() ? "" : "+";
      for (const char c : kind) found.kind += static_cast<char>(c - 'a' + 'A');
      ++found.concurrent;
    }
  if (!any) return {};
  if (found.kind.empty()) found.kind = "UNIFORM";
  for (const auto& [column, value] : values)
    if (!value.empty()) found.assignment += (found.assignment.empty() ? "" : ", ") + value;
  return found;
}

bool lower_is_better(std::string_view column) {
  const std::string word = lower_case(column);
  return word.find("error") != word.npos || word.find("loss") != word.npos;
}

}  // namespace leeway::sweep
