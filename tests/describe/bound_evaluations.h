// A record of bounds and estimates over shifts whose truth is known, for tests.
#pragma once

#include "leeway/tasks/bound_evaluate/bound_evaluate.h"

namespace leeway::tasks::test {

// Errors: predicted .3 .1 .5, true .2 .4 .5: understated once, by 30 points.
inline BoundEvaluation evaluation() {
  BoundEvaluation record;
  record.envelope.command = {"leeway", "bound", "evaluate"};
  record.envelope.instruction_set = "baseline";
  record.data_sets = 1;
  EvaluatedMethod cot;
  cot.method = "cot";
  cot.score = {3, .4 / 3, 2. / 3, {.1, .99}, .3};
  cot.points = {{"a", .8, .7}, {"a", .6, .9}, {"a", .5, .5}};
  record.results = {cot};
  record.envelope.headline = headline_of(record);
  record.envelope.findings = findings_of(record);
  return record;
}

}  // namespace leeway::tasks::test
