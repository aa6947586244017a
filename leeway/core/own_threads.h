// Work on threads of its own.
//
// Runs `work` on a thread that is started for it. The loops of parallel.h that it starts run on threads that are started for
// them, too, at most threads() at a time; none of these threads is the caller's or one that other loops use, before or
// later. For work that changes its threads for good: threads inherit much from the one that starts them. A loop inside such
// a loop is a plain one. The same results as without; what `work` throws is thrown again.
// Cost: 20 to 50 us a thread.
#pragma once

#include <functional>

namespace leeway {

void run_on_own_threads(const std::function<void()>& work);

}  // namespace leeway
