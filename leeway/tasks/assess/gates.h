// Gates: conditions under which a run counts as failed, "accuracy<0.8".
//
//   KEY OP NUMBER     KEY: a key of a result, dotted for nested ones: worst_class.accuracy, estimates.cot; or a title of
//                     the tables, in any case: AFR(P), error at most, cot
//                     OP: < <= > >= == !=     NUMBER: 0.8, 80%, 1e-3, inf, -inf
//
// A gate is violated by every result for which the condition holds. A value that was not computed (null)
// violates nothing, but is listed with its reason: whether it counts as a failure is for the caller to say. "inf"
// and "-inf" in the results compare as numbers. A share that counts of samples make is compared by its counts, so
// that 120 of 400 is .3 and never the double beside it: accuracies and AFR of results, classes and groups, the
// change of accuracy, and of a bound's terms the source error, the critic's agreements and the discrepancy.
// Over time every chunk is judged, too, where the key is one of a chunk's (record/assess_timeline.h) and any chunk of
// the timeline has a value: the gate names the first for which the condition holds. Other keys are judged of the whole
// target alone. Chunks without a value between others that have one are passed over.
// Errors (tasks::GateError): text that is no gate, named with what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/record/assess.h"

namespace leeway::assess {

// Its text and parts; nothing was judged by it.
[[nodiscard]] record::AssessGate parse_gate(std::string_view text);

// The gate with the results that violate it, and those that have no value. GateError where no result has the key, or
// where it is not a number.
[[nodiscard]] record::AssessGate check_gate(record::AssessGate gate,
                                            const std::vector<record::AssessResult>& results,
                                            const std::vector<record::AssessTimeline>& timelines = {});

// "gate accuracy<0.8: violated by cnn under noise (0.74) and 2 others", or that it is not, or undecided; of so many
// results.
[[nodiscard]] std::string describe(const record::AssessGate& gate, std::size_t results);

}  // namespace leeway::assess
