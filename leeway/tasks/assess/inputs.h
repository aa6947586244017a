// The assessment's task and its parts by the names that this folder uses.
#pragma once

#include "leeway/tasks/assess.h"

namespace leeway::assess {

using Source = tasks::AssessSource;
using Target = tasks::AssessTarget;
using TargetRows = tasks::AssessRows;
using Task = tasks::AssessTask;

}  // namespace leeway::assess
