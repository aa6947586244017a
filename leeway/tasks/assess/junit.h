// The gates of an assessment as JUnit XML, which CI systems show: one test case for each gate and result, failed where the
// gate is violated there, for the whole target or for a chunk; without a value failed, or skipped with --undecided pass.
#pragma once

#include <string>

#include "leeway/tasks/assess/assess.h"

namespace leeway::tasks {

[[nodiscard]] std::string junit(const Assess& record);

}  // namespace leeway::tasks
