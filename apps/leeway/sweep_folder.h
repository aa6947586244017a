// The folder of a sweep and the commands of its units, for commands that plan and run units of their own.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/sweep/catalog.h"
#include "leeway/sweep/plan.h"
#include "leeway/sweep/script.h"
#include "leeway/sweep/store.h"

namespace leeway::app {

// The commands that units of a sweep may be: a second command line, which is asked what a command takes and never runs
// anything.
class SweepCatalog {
 public:
  SweepCatalog();
  [[nodiscard]] const sweep::Catalog& catalog() const { return catalog_; }

 private:
  Context context_{{}};
  CommandLine line_{"", ""};
  sweep::Catalog catalog_;
};

// Plans the study `text` and writes both to the store. `name`: of the study in messages. Error: the folder
// has other files; those of the study.
[[nodiscard]] sweep::Plan plan_into(Context& context, const sweep::Store& store, std::string_view text,
                                    const std::string& name);

// Options of a cluster's runners, as they were given.
struct ClusterFlags : sweep::ScriptOptions {
  std::string unit_memory;
  std::vector<std::string> gpus;
  bool dry_run = false;
};
void add_cluster_flags(const Command& command, ClusterFlags& cluster);  // --tasks, --time, --memory
void add_slurm_flags(const Command& command, ClusterFlags& cluster);    // these and Slurm's

// The options of a cluster's runners of this plan, `jobs` units at a time each.
[[nodiscard]] sweep::ScriptOptions script_options(const ClusterFlags& flags, const sweep::Plan& plan,
                                                  const std::string& folder, std::size_t jobs);

// Submits to Slurm, or with --dry-run prints the scripts. `then`: a line that follows the jobs' numbers.
int run_on_slurm(Context& context, const ClusterFlags& flags, const sweep::ScriptOptions& options,
                 const std::function<void()>& accepted, const std::string& then);

}  // namespace leeway::app
