#include "leeway/tasks/unproved.h"

#include <fmt/format.h>

namespace leeway::tasks {

void note_unproved(std::vector<std::string>& lines, const std::string& name, const agreement::Agreement& a) {
  if (a.fitted && !a.converged)
    lines.push_back(fmt::format(
        "{}: its maximum is proved to {:.2g} only, not to {:.0e}, after {} evaluations: another beta may "
        "give that much more",
        name, a.gap, agreement::Options{}.gap, a.evaluations));
}

}  // namespace leeway::tasks
