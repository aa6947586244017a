// The one exception type of the library.
//
// Message: what was being read or computed, what was expected, what was found, and which row where there is
// one, in one line without a final period: "clean.npy: expected finite logits, found nan at row 7, class 2".
// The command line prints it as it stands and exits with 3. Failures that are no fault of the input (a full
// disk) are std::runtime_error and exit with 1. The library never prints, exits or aborts.
#pragma once

#include <stdexcept>

namespace leeway {

class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace leeway
