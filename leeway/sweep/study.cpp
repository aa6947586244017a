#include "leeway/sweep/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "leeway/core/family.h"
#include "leeway/core/message.h"
#include "leeway/describe/number_list.h"
#include "leeway/io/csv.h"
#include "leeway/io/toml.h"

namespace leeway::sweep {
namespace {

using Entries = std::vector<TomlEntry>;

constexpr std::string_view settings_table = "study";
// What a sweep says itself, by the option's name.
constexpr std::array<std::string_view, 5> own_options{"json", "threads", "config", "quiet", "help"};

// "render" of the table "render.only".
std::string stage_of(const TomlEntry& entry) { return entry.table.substr(0, entry.table.find('.')); }

double number_of(const TomlEntry& entry, double least, double most, const std::string& expected) {
  const auto value = entry.values.size() == 1 ? parse_number(entry.values.front()) : std::nullopt;
  if (!value || !(*value >= least && *value <= most) || *value != std::floor(*value))
    refuse(entry.place, expected, entry.values.size() == 1 ? in_quotes(entry.values.front()) : "a list");
  return *value;
}

// "2G", "500M", "800000".
void set_study(Study& study, const TomlEntry& entry) {
  const std::vector<std::string> keys{"seed", "threads", "memory", "exclude", "only"};
  index_of_name(entry.key, keys, entry.place, fmt::format("one of {} in [study]", fmt::join(keys, ", ")));
  if (entry.key == "seed") {
    study.seed = static_cast<std::uint64_t>(number_of(entry, 0, 0x1p53, "an integer of at least 0 for seed"));
  } else if (entry.key == "threads") {
    study.threads =
        static_cast<std::size_t>(number_of(entry, 1, most_threads, "an integer from 1 to 4096 for threads"));
  } else if (entry.key == "memory") {
    const std::string text = entry.values.size() == 1 ? entry.values.front() : "";
    const auto memory = bytes_of(text);
    if (!memory) refuse(entry.place, "a size such as 800M or 2G for memory", in_quotes(text));
    study.memory = *memory;
  } else {
    for (const std::string& rule : entry.values)
      study.rules.push_back({entry.key == "only", parse_rule(rule, entry.place), entry.place});
  }
}

Setting setting_of(const CatalogCommand& command, const std::string& stage, const TomlEntry& entry) {
  const bool in_table = entry.table.size() > stage.size();
  const std::string name = in_table ? entry.table.substr(stage.size() + 1) : entry.key;
  const std::size_t option = index_of_name(name, command.options, &CatalogOption::name, entry.place,
                                           fmt::format("an option of leeway {}", command.words));
  Setting setting{name, in_table ? entry.key : "", command.options[option], {}, {}, entry.place};
  if (std::ranges::find(own_options, name) != own_options.end() || setting.option.record)
    refuse(entry.place, "an option that the sweep does not set itself", in_quotes(name));
  if (setting.option.flag && entry.kind != TomlEntry::Kind::boolean)
    refuse(entry.place, fmt::format("true or false for {}", name), "another value");
  if (!setting.option.flag && entry.kind == TomlEntry::Kind::boolean)
    refuse(entry.place, fmt::format("a string, a number or a list for {}", name), entry.values.front());
  if (entry.values.empty()) refuse(entry.place, fmt::format("values for {}", name), "an empty list");
  setting.texts = entry.values;
  return setting;
}

void check_file(const std::string& text, const std::string& place) {
  if (text.empty() || text.find_first_of("/{},") != text.npos || text.starts_with('.') ||
      text == record_file || text == "log.txt")
    refuse(place, "a file name without a folder, such as out.npz", in_quotes(text));
}

// All entries of a stage, in the order of the command's options.
Stage stage_from(const Entries& entries, const std::string& name, const Catalog& catalog) {
  Stage stage{name, name, "", {}, {}};
  for (const TomlEntry& entry : entries) {
    if (stage_of(entry) != name) continue;
    if (stage.place.empty()) stage.place = entry.place;
    if (entry.table == name && entry.key == "command") {
      if (entry.kind != TomlEntry::Kind::scalar) refuse(entry.place, "a command of leeway", "another value");
      stage.command = entry.values.front(), stage.place = entry.place;
    }
  }
  if (!is_stage_name(name)) refuse(stage.place, "a stage name of a-z, 0-9, - and _", in_quotes(name));
  const CatalogCommand& command =
      catalog.commands[index_of_name(stage.command, catalog.commands, &CatalogCommand::words, stage.place,
                                     "a command of leeway as the stage's name or its `command`")];
  for (const TomlEntry& entry : entries)
    if (stage_of(entry) == name && !(entry.table == name && entry.key == "command"))
      if (Setting setting = setting_of(command, name, entry);
          !setting.option.flag || setting.texts.front() == "true")
        stage.settings.push_back(std::move(setting));
  const auto place_of = [&](const Setting& setting) {
    return std::ranges::find(command.options, setting.name, &CatalogOption::name) - command.options.begin();
  };
  std::ranges::stable_sort(stage.settings, [&](const Setting& a, const Setting& b) {
    return std::pair(place_of(a), a.part) < std::pair(place_of(b), b.part);
  });
  return stage;
}

// What stands in braces.
Piece piece_named(const Study& study, const std::string& name, const std::string& place) {
  const std::size_t dot = name.find('.');
  Piece piece{"",
              index_of_name(name.substr(0, dot), study.stages, &Stage::name, place,
                            "{STAGE} or {STAGE.OPTION} in braces"),
              0, Piece::Kind::file};
  const Stage& stage = study.stages[piece.stage];
  const std::string option = dot == name.npos ? "out" : name.substr(dot + 1);
  std::vector<std::string> options;
  for (const Setting& setting : stage.settings)
    options.push_back(setting.name + (setting.part.empty() ? "" : "." + setting.part));
  if (dot == name.npos && std::ranges::find(options, option) == options.end()) {
    piece.text = record_file;
    return piece;
  }
  piece.setting = index_of_name(option, options, place, fmt::format("an option that [{}] sets", stage.name));
  if (stage.settings[piece.setting].option.file)
    piece.text = stage.settings[piece.setting].texts.front();
  else
    piece.kind = Piece::Kind::value;
  return piece;
}

// Text and references of one value.
Template pieces_of(const Study& study, const std::string& text, const std::string& place) {
  Template pieces;
  const auto literal = [&](char c) {
    if (pieces.empty() || pieces.back().kind != Piece::Kind::text) pieces.push_back({});
    pieces.back().text += c;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '{' ? text.find('}', i) : text.npos;
    if (text.compare(i, 2, "{{") == 0 || text.compare(i, 2, "}}") == 0) {
      literal(text[i++]);
    } else if (end == text.npos || end == i + 1) {
      literal(text[i]);  // {} is text
    } else {
      pieces.push_back(piece_named(study, text.substr(i + 1, end - i - 1), place));
      i = end;
    }
  }
  if (pieces.empty()) pieces.push_back({});
  return pieces;
}

void refuse_circles(const Study& study, const std::vector<std::set<std::size_t>>& uses) {
  enum class Mark { none, open, done };
  std::vector<Mark> marks(uses.size(), Mark::none);
  const auto walk = [&](const auto& self, std::size_t at) -> void {
    if (marks[at] == Mark::done) return;
    if (marks[at] == Mark::open)
      refuse(study.stages[at].place, "stages that depend on earlier stages only",
             fmt::format("a cycle through [{}]", study.stages[at].name));
    marks[at] = Mark::open;
    for (const std::size_t other : uses[at]) self(self, other);
    marks[at] = Mark::done;
  };
  for (std::size_t i = 0; i < uses.size(); ++i) walk(walk, i);
}

void resolve(Study& study) {
  std::vector<std::set<std::size_t>> uses(study.stages.size());
  for (std::size_t i = 0; i < study.stages.size(); ++i)
    for (Setting& setting : study.stages[i].settings)
      for (const std::string& text : setting.texts) {
        setting.values.push_back(pieces_of(study, text, setting.place));
        for (const Piece& piece : setting.values.back()) {
          if (piece.kind == Piece::Kind::text) continue;
          uses[i].insert(piece.stage);
          if (piece.kind == Piece::Kind::file) study.stages[i].reads.insert(piece.stage);
        }
      }
  refuse_circles(study, uses);
}

// A parameter of the members that the stage names, as an option of its own; that of all members where it names none, or
// those of another stage. Where these describe it in several ways it has no default.
CatalogOption parameter_of(const Stage& stage, const Setting& setting, const CatalogFamily& family) {
  std::vector<std::string> named;
  for (const Setting& other : stage.settings)
    if (other.name == family.option && other.part.empty())
      for (const std::string& text : other.texts)
        for (std::string& name : split(text, ',')) named.push_back(std::move(name));
  if (std::ranges::any_of(named, [](const auto& name) { return name.starts_with('{'); })) named.clear();
  CatalogOption option = setting.option;
  std::vector<const Parameter*> found;
  std::vector<std::string> names;
  const std::string& wanted = setting.part.empty() ? setting.name : setting.part;
  for (const Member& member : family.members) {
    if (!named.empty() && std::ranges::find(named, member.name) == named.end()) continue;
    for (const Parameter& parameter : member.parameters) {
      if (parameter.name == wanted) found.push_back(&parameter);
      append_new(names, std::string(parameter.name));
    }
  }
  if (found.empty())
    refuse(setting.place,
           fmt::format("a parameter of {}",
                       named.empty() ? family.what : fmt::format("{}", fmt::join(named, ", "))),
           in_quotes(wanted) + did_you_mean(wanted, names));
  const auto same = [&](const Parameter* other) {
    const Parameter& first = *found.front();
    return other->value == first.value && other->low == first.low && other->high == first.high &&
           other->integer == first.integer;
  };
  if (!std::ranges::all_of(found, same)) return option;
  option.number = true, option.whole = found.front()->integer;
  option.default_text = fmt::format("{}", found.front()->value);
  option.low = found.front()->low, option.high = found.front()->high;
  return option;
}

// A value that the axis does not have is a slip of the pen.
void check_values(const StudyRule& rule, const Condition& condition, const std::vector<std::string>& texts) {
  if (condition.sign != "=" && condition.sign != "!=") return;
  for (const std::string& value : condition.values)
    if (std::ranges::none_of(texts, [&](const auto& text) { return holds({"", "=", {value}}, text); }))
      refuse(rule.place, fmt::format("a value of {} in the rule", condition.axis),
             in_quotes(value) + did_you_mean(value, texts));
}

void resolve_rules(Study& study) {
  for (std::size_t s = 0; s < study.stages.size(); ++s)
    for (std::size_t i = 0; i < study.stages[s].settings.size(); ++i)
      if (const Setting& setting = study.stages[s].settings[i]; setting.texts.size() > 1)
        study.axes.push_back({axis_name(study.stages[s], setting), s, i});
  for (StudyRule& rule : study.rules)
    for (Condition& condition : rule.rule) {
      condition.place = index_of_name(condition.axis, study.axes, &StudyAxis::name, rule.place,
                                      study.axes.empty() ? "an axis (an option with several values)" : "");
      check_values(rule, condition, study.setting(study.axes[condition.place]).texts);
    }
}

}  // namespace

std::vector<CatalogFamily> families_of(const Stage& stage, const Catalog& catalog) {
  if (!catalog.families_of) return {};
  std::vector<std::string> options;
  for (const Setting& setting : stage.settings) append_new(options, setting.name);
  return catalog.families_of(stage.command, options);
}

std::string axis_name(const Stage& stage, const Setting& setting) {
  return stage.name + "." + setting.name + (setting.part.empty() ? "" : "." + setting.part);
}

std::optional<std::uint64_t> bytes_of(std::string_view size) {
  double unit = 1;
  if (size.ends_with('M')) unit = 0x1p20;
  if (size.ends_with('G')) unit = 0x1p30;
  if (unit > 1) size.remove_suffix(1);
  const auto value = parse_number(size);
  if (!value || !(*value > 0) || !(*value * unit < 0x1p60)) return {};
  return static_cast<std::uint64_t>(*value * unit);
}

bool is_stage_name(std::string_view text) {
  return !text.empty() && text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-_") == text.npos;
}

void check_words(const std::vector<std::string>& words, const std::string& of_command, const Catalog& catalog,
                 const std::string& place) {
  const std::vector<std::string> tail{"--threads", words.size() < 3 ? "" : words[words.size() - 2], "--json"},
      parts = split(of_command, ' ');
  const auto command = std::ranges::find(catalog.commands, of_command, &CatalogCommand::words);
  std::size_t at = parts.size();
  if (command == catalog.commands.end() || words.size() < at + 3 ||
      !std::equal(parts.begin(), parts.end(), words.begin()) ||
      !std::equal(tail.begin(), tail.end(), words.end() - 3) || !parse_number(tail[1]))
    refuse(place, fmt::format("a command line of {}, a command that studies allow", in_quotes(of_command)),
           "others");
  for (const std::size_t end = words.size() - 3; at < end; ++at) {
    const bool named = words[at].starts_with("--");
    const auto option = std::ranges::find_if(command->options, [&](const CatalogOption& one) {
      return named ? words[at].substr(2) == one.name : one.positional;
    });
    if (option == command->options.end() || option->record ||
        std::ranges::find(own_options, option->name) != own_options.end())
      refuse(place, fmt::format("options of leeway {} that a study can set", command->words),
             in_quotes(words[at]));
    if (named && !option->flag) {
      ++at;
      if (at == end || words[at].starts_with("--"))
        refuse(place, "a value of " + words[at - 1], at == end ? "none" : in_quotes(words[at]));
    }
    if (option->file) check_file(words[at], place);
  }
}

Study parse_study(std::string_view text, const std::string& name, const Catalog& catalog) {
  const Entries entries = parse_toml(text, name);
  Study study;
  std::vector<std::string> stages;
  for (const TomlEntry& entry : entries) {
    if (entry.table.empty())
      refuse(entry.place, "a key in [study] or in the table of a stage", in_quotes(entry.key));
    if (entry.table == settings_table)
      set_study(study, entry);
    else
      append_new(stages, stage_of(entry));
  }
  if (stages.empty()) refuse(name, "a table for each stage, such as [shift]", "none");
  for (const std::string& stage : stages) study.stages.push_back(stage_from(entries, stage, catalog));
  for (Stage& stage : study.stages)
    for (Setting& setting : stage.settings) {
      if (setting.option.file && setting.texts.size() > 1) refuse(setting.place, "one file", "a list");
      if (setting.option.file) check_file(setting.texts.front(), setting.place);
      if (setting.texts.size() == 1 && is_range(setting.option, setting.part, setting.texts.front())) {
        CatalogOption option = setting.option;
        if (!setting.part.empty() || option.default_text.empty())
          for (const CatalogFamily& family : families_of(stage, catalog))
            if (family.parameters == setting.name) option = parameter_of(stage, setting, family);
        setting.texts = values_of_range(option, setting.texts.front(), axis_name(stage, setting), study.seed,
                                        setting.place);
      }
      const std::set<std::string> values(setting.texts.begin(), setting.texts.end());
      if (values.size() < setting.texts.size()) refuse(setting.place, "different values", "a value twice");
    }
  resolve(study);
  resolve_rules(study);
  return study;
}

}  // namespace leeway::sweep
