// The gates of an assessment as JUnit XML, which CI systems show: one test case for each gate and result, failed where the
// gate is violated there, for the whole target or for a chunk; without a value failed, or skipped with --undecided pass.
#pragma once

#include <string>

#include "leeway/record/assess.h"

namespace leeway::report {

[[nodiscard]] std::string junit(const record::Assess& record);

}  // namespace leeway::report
