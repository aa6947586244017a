// leeway shift load: published data sets from their files, as images and a table of attributes.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/leeway/command.h"

namespace leeway::app {

struct LoadFlags {
  std::string format, attributes, sheet, label;
  std::vector<std::string> paths;
  std::size_t size = 0;  // 0: as they are
  bool protocol = false;
};

[[nodiscard]] CLI::App* add_load(CLI::App& shift, Context& context, const std::shared_ptr<LoadFlags>& flags);
[[nodiscard]] int run_load(Context& context, const LoadFlags& flags);

}  // namespace leeway::app
