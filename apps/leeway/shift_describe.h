// leeway shift describe: which shifts a source and a target have, and how accuracy differs among cells.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/conds/describe.h"
#include "leeway/core/outputs.h"

namespace leeway::app {

struct DescribeFlags {
  std::string source, target, attributes, split, label, outputs, report;
  std::vector<std::string> columns;
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
  conds::DescribeOptions options;
};

[[nodiscard]] CLI::App* add_describe(CLI::App& shift, Context& context,
                                     const std::shared_ptr<DescribeFlags>& flags);
[[nodiscard]] int run_describe(Context& context, const DescribeFlags& flags);

}  // namespace leeway::app
