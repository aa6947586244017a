// Gates: conditions under which a run counts as failed, "accuracy<0.8".
//
//   KEY OP NUMBER     KEY: a key of a result, dotted for nested ones: worst_class.accuracy, estimates.cot
//                     OP: < <= > >= == !=     NUMBER: 0.8, 1e-3, inf, -inf
//
// A gate is violated by every result for which the condition holds. A value that was not computed (null)
// violates nothing, but is listed with its reason: whether it counts as a failure is for the caller to say. "inf"
// and "-inf" in the results compare as numbers. A share that counts of samples make is compared by its counts, so
// that 120 of 400 is .3 and never the double beside it: accuracies and AFR of results, classes and groups, the
// change of accuracy, and of a bound's terms the source error, the critic's agreements and the discrepancy.
// Errors (Error): text that is no gate, named with what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/result.h"

namespace leeway::assess {

struct Gate {
  std::string text, key, op;
  double threshold = 0;
};
[[nodiscard]] Gate parse_gate(std::string_view text);

struct GateOutcome {
  Gate gate;
  struct Violation {
    std::string model, target;
    double value = 0;
  };
  struct Missing {
    std::string model, target, reason;
  };
  std::vector<Violation> violations;
  std::vector<Missing> missing;  // results in which the value was not computed
  std::size_t results = 0;       // looked at
};

// Throws Error where no result has the key, or where it is not a number.
[[nodiscard]] GateOutcome check_gate(const Gate& gate, const Json& results);

// A member of the record's "gates".
[[nodiscard]] Json to_json(const GateOutcome& outcome);

// "gate accuracy<0.8: violated by cnn under noise (0.74) and 2 others", or that it is not, or undecided.
[[nodiscard]] std::string describe(const GateOutcome& outcome);

}  // namespace leeway::assess
