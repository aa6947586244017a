// Long work asks now and then whether the user wants it to stop. Internal.
#pragma once

#include "leeway/core/progress.h"

namespace leeway::average_case {

inline void stop_if_asked(const Progress* progress) {
  if (progress != nullptr && progress->stop_requested()) throw Interrupted("stopped; nothing was saved");
}

}  // namespace leeway::average_case
