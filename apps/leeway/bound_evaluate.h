// leeway bound evaluate: how bounds and estimates did over many shifts whose truth is known.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {

struct EvaluateFlags {
  std::string table, report;
  std::vector<std::string> methods;
  std::vector<double> levels = {.9, .95, .99};  // wanted coverages of the adjustments
  std::optional<double> delta;
  double level = .95;  // of intervals
};

[[nodiscard]] CLI::App* add_evaluate(CLI::App& bound, Context& context,
                                     const std::shared_ptr<EvaluateFlags>& flags);
[[nodiscard]] int run_evaluate(Context& context, const EvaluateFlags& flags);

}  // namespace leeway::app
