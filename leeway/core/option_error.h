// An option that does not go with the others or with the data.
#pragma once

#include "leeway/core/error.h"

namespace leeway {

// Called as on the command line, which exits with 2: "--classes: rotation does not look at classes".
class OptionError : public Error {
 public:
  using Error::Error;
};

}  // namespace leeway
