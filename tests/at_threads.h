// What `work()` returns at that many threads. The count is as it was afterwards, also where `work` throws.
#pragma once

#include "leeway/core/parallel.h"

namespace leeway {

template <class Work>
auto at_threads(int count, const Work& work) {
  struct Restored {
    int before = threads();
    ~Restored() { set_threads(before); }
  } restored;
  set_threads(count);
  return work();
}

}  // namespace leeway
