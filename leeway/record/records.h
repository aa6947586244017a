// The list of described records (fields.h); docs/schema is written from it, and reports are chosen by it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/record/adapt.h"
#include "leeway/record/align.h"
#include "leeway/record/assess.h"
#include "leeway/record/attack.h"
#include "leeway/record/average_case.h"
#include "leeway/record/bound.h"
#include "leeway/record/bound_evaluate.h"
#include "leeway/record/conds_describe.h"
#include "leeway/record/conds_draw.h"
#include "leeway/record/corruptions.h"
#include "leeway/record/data.h"
#include "leeway/record/diagvib.h"
#include "leeway/record/distances.h"
#include "leeway/record/infer.h"
#include "leeway/record/inspect.h"
#include "leeway/record/list.h"
#include "leeway/record/mvn_cdf.h"
#include "leeway/record/pa.h"
#include "leeway/record/report.h"
#include "leeway/record/select.h"
#include "leeway/record/shift.h"
#include "leeway/record/shift_text.h"
#include "leeway/record/sweep.h"
#include "leeway/record/sweep_report.h"
#include "leeway/record/train.h"

namespace leeway::record {

template <class T>
struct Kind {
  std::string_view title;
};

// Calls `visit` with the Kind of every record.
template <class Visit>
void each_record(const Visit& visit) {
  visit(Kind<Assess>{"assessment of outputs on a source and on targets (leeway assess, leeway demo)"});
  visit(Kind<AverageCase>{"the probability that predictions survive noise (leeway average-case)"});
  visit(Kind<Adapt>{"a model with batch normalization adapted to other images (leeway adapt)"});
  visit(Kind<Align>{"PCA alignment of clean and shifted features (leeway align)"});
  visit(Kind<Attack>{"adversarial examples (leeway attack)"});
  visit(Kind<Bound>{"the error on a target without labels (leeway bound)"});
  visit(
      Kind<BoundEvaluation>{"bounds and estimates on many shifts with known errors (leeway bound evaluate)"});
  visit(Kind<CondsDescribe>{
      "shifts between a source and a target, and accuracy by cell (leeway conds describe)"});
  visit(
      Kind<CondsDraw>{"training, validation and test sets with concurrent distribution shifts (leeway conds "
                      "draw); also manifest.json of --all, and NAME.manifest.json next to a single split"});
  visit(
      Kind<Corruptions>{"accuracy and agreement of a model under common corruptions (leeway shift corrupt)"});
  visit(Kind<DataDiagvib>{
      "DiagViB environments of digits with hue, lightness, position, scale and texture (leeway data "
      "diagvib); also NAME.manifest.json next to its images, and manifest.json of --part all"});
  visit(Kind<DataLoad>{"a published data set read from its files (leeway data load)"});
  visit(Kind<DataRender>{
      "a synthetic data set (leeway data render); also NAME.manifest.json next to its images"});
  visit(Kind<Distances>{"distances between clean and shifted outputs (leeway distances)"});
  visit(Kind<Infer>{"outputs of a model on images (leeway infer)"});
  visit(Kind<Inspect>{"contents, input and cost of a model file (leeway inspect)"});
  visit(Kind<List>{"the members of families (leeway list)"});
  visit(Kind<MvnCdf>{"multivariate normal probabilities (leeway mvn-cdf)"});
  visit(Kind<Pa>{"posterior agreement (leeway pa)"});
  visit(Kind<Report>{"HTML report of saved records (leeway report)"});
  visit(Kind<Select>{"checkpoints selected by posterior agreement and accuracy (leeway select)"});
  visit(Kind<Shift>{"a shifted copy of a set of images (leeway shift)"});
  visit(Kind<ShiftText>{"a CSV file with one column of texts shifted (leeway shift text)"});
  visit(Kind<SweepCollect>{"the records of a sweep as one table (leeway sweep collect)"});
  visit(Kind<SweepPlan>{"plan of a study: units to run (leeway sweep plan)"});
  visit(Kind<SweepReport>{
      "comparison of algorithms under shifts from the runs of a sweep (leeway sweep report)"});
  visit(Kind<SweepRun>{"units that were run (leeway sweep run)"});
  visit(Kind<SweepStatus>{"status of a sweep (leeway sweep status)"});
  visit(Kind<Train>{"a classifier that was trained (leeway train)"});
}

struct Record {
  std::string schema;  // "leeway.pa/2"
  std::string_view title;
  void (*describe)(Fields&);
};

[[nodiscard]] std::vector<Record> records();

}  // namespace leeway::record
