// Part of the record of leeway assess: the error on a target without labels, in one answer (tasks/assess/detail/answer.h).
#pragma once

#include <string>

#include "leeway/core/numbers.h"
#include "leeway/record/error_bound.h"
#include "leeway/record/fields.h"

namespace leeway::record {

// An estimator, and when it is the one to read.
struct AssessMethod : ErrorMethod {
  std::string read_when;  // completes "read it where ..."
};

struct LikelyError {
  std::string method, reason;  // the estimate to read, and why that one
  Measured error;              // the estimate, with the interval of its sampling error alone
  double low = 0, high = 0;    // from the lowest to the highest of all estimates, that interval included
};

void fields(AssessMethod& method, Fields& f);
void fields(LikelyError& error, Fields& f);

}  // namespace leeway::record
