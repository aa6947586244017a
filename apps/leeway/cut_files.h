// What happens where another process cuts an input file short while it is read.
#pragma once

namespace leeway::app {

// From now on the process then says which file it was, in one line on stderr, and ends with exit_input. Files are
// memory-mapped, and bytes that are gone raise SIGBUS; nothing that was computed from them can be kept.
void end_where_files_are_cut();

}  // namespace leeway::app
