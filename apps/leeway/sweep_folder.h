// The folder of a sweep, for commands that plan and run units of their own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "apps/leeway/command.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/script.h"
#include "leeway/sweep/store.h"

namespace leeway::app {

// Plans the study `text` and writes both to the store. `name`: of the study in messages. Error: the folder
// has other files; those of the study.
[[nodiscard]] sweep::Plan plan_into(Context& context, const sweep::Store& store, std::string_view text,
                                    const std::string& name);

void add_cluster_flags(const Command& command, sweep::ScriptOptions& cluster);  // --tasks, --time

// The options of a cluster's runners of this plan, `jobs` units at a time each.
[[nodiscard]] sweep::ScriptOptions script_options(sweep::ScriptOptions cluster, const sweep::Plan& plan,
                                                  const std::string& folder, std::size_t jobs);

}  // namespace leeway::app
