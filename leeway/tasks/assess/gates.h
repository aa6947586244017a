// Gates: conditions under which a run fails, "accuracy<0.8".
//
//   KEY OP NUMBER     KEY: a key of a result, such as worst_class.accuracy or estimates.cot; or a title of
//                     the tables, in any case: AFR(P), error at most, cot
//                     OP: < <= > >= == !=     NUMBER: 0.8, 80%, 1e-3, inf, -inf
//
// Every result for which the condition holds violates the gate. Missing values (null) violate nothing but are
// listed with reasons; the caller decides whether they fail. Shares of samples are compared by their counts,
// so that 120 of 400 is exactly .3: accuracies and AFR of results, classes and groups, the change of
// accuracy, and the bound's source error, critic agreements and discrepancy. If chunks have the key
// (record/assess_timeline.h), every chunk with a value is checked, too; the gate names the first that
// violates it.
// Errors (tasks::GateError): text that is not a gate, with the reason.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/record/assess.h"

namespace leeway::assess {

// Its text and parts; nothing was judged by it.
[[nodiscard]] record::AssessGate parse_gate(std::string_view text);

// The gate with the results that violate it or lack a value. GateError: no result has the key as a number.
[[nodiscard]] record::AssessGate check_gate(record::AssessGate gate,
                                            const std::vector<record::AssessResult>& results,
                                            const std::vector<record::AssessTimeline>& timelines = {});

// "gate accuracy<0.8: violated by cnn under noise (0.74) and 2 others", or not, or undecided, of `results`.
[[nodiscard]] std::string describe(const record::AssessGate& gate, std::size_t results);

}  // namespace leeway::assess
