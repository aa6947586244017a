// leeway list: the members of every family.

#include "apps/leeway/command.h"
#include "apps/leeway/nn_loader.h"
#include "leeway/tasks/list/list.h"

namespace leeway::app {
void add_list(const Command& root, Context& context) {
  const Command command = root.add("list", "List the members of families, with their parameters");
  auto& options = command.keep<tasks::ListOptions>();
  command.option("family", options.family, "One of " + names_of(tasks::families()) + " (default: all)")
      .one_of(tasks::families())
      .shown_as("NAME");
  context.add_common_flags(command);
  command.hide({"--seed", "--threads", "--no-digest"});
  command.footer(
      "  leeway list attacks\n"
      "  leeway list algorithms --json");
  command.runs([&context, &options] {
    return context.finish(tasks::list(
        {[&]() -> const nn::Session& { return model_session(context.threads); }, options, context.seed}));
  });
}

}  // namespace leeway::app
