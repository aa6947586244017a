// The message of the Error that `work` throws; "no error" where it throws none.
#pragma once

#include <string>

#include "leeway/core/message.h"

namespace leeway {

template <class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace leeway
