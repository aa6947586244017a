#include "leeway/record/assess_answer.h"

#include "leeway/record/measured.h"

namespace leeway::record {

void fields(AssessMethod& method, Fields& f) {
  fields(static_cast<ErrorMethod&>(method), f);
  f.unless_empty("read_when", method.read_when, "completes: read it where ...");
}

void fields(LikelyError& error, Fields& f) {
  f("method", error.method, "of the estimate to read");
  f("reason", error.reason, "why that one, by what the outputs show");
  measured(
      f, "error", error.error, share,
      "the estimate; its interval holds what sampling may do, not what the shift does to its assumption");
  f("low", error.low, share,
    "the lowest of the estimates whose assumption nothing contradicts, or the lower end of error's interval "
    "if that is lower");
  f("high", error.high, share, "the highest of these estimates, or the upper end of that interval");
}

}  // namespace leeway::record
