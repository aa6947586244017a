// The exception type of the library for invalid input.
//
// Message, one line without a final period: source, expected, found, and row if any: "clean.npy: expected
// finite logits, found nan at row 7, class 2". The command prints it and exits with 3. Other failures (a full
// disk) are std::runtime_error and exit with 1. The library never prints, exits or aborts.
#pragma once

#include <stdexcept>

namespace leeway {

class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// An invalid option, named as on the command line: "--classes: rotation does not look at classes". Exit code
// 2.
class OptionError : public Error {
 public:
  using Error::Error;
};

}  // namespace leeway
