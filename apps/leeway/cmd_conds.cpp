// leeway conds: draw and describe.
#include "apps/leeway/command.h"

namespace leeway::app {

void add_conds(CLI::App& root, Context& context, Run& run) {
  auto* room = root.add_subcommand(
      "conds", "Concurrent distribution shifts of tables of attributes: drawn, described");
  room->require_subcommand(1);
  add_conds_draw(*room, context, run);
  add_conds_describe(*room, context, run);
}

}  // namespace leeway::app
