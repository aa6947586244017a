// Gates: conditions under which a run fails, "accuracy<0.8".
//
//   KEY OP NUMBER     KEY: a key of a result, such as worst_class.accuracy or estimates.cot; or a title of
//                     the tables, in any case: AFR(P), error at most, cot
//                     OP: < <= > >= == !=     NUMBER: 0.8, 80%, 1e-3, inf, -inf
//
// A key is a number of the record's description (tasks/assess/assess.h) outside of lists, so that parser, list of
// keys and schema agree. Every result for which the condition holds violates the gate. Missing values (null)
// violate nothing but are listed with reasons; the caller decides whether they fail. A value that differs from
// the threshold by its rounding alone equals it: the error 1 - 280/400 is .3. If chunks have the key
// (tasks/assess/timeline.h), every chunk with a value is checked, too; the gate names the first that violates
// it.
// Errors (tasks::GateError): text that is not a gate; an unknown key, with the nearest one; a threshold out of
// the key's range, or a condition that no value in it can meet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/describe/keys.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

// The keys that a gate can compare, in the order of the record.
[[nodiscard]] std::vector<Key> gate_keys();
// A line for each: "accuracy: a number from 0 to 1; share of the target predicted right".
[[nodiscard]] std::string gate_key_list();

// Its text and parts; nothing was judged by it.
[[nodiscard]] tasks::AssessGate parse_gate(std::string_view text);

// GateError: a threshold beyond log k, which limits posterior agreement of k classes.
void check_threshold(const tasks::AssessGate& gate, std::size_t k);

// The gate with the results that violate it or lack a value.
[[nodiscard]] tasks::AssessGate check_gate(tasks::AssessGate gate,
                                           const std::vector<tasks::AssessResult>& results,
                                           const std::vector<tasks::AssessTimeline>& timelines = {});

}  // namespace leeway::assess

namespace leeway::tasks {

// The gates of an assessment as JUnit XML, which CI systems show: one test case for each gate and result, failed where the
// gate is violated there, for the whole target or for a chunk; without a value failed, or skipped with --undecided pass.
[[nodiscard]] std::string junit(const Assess& record);

}  // namespace leeway::tasks
