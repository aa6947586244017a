// What must still hold when an output gets its final name, such as inputs that nobody changed meanwhile.
#pragma once

#include <functional>

namespace leeway {

// AtomicFile::commit() calls `check` before it renames the temporary file; what `check` throws leaves no output. One check a
// process, empty: none. Set it before threads write files.
void set_commit_check(std::function<void()> check);

}  // namespace leeway
