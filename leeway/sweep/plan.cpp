#include "leeway/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/sweep/checked_files.h"
#include "leeway/sweep/detail/members.h"
#include "leeway/sweep/store.h"

namespace leeway::sweep {
namespace {

constexpr double most_units = 1e6;
constexpr std::size_t most_word = 100'000;  // characters of a value; the system's limit is a little larger
constexpr std::size_t most_references = 10'000;  // that a value goes by, directly or not

using AxisSet = std::set<std::size_t>;

class Planner {
 public:
  Planner(const Study& study, const Catalog& catalog, Progress* progress)
      : study_(study), catalog_(catalog), progress_(progress), members_(study, catalog) {
    for (std::size_t s = 0; s < study.stages.size(); ++s) {
      axis_at_.emplace_back();
      for (const Setting& setting : study.stages[s].settings) {
        axis_at_[s].push_back(setting.values.size() > 1 ? axes_.size() : none);
        if (setting.values.size() > 1) axes_.push_back({axis_name(study.stages[s], setting), &setting});
      }
    }
    all_.resize(study.stages.size());
    stages_.resize(study.stages.size());
    checked_.resize(axes_.size());
    for (std::size_t a = 0; a < axes_.size(); ++a) checked_[a].assign(axes_[a].setting->values.size(), false);
    for (std::size_t a = 0; a < axes_.size(); ++a) pass_over_numbers(a);
    for (const StudyRule& rule : study.rules) {
      rules_.push_back({rule.keeps, {}});
      for (const Condition& condition : rule.rule) {
        AxisCondition& on = rules_.back().conditions.emplace_back(AxisCondition{axis_of(condition.axis), {}});
        for (const std::string& text : axes_[on.axis].setting->texts)
          on.holds.push_back(holds(condition, text));
      }
    }
  }

  Plan plan() {
    for (const Stage& stage : study_.stages) plan_.stages.push_back({stage.name, stage.command});
    for (const Axis& axis : axes_) plan_.axes.push_back(axis.name);
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
  struct Axis {
    std::string name;
    const Setting* setting;
  };
  struct AxisCondition {
    std::size_t axis;
    std::vector<bool> holds;  // by value
  };
  struct AxisRule {
    bool keeps;
    std::vector<AxisCondition> conditions;
  };

  std::size_t axis_of(const std::string& name) const {
    return std::ranges::find(axes_, name, &Axis::name) - axes_.begin();
  }

  // Goes through what a setting's value stands for, each setting once: those that it refers to, and with
  // `into_files` those of the stages whose files it names. `chosen`: of axes; null: every value.
  struct Walk {
    const std::vector<std::size_t>* chosen = nullptr;
    bool into_files = true;
    std::function<bool(std::size_t axis)> on_axis = {};  // whether to go on
    AxisSet axes = {};
    bool varies = false;               // a setting of several values refers to others
    std::set<std::size_t> reads = {};  // stages
    std::set<std::pair<std::size_t, std::size_t>> seen = {};
  };
  bool walk(Walk& walked, std::size_t stage) const {
    for (std::size_t i = 0; i < study_.stages[stage].settings.size(); ++i)
      if (!walk(walked, stage, i)) return false;
    return true;
  }
  bool walk(Walk& walked, std::size_t stage, std::size_t setting) const {
    if (!walked.seen.emplace(stage, setting).second) return true;
    const std::size_t axis = axis_at_[stage][setting];
    if (axis != none && walked.on_axis && !walked.on_axis(axis)) return false;
    if (axis != none) walked.axes.insert(axis);
    const std::vector<Template>& values = study_.stages[stage].settings[setting].values;
    const auto go = [&](const Piece& piece) {
      walked.varies |= values.size() > 1 && piece.kind != Piece::Kind::text;
      if (piece.kind == Piece::Kind::value) return walk(walked, piece.stage, piece.setting);
      if (piece.kind == Piece::Kind::file) walked.reads.insert(piece.stage);
      return piece.kind == Piece::Kind::text || !walked.into_files || walk(walked, piece.stage);
    };
    if (walked.chosen != nullptr)
      return std::ranges::all_of(chosen_value(stage, setting, *walked.chosen), go);
    return std::ranges::all_of(values, [&](const Template& value) { return std::ranges::all_of(value, go); });
  }

  // With those of every value.
  const Walk& all_of(std::size_t stage) {
    if (!all_[stage]) walk(all_[stage].emplace(), stage);
    return *all_[stage];
  }
  // Whether what a stage reads, or what stands behind that, depends on the values that are chosen.
  bool varies(std::size_t stage) { return all_of(stage).varies; }

  // The axes that count once the values are chosen: those of stages that nothing then reads do not. `room` keeps them.
  const AxisSet& active_axes(std::size_t stage, const std::vector<std::size_t>& chosen, AxisSet& room) {
    if (!varies(stage)) return all_of(stage).axes;
    Walk walked{.chosen = &chosen};
    walk(walked, stage);
    return room = std::move(walked.axes);
  }

  const Template& chosen_value(std::size_t stage, std::size_t setting,
                               const std::vector<std::size_t>& chosen) const {
    const std::size_t axis = axis_at_[stage][setting];
    return study_.stages[stage].settings[setting].values[axis == none ? 0 : chosen[axis]];
  }

  // Of numbers the ends alone are tried: what an option takes is a range.
  void pass_over_numbers(std::size_t axis) {
    const Setting& setting = *axes_[axis].setting;
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

  // Every combination of the axes of a stage that nothing reads, the first axis slowest.
  void add_all(std::size_t stage) {
    std::vector<std::size_t> chosen(axes_.size(), 0);
    if (varies(stage)) {
      std::vector<bool> fixed(axes_.size(), false);
      double count = static_cast<double>(plan_.combinations);
      each_rest(stage, chosen, fixed, [&] { refuse_more(stage, ++count); });
      each_rest(stage, chosen, fixed, [&] { add(stage, chosen); });
      return;
    }
    const std::vector<std::size_t> axes(all_of(stage).axes.begin(), all_of(stage).axes.end());
    double count = 1;
    for (const std::size_t axis : axes) count *= static_cast<double>(axes_[axis].setting->values.size());
    refuse_more(stage, count + static_cast<double>(plan_.combinations));
    while (true) {
      add(stage, chosen);
      std::size_t at = axes.size();
      while (at > 0 && ++chosen[axes[at - 1]] == axes_[axes[at - 1]].setting->values.size())
        chosen[axes[--at]] = 0;
      if (at == 0) return;
    }
  }

  // The same of a stage whose axes hang on the values that are chosen.
  void each_rest(std::size_t stage, std::vector<std::size_t>& chosen, std::vector<bool>& fixed,
                 const std::function<void()>& visit) {
    std::size_t axis = none;  // the first that is not fixed yet, each before those that its value brings in
    Walk walked{.chosen = &chosen, .on_axis = [&](std::size_t one) {
                  if (!fixed[one]) axis = one;
                  return fixed[one];
                }};
    if (walk(walked, stage)) return visit();
    fixed[axis] = true;
    for (chosen[axis] = 0; chosen[axis] < axes_[axis].setting->values.size(); ++chosen[axis])
      each_rest(stage, chosen, fixed, visit);
    fixed[axis] = false, chosen[axis] = 0;
  }

  void add(std::size_t stage, const std::vector<std::size_t>& chosen) {
    if (++plan_.combinations % 1024 == 0) {
      stop_if_asked(progress_);
      if (progress_) progress_->update("combinations", plan_.combinations, 0, "");
    }
    AxisSet room;
    if (is_kept(active_axes(stage, chosen, room), chosen))
      unit_of(stage, chosen);
    else
      ++plan_.left_out;
  }

  void refuse_more(std::size_t stage, double combinations) {
    if (!(combinations <= most_units))
      refuse(study_.stages[stage].place, "at most 1,000,000 combinations",
             fmt::format("{:.0f}{}", combinations, varies(stage) ? ", and more" : ""));
  }

  // A condition on an axis that the unit does not have: an `exclude` does not apply, an `only` does not ask.
  bool is_kept(const AxisSet& axes, const std::vector<std::size_t>& chosen) const {
    bool asked = false, named = false;
    for (const AxisRule& rule : rules_) {
      const bool met = std::ranges::all_of(rule.conditions, [&](const AxisCondition& on) {
        return axes.contains(on.axis) ? on.holds[chosen[on.axis]] : rule.keeps;
      });
      if (!rule.keeps && met) return false;
      if (rule.keeps) asked = true, named |= met;
    }
    return named || !asked;
  }

  std::size_t unit_of(std::size_t stage, const std::vector<std::size_t>& chosen) {
    std::string key;
    AxisSet room;
    for (const std::size_t axis : active_axes(stage, chosen, room))
      key += fmt::format("{}={};", axis, chosen[axis]);
    if (const auto known = stages_[stage].find(key); known != stages_[stage].end()) return known->second;
    const std::size_t index = new_unit(stage, chosen);
    stages_[stage].emplace(key, index);
    return index;
  }

  std::size_t new_unit(std::size_t stage, const std::vector<std::size_t>& chosen) {
    const Stage& from = study_.stages[stage];
    Unit unit;
    unit.stage = stage;
    Walk walked{.chosen = &chosen, .into_files = false};
    walk(walked, stage);
    for (const std::size_t other : walked.reads) unit.needs.push_back(unit_of(other, chosen));
    std::vector<MemberCheck::Given> given;
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
    AxisSet room;
    for (const std::size_t axis : active_axes(stage, chosen, room)) {
      unit.axes.push_back(axis);
      unit.values.push_back(axes_[axis].setting->texts[chosen[axis]]);
    }
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
  std::vector<Axis> axes_;
  std::vector<std::vector<std::size_t>> axis_at_;  // by stage and setting
  std::vector<std::optional<Walk>> all_;           // of every value by stage, as far as known
  std::size_t references_ = 0;                     // followed for the value at hand
  std::vector<AxisRule> rules_;
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

}  // namespace leeway::sweep
