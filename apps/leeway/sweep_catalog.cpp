#include "apps/leeway/sweep_catalog.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apps/leeway/nn_loader.h"
#include "leeway/core/error.h"
#include "leeway/core/text.h"
#include "leeway/nn/session.h"
#include "leeway/shift/corruption.h"
#include "leeway/shift/shift.h"

namespace leeway::app {
namespace {

sweep::CatalogOption option_of(const OptionShape& shape) {
  const bool positional = !shape.name.starts_with("--");
  return {.name = positional ? lower_case(shape.name) : shape.name.substr(2),
          .positional = positional,
          .flag = !shape.takes_values,
          .number = shape.number,
          .whole = shape.whole,
          .file = shape.written.has_value(),
          .record = shape.written == Written::record,
          .default_text = shape.default_text,
          .choices = shape.choices};
}

void add(sweep::Catalog& catalog, const CommandShape& shape, const std::string& words) {
  for (const CommandShape& inner : shape.commands) {
    const std::string called = words.empty() ? inner.name : words + " " + inner.name;
    sweep::CatalogCommand command{called, {}};
    for (const OptionShape& option : inner.options) command.options.push_back(option_of(option));
    const bool is_room = std::ranges::none_of(command.options, &sweep::CatalogOption::record) &&
                         std::ranges::none_of(command.options, &sweep::CatalogOption::file);
    if (!is_room) catalog.commands.push_back(std::move(command));
    add(catalog, inner, called);
  }
}

// With the corruptions, which take --severity.
sweep::CatalogFamily shifts() {
  sweep::CatalogFamily family{
      "name", "a shift", {shift::members().begin(), shift::members().end()}, "strength"};
  for (const auto& corruption : shift::corruptions())
    if (std::ranges::find(family.members, corruption.name, &Member::name) == family.members.end())
      family.members.push_back({corruption.name, corruption.summary, ""});
  return family;
}

// Those of models are known where the library of models can be opened.
std::vector<sweep::CatalogFamily> families_of(const std::string& command) {
  if (command == "shift") return {shifts()};
  if (command != "train" && command != "attack") return {};
  try {
    const nn::Session& session = model_session(1);
    if (command == "train")
      return {{"algorithm", "an algorithm", session.algorithms(), "set"},
              {"arch", "an architecture", session.architectures()}};
    const std::vector<nn::AttackEntry> attacks = session.attacks();
    return {{"attack", "an attack", {attacks.begin(), attacks.end()}, "set"}};
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

SweepCatalog::SweepCatalog(void (*add_units)(const Command&, Context&)) {
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
  catalog_.families_of = [](const std::string& command) { return families_of(command); };
}

}  // namespace leeway::app
