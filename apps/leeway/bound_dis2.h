// The options and the record of Dis2, the bound among the methods of `leeway bound`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apps/leeway/command.h"
#include "leeway/error_bound/component_range.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::app {

struct Dis2Flags {
  std::string representation = "logits";
  double least_validity = .9;        // of the components that pca:range keeps
  error_bound::Dis2Options options;  // all but the representation, the seed and the progress
};

struct Dis2Result {
  error_bound::Dis2 bound;
  std::string representation;  // "logits", "features" or "pca:16", the fraction or range worked out
  std::optional<error_bound::ComponentRange> range;  // of pca:range, where `bound` is the chosen one
};

void add_dis2_flags(CLI::App& command, const std::shared_ptr<Dis2Flags>& flags);

[[nodiscard]] Dis2Result run_dis2(Context& context, const Dis2Flags& flags, const error_bound::Sample& source,
                                  const error_bound::Sample& target);

[[nodiscard]] Json to_json(const Dis2Result& result, const Dis2Flags& flags);

// The terms of the bound, what each concentration makes of it, and what a labelled target says of its assumption.
[[nodiscard]] std::string table(const Dis2Result& result, const Dis2Flags& flags);

}  // namespace leeway::app
