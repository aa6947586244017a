#include <algorithm>
#include <string>
#include <vector>

#include "apps/leeway/nn_loader.h"
#include "apps/leeway/sweep_folder.h"
#include "leeway/attack/attack.h"
#include "leeway/nn/session.h"
#include "leeway/shift/shift.h"

namespace leeway::app {
namespace {

// What an option is in a comparison of runs. An option that is named here has the same meaning in all commands.
std::string role_of(const std::string& command, const std::string& option, bool positional) {
  const auto is = [&](const auto&... names) { return ((option == names) || ...); };
  if (is("seed")) return "repeats";
  if (is("start", "select")) return option;
  if (is("algorithm", "augment", "method")) return "algorithm";
  if (is("arch", "model")) return "network";
  if (is("data", "source", "clean")) return "over";
  if (is("target", "shifted", "index", "corruption", "severity", "leave-out")) return "case";
  if (command.starts_with("shift") || command == "conds draw") return "case";
  return positional && command.starts_with("data") ? "over" : "";
}

void add(sweep::Catalog& catalog, const CommandShape& shape, const std::string& words) {
  for (const CommandShape& inner : shape.commands) {
    const std::string called = words.empty() ? inner.name : words + " " + inner.name;
    sweep::CatalogCommand command{called, inner.options};
    for (sweep::CatalogOption& option : command.options)
      option.role = role_of(called, option.name, option.positional);
    const bool is_room = std::ranges::none_of(command.options, &sweep::CatalogOption::record) &&
                         std::ranges::none_of(command.options, &sweep::CatalogOption::file);
    if (!is_room) catalog.commands.push_back(std::move(command));
    add(catalog, inner, called);
  }
}

// Shifts by their strengths and by their severities; a member may have both.
std::vector<sweep::CatalogFamily> shifts() {
  std::vector<Member> strengths(shift::members().begin(), shift::members().end()), severities = strengths;
  for (Member& one : severities) {
    one.parameters.clear();
    if (shift::member(one.name).has_severities()) one.parameters = {{"severity", 1, 0, 5, "", true}};
  }
  return {{"name", "a shift", std::move(strengths), "strength", true},
          {"name", "a shift", std::move(severities), "severity", true}};
}

// Of models those that the options ask for: their library takes a while to open.
std::vector<sweep::CatalogFamily> families_of(const std::string& command,
                                              const std::vector<std::string>& options) {
  const auto has = [&](const char* name) { return std::ranges::find(options, name) != options.end(); };
  if (command == "shift") return shifts();
  std::vector<sweep::CatalogFamily> families;
  if (command == "train" && (has("algorithm") || has("set")))
    families.push_back(
        {"algorithm", "an algorithm", model_session(1).algorithms(), "set", false, false, "erm"});
  if (command == "attack") {
    const std::vector<attack::AttackEntry> attacks = attack::entries();
    families.push_back({"attack", "an attack", {attacks.begin(), attacks.end()}, "set", true, false, "pgd"});
  }
  if (has("arch"))
    families.push_back({"arch", "an architecture", model_session(1).architectures(), "", false, true});
  return families;
}

}  // namespace

SweepCatalog::SweepCatalog() {
  add_units(line_.root(), context_);
  add(catalog_, line_.shape(), "");
  catalog_.mistake_in = [this](const std::vector<std::string>& words) -> std::string {
    std::vector<std::string> arguments{"leeway"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    try {
      static_cast<void>(line_.parse(arguments));
      return "";
    } catch (const UsageError& mistake) {
      return mistake.what();
    } catch (const Error& mistake) {
      return mistake.what();
    }
  };
  catalog_.families_of = families_of;
}

}  // namespace leeway::app
