#include "leeway/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {
namespace {

constexpr std::size_t most_units = 1'000'000;
constexpr std::size_t most_word = 100'000;  // characters of a value; the system's limit is a little larger
constexpr std::size_t most_references = 10'000;  // that a value goes by, directly or not

using AxisSet = std::set<std::size_t>;
// A setting of a stage and the word that a unit gives it.
using Given = std::pair<const Setting*, std::string>;

// Those that a text names.
std::vector<const Member*> members_of(const CatalogFamily& family, const std::string& text,
                                      const std::string& place) {
  std::vector<const Member*> found;
  for (const std::string& name : family.several ? split(text, ',') : std::vector{text})
    found.push_back(
        &family.members[index_of_name(family.heads ? name.substr(name.find(':') + 1) : name, family.members,
                                      &Member::name, place, fmt::format("{} in leeway list", family.what))]);
  return found;
}

// Name and value of the parameter that a setting gives.
std::pair<std::string, std::string> parameter_of(const Given& given) {
  const auto& [setting, word] = given;
  if (!setting->part.empty()) return {setting->part, word};
  if (setting->option.number) return {setting->name, word};
  const std::size_t equals = word.find('=');
  if (equals == word.npos)
    refuse(setting->place, fmt::format("NAME=NUMBER for {}", setting->name), in_quotes(word));
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void check_parameter(const Member& member, const Given& given) {
  const auto [name, text] = parameter_of(given);
  const std::string& place = given.first->place;
  const std::string names = names_of(member.parameters);
  const Parameter& parameter = member.parameters[index_of_name(
      name, member.parameters, &Parameter::name, place,
      names.empty() ? fmt::format("no parameter for {}", member.name)
                    : fmt::format("a parameter of {}: {}", member.name, names))];
  const auto value = parse_fraction(text);
  if (!value && given.first->option.number) return;  // several in one word
  const bool is_whole = !parameter.integer || (value && *value == std::floor(*value));
  if (!value || !(*value >= parameter.low && *value <= parameter.high) || !is_whole)
    refuse(place,
           fmt::format("{2} from {3:g} to {4:g} for {0} of {1}", name, member.name,
                       parameter.integer ? "an integer" : "a number", parameter.low, parameter.high),
           in_quotes(text));
}

// Checks the names and parameters of all units before any unit runs.
class MemberCheck {
 public:
  MemberCheck(const Study& study, const Catalog& catalog) {
    for (const Stage& stage : study.stages) {
      families_.emplace_back();
      try {
        for (CatalogFamily& family : families_of(stage, catalog))
          families_.back().push_back({std::move(family), {}});
      } catch (const std::runtime_error&) {  // another machine will run it
      }
    }
  }

  // Error (the setting's place): an unknown name, a parameter that a named member lacks, an illegal value.
  void check(std::size_t stage, const std::vector<Given>& given) {
    for (auto& [family, seen] : families_[stage]) {
      std::string names = family.fallback, place, key;
      std::vector<const Given*> parameters;
      for (const Given& one : given) {
        if (one.first->name == family.option) names = one.second, place = one.first->place;
        if (one.first->name != family.parameters) continue;
        parameters.push_back(&one);
        key += fmt::format(";{}={}", one.first->part, one.second);
      }
      if (names.empty() || !seen.insert(names + key).second) continue;
      for (const Member* member : members_of(family, names, place))
        for (const Given* one : parameters) check_parameter(*member, *one);
    }
  }

  // Whether the setting's values are names of members, and hence of no files.
  [[nodiscard]] bool names(std::size_t stage, const Setting& setting) const {
    return std::ranges::any_of(families_[stage], [&](const OfFamily& one) {
      return one.family.option == setting.name && setting.part.empty();
    });
  }

 private:
  struct OfFamily {
    CatalogFamily family;
    std::set<std::string> seen;
  };
  std::vector<std::vector<OfFamily>> families_;  // by stage
};

class Planner {
 public:
  Planner(const Study& study, const Catalog& catalog, Progress* progress)
      : study_(study), catalog_(catalog), progress_(progress), members_(study, catalog) {
    for (const Stage& stage : study.stages) axis_at_.emplace_back(stage.settings.size(), none);
    stages_.resize(study.stages.size());
    for (std::size_t a = 0; a < study.axes.size(); ++a) {
      const StudyAxis& axis = study.axes[a];
      axis_at_[axis.stage][axis.setting] = a;
      axes_.push_back(&study.setting(axis));
      checked_.emplace_back(axes_[a]->values.size(), false);
      pass_over_numbers(a);
    }
  }

  Plan plan() {
    for (const Stage& stage : study_.stages) plan_.stages.push_back({stage.name, stage.command});
    for (const StudyAxis& axis : study_.axes)
      plan_.axes.push_back({axis.name, study_.setting(axis).option.role});
    // Networks are what is compared where no algorithms are.
    const bool compared = std::ranges::count(plan_.axes, "algorithm", &PlannedAxis::role) > 0;
    for (PlannedAxis& axis : plan_.axes)
      if (axis.role == "network") axis.role = compared ? "over" : "algorithm";
    plan_.threads = study_.threads, plan_.memory = study_.memory;
    std::vector<bool> is_read(study_.stages.size(), false);
    for (const Stage& stage : study_.stages)
      for (const std::size_t other : stage.reads) is_read[other] = true;
    for (std::size_t s = 0; s < study_.stages.size(); ++s)
      if (!is_read[s]) add_all(s);
    return std::move(plan_);
  }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  // Goes through what values stand for, each setting once: those that they refer to, and with `into_files` those of the
  // stages whose files they name.
  struct Walk {
    const std::vector<std::size_t>& chosen;  // by axis; none: not yet
    bool into_files = true;
    AxisSet axes = {};
    std::set<std::size_t> reads = {};  // stages
    std::set<std::pair<std::size_t, std::size_t>> seen = {};
  };
  void walk(Walk& walked, std::size_t stage) const {
    for (std::size_t i = 0; i < study_.stages[stage].settings.size(); ++i) walk(walked, stage, i);
  }
  void walk(Walk& walked, std::size_t stage, std::size_t setting) const {
    if (!walked.seen.emplace(stage, setting).second) return;
    const std::size_t axis = axis_at_[stage][setting];
    if (axis != none) walked.axes.insert(axis);
    if (axis != none && walked.chosen[axis] == none) return;
    for (const Piece& piece : chosen_value(stage, setting, walked.chosen)) {
      if (piece.kind == Piece::Kind::value) walk(walked, piece.stage, piece.setting);
      if (piece.kind != Piece::Kind::file) continue;
      walked.reads.insert(piece.stage);
      if (walked.into_files) walk(walked, piece.stage);
    }
  }

  // The axes that count once values are chosen: those of stages that nothing then reads do not.
  AxisSet active_axes(std::size_t stage, const std::vector<std::size_t>& chosen) const {
    Walk walked{.chosen = chosen};
    walk(walked, stage);
    return std::move(walked.axes);
  }

  const Template& chosen_value(std::size_t stage, std::size_t setting,
                               const std::vector<std::size_t>& chosen) const {
    const std::size_t axis = axis_at_[stage][setting];
    return study_.stages[stage].settings[setting].values[axis == none ? 0 : chosen[axis]];
  }

  // Of numbers the ends alone are tried: what an option takes is a range.
  void pass_over_numbers(std::size_t axis) {
    const Setting& setting = *axes_[axis];
    std::optional<std::pair<double, std::size_t>> least, most;
    if (!setting.option.number) return;
    for (std::size_t i = 0; i < setting.texts.size(); ++i) {
      const auto number = parse_number(setting.texts[i]);
      if (!number || (setting.option.whole && setting.texts[i].find_first_of(".eE") != std::string::npos))
        continue;
      if (!least || *number < least->first) least = {*number, i};
      if (!most || *number > most->first) most = {*number, i};
      checked_[axis][i] = true;
    }
    if (least) checked_[axis][least->second] = checked_[axis][most->second] = false;
  }

  // Every combination of the axes that count, the first axis slowest.
  void each(std::size_t stage, std::vector<std::size_t>& chosen, const std::function<void()>& visit) const {
    const AxisSet axes = active_axes(stage, chosen);
    const auto open = std::ranges::find_if(axes, [&](std::size_t axis) { return chosen[axis] == none; });
    if (open == axes.end()) return visit();
    for (std::size_t value = 0; value < axes_[*open]->values.size(); ++value) {
      chosen[*open] = value;
      each(stage, chosen, visit);
    }
    chosen[*open] = none;
  }

  // Of a stage that nothing reads.
  void add_all(std::size_t stage) {
    std::vector<std::size_t> chosen(axes_.size(), none);
    std::size_t count = plan_.combinations;
    each(stage, chosen, [&] {
      if (++count > most_units) refuse(study_.stages[stage].place, "at most 1,000,000 combinations", "more");
    });
    each(stage, chosen, [&] { add(stage, chosen); });
  }

  void add(std::size_t stage, const std::vector<std::size_t>& chosen) {
    if (++plan_.combinations % 1024 == 0) {
      stop_if_asked(progress_);
      if (progress_) progress_->update("combinations", plan_.combinations, 0, "");
    }
    if (is_kept(active_axes(stage, chosen), chosen))
      unit_of(stage, chosen);
    else
      ++plan_.left_out;
  }

  // A condition on an axis that the unit does not have: an `exclude` does not apply, an `only` does not ask.
  bool is_kept(const AxisSet& axes, const std::vector<std::size_t>& chosen) const {
    bool asked = false, named = false;
    for (const StudyRule& rule : study_.rules) {
      const bool met = std::ranges::all_of(rule.rule, [&](const Condition& on) {
        return axes.contains(on.place) ? holds(on, axes_[on.place]->texts[chosen[on.place]]) : rule.keeps;
      });
      if (!rule.keeps && met) return false;
      if (rule.keeps) asked = true, named |= met;
    }
    return named || !asked;
  }

  std::size_t unit_of(std::size_t stage, const std::vector<std::size_t>& chosen) {
    std::string key;
    for (const std::size_t axis : active_axes(stage, chosen))
      key += fmt::format("{}={};", axis, chosen[axis]);
    if (const auto known = stages_[stage].find(key); known != stages_[stage].end()) return known->second;
    const std::size_t index = new_unit(stage, chosen);
    stages_[stage].emplace(key, index);
    return index;
  }

  std::size_t new_unit(std::size_t stage, const std::vector<std::size_t>& chosen) {
    const Stage& from = study_.stages[stage];
    Unit unit;
    unit.stage = from.name;
    Walk walked{.chosen = chosen, .into_files = false};
    walk(walked, stage);
    for (const std::size_t other : walked.reads)
      unit.needs.push_back(plan_.units[unit_of(other, chosen)].name);
    std::vector<Given> given;
    std::string identity;
    const auto add = [&](std::string_view part) { (identity += part) += '\0'; };
    for (const std::string& part : {std::string(version), from.command, std::to_string(study_.threads)})
      add(part);
    unit.words = split(from.command, ' ');
    bool check = stages_[stage].empty();
    for (std::size_t i = 0; i < from.settings.size(); ++i) {
      const Setting& setting = from.settings[i];
      const std::size_t axis = axis_at_[stage][i];
      if (axis != none && !checked_[axis][chosen[axis]]) check = checked_[axis][chosen[axis]] = true;
      if (axis != none && setting.texts[chosen[axis]].empty()) continue;
      references_ = 0;
      const auto [word, same] = value_of(stage, i, chosen);
      for (const std::string& part : {setting.name, setting.part, same}) add(part);
      if (!setting.option.positional) unit.words.push_back("--" + setting.name);
      const std::string before = setting.part.empty() ? "" : setting.part + "=";
      if (!setting.option.flag) unit.words.push_back(before + word);
      if (word != same) plan_.inputs.try_emplace(before + word, before + same);
      given.emplace_back(&setting, word);
    }
    unit.words.insert(unit.words.end(), {"--threads", std::to_string(study_.threads), "--json"});
    if (check) refuse_mistake(from, unit.words);
    members_.check(stage, given);
    unit.name = digest_text(identity);
    if (const auto same = names_.find(unit.name); same != names_.end()) return same->second;
    for (const std::size_t axis : active_axes(stage, chosen))
      unit.axes[study_.axes[axis].name] = axes_[axis]->texts[chosen[axis]];
    names_.emplace(unit.name, plan_.units.size());
    plan_.units.push_back(std::move(unit));
    return plan_.units.size() - 1;
  }

  void refuse_mistake(const Stage& stage, const std::vector<std::string>& words) const {
    const std::string mistake = catalog_.mistake_in(words);
    if (mistake.empty()) return;
    const std::string name =
        lower_case(mistake.substr(0, mistake.find(':')).substr(mistake.starts_with("--") ? 2 : 0));
    const auto told = std::ranges::find(stage.settings, name, &Setting::name);
    refuse(told == stage.settings.end() ? stage.place : told->place,
           fmt::format("options in [{}] that are valid for leeway {}", stage.name, stage.command),
           "an error (" + mistake + ")");
  }

  // As the process is told, and as the digest knows it.
  InputWord value_of(std::size_t stage, std::size_t at, const std::vector<std::size_t>& chosen) {
    const Setting& setting = study_.stages[stage].settings[at];
    const Template& pieces = chosen_value(stage, at, chosen);
    if (++references_ > most_references)
      refuse(setting.place, "a value of at most 10,000 references", "more");
    if (pieces.size() == 1 && pieces.front().kind == Piece::Kind::value)
      return value_of(pieces.front().stage, pieces.front().setting, chosen);
    InputWord value;
    bool of_unit = false;
    for (const Piece& piece : pieces) {
      of_unit = of_unit || piece.kind == Piece::Kind::file;
      value.word += piece.kind == Piece::Kind::text ? piece.text
                    : piece.kind == Piece::Kind::value
                        ? value_of(piece.stage, piece.setting, chosen).word
                        : seen_from_unit(plan_.units[unit_of(piece.stage, chosen)].name, piece.text);
    }
    if (value.word.size() > most_word)
      refuse(setting.place, "a value of at most 100,000 characters", "a longer one");
    value.identity = value.word;
    const bool may_be_file = !of_unit && !setting.option.number && !setting.option.file &&
                             setting.option.choices.empty() && !members_.names(stage, setting);
    if (!may_be_file) return value;
    const InputWord& input = input_of(value.word);
    if (setting.option.input && input.word == input.identity)
      if (const std::string missing = missing_file(input.word); !missing.empty())
        refuse(setting.place, "a readable file", fmt::format("no such file {}", in_quotes(missing)));
    return input;
  }

  const InputWord& input_of(const std::string& text) {
    const auto [known, fresh] = inputs_.try_emplace(text);
    if (fresh) known->second = input_word(text);
    return known->second;
  }

  const Study& study_;
  const Catalog& catalog_;
  Progress* progress_;
  MemberCheck members_;
  std::vector<const Setting*> axes_;
  std::vector<std::vector<std::size_t>> axis_at_;                     // by stage and setting
  std::size_t references_ = 0;                                        // followed for the value at hand
  std::vector<std::unordered_map<std::string, std::size_t>> stages_;  // units by their choices
  std::unordered_map<std::string, std::size_t> names_;
  std::unordered_map<std::string, InputWord> inputs_;
  std::vector<std::vector<bool>> checked_;  // values by axis that a command line was tried with
  Plan plan_;
};

}  // namespace

Plan make_plan(const Study& study, const Catalog& catalog, const std::string& name, Progress* progress) {
  Plan plan = Planner(study, catalog, progress).plan();
  if (plan.units.empty())
    refuse(name, "a study of one unit or more",
           fmt::format("none: the rules exclude all {} combinations", plan.combinations));
  return plan;
}

void require_runnable(const Plan& plan, const Catalog& catalog, const std::string& name) {
  if (plan.version != version)
    refuse(name,
           fmt::format("a plan made by leeway {} (plan the study again in a different folder)", version),
           "a plan made by leeway " + printable(plan.version));
  for (std::size_t i = 0; i < plan.units.size(); ++i) {
    const Unit& unit = plan.units[i];
    const auto stage = std::ranges::find(plan.stages, unit.stage, &PlannedStage::name);
    check_words(unit.words, stage->command, catalog, fmt::format("{}: line {}", name, i + 2));
  }
}

}  // namespace leeway::sweep
