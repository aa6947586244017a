// leeway shift conds: source and target sets with concurrent distribution shifts, drawn from a table of
// attributes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {

struct CondsFlags {
  std::string attributes, label, data_set, id;
  std::optional<std::string> sc, ldd, uds;
  std::vector<std::string> columns, orders;  // orders: "attribute=v1,v2"
  std::optional<std::size_t> train, validation, test;
  double ldd_ratio = 3, counterexamples = .01;
  bool all = false, plan = false, resample = false;
};

[[nodiscard]] CLI::App* add_conds(CLI::App& shift, Context& context,
                                  const std::shared_ptr<CondsFlags>& flags);
[[nodiscard]] int run_conds(Context& context, const CondsFlags& flags);

}  // namespace leeway::app
