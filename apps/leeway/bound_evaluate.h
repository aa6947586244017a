// leeway bound evaluate: how bounds and estimates did over many shifts whose truth is known.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/leeway/command.h"
#include "leeway/record/bound_evaluate.h"

namespace leeway::app {

struct EvaluateFlags {
  std::string table, report;
  record::BoundEvaluateOptions options;
};

[[nodiscard]] CLI::App* add_evaluate(CLI::App& bound, Context& context,
                                     const std::shared_ptr<EvaluateFlags>& flags);
[[nodiscard]] int run_evaluate(Context& context, const EvaluateFlags& flags);

}  // namespace leeway::app
