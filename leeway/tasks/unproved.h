// For tasks that maximise agreement: which maxima are not proved to the accuracy that was asked for.
#pragma once

#include <string>
#include <vector>

#include "leeway/agreement/agreement.h"

namespace leeway::tasks {

// Adds a line about the maximum of the set `name`, where it was looked for and not proved.
void note_unproved(std::vector<std::string>& lines, const std::string& name,
                   const agreement::Agreement& agreement);

}  // namespace leeway::tasks
