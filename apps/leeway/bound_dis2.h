// The options and the record of Dis2, the bound among the methods of `leeway bound`.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/leeway/command.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::app {

struct Dis2Flags {
  std::string representation = "logits";
  error_bound::Dis2Options options;  // all but the representation, the seed and the progress
};

void add_dis2_flags(CLI::App& command, const std::shared_ptr<Dis2Flags>& flags);

// "logits", "features" or "pca:16". Throws CLI::ValidationError.
[[nodiscard]] error_bound::Representation parse_representation(const std::string& text);

[[nodiscard]] error_bound::Dis2 run_dis2(Context& context, const Dis2Flags& flags,
                                         const error_bound::Sample& source,
                                         const error_bound::Sample& target);

[[nodiscard]] Json to_json(const error_bound::Dis2& dis2, const Dis2Flags& flags);

// The terms of the bound, and what each concentration makes of it.
[[nodiscard]] std::string table(const error_bound::Dis2& dis2, const Dis2Flags& flags);

}  // namespace leeway::app
