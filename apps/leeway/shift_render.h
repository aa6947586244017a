// leeway shift render: data sets drawn from geometry, as images, tables of attributes and contact sheets.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {

struct RenderFlags {
  std::string name, table, index, attributes, sheet, label;
  std::vector<std::string> only, split;  // only: "column=v1,v2"
  std::size_t size = 64;
  std::optional<std::size_t> sample;
  bool protocol = false;
};

[[nodiscard]] CLI::App* add_render(CLI::App& shift, Context& context,
                                   const std::shared_ptr<RenderFlags>& flags);
[[nodiscard]] int run_render(Context& context, const RenderFlags& flags);

}  // namespace leeway::app
