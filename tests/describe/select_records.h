// Records of selection for tests: three checkpoints, numbers made up.
#pragma once

#include <string>

#include "leeway/tasks/select/select.h"
#include "tests/describe/pa_records.h"

namespace leeway::tasks::test {

// Without labels; the second has the highest agreement.
inline Select bare_select() {
  Select record;
  record.envelope.command = {"leeway", "select"};
  record.envelope.instruction_set = "baseline";
  for (const double pa : {.5, .9, .7}) {
    SelectCheckpoint one;
    one.checkpoint = "run/e" + std::to_string(record.results.size()) + ".npz";
    one.measured.agreement = agreement_of(pa);
    one.pairing = {agreement::EvidenceBy::labels, 1e-300, "their labels are equal"};
    record.results.push_back(std::move(one));
  }
  record.selected.pa = {1, "run/e1.npz"};
  record.envelope.headline = headline_of(record);
  return record;
}

// With labels: the third is right most often.
inline Select full_select() {
  Select record = bare_select();
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const double accuracy = .8 + .05 * static_cast<double>(i), shifted = .6 - .05 * static_cast<double>(i);
    record.results[i].measured.accuracy = {accuracy, {accuracy - .02, accuracy + .02}};
    record.results[i].measured.accuracy_shifted = {shifted, {shifted - .03, shifted + .03}};
  }
  record.selected.accuracy = {2, "run/e2.npz"};
  record.selected.accuracy_shifted = {0, "run/e0.npz"};
  record.selected.pa_difference = {.2, {.15, .25}};
  record.results[0].pairing = {agreement::EvidenceBy::none, .4, "predictions disagree"};
  record.results[0].doubt = "rows of shifted/e0.npz need not be those of run/e0.npz";
  record.options.as = "logits";
  record.envelope.headline = headline_of(record);
  record.envelope.findings = findings_of(record);
  return record;
}

}  // namespace leeway::tasks::test
