// leeway data: render and load.
#include "apps/leeway/command.h"

namespace leeway::app {

void add_data(CLI::App& root, Context& context, Run& run) {
  auto* room = root.add_subcommand("data", "Data sets: drawn from geometry, read from published files");
  room->require_subcommand(1);
  add_data_render(*room, context, run);
  add_data_load(*room, context, run);
}

}  // namespace leeway::app
