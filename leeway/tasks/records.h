// The list of all records: leeway schema prints their schemas, and leeway report finds the view of a saved record.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "leeway/tasks/adapt/adapt.h"
#include "leeway/tasks/align/align.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/attack_curve/attack_curve.h"
#include "leeway/tasks/average_case/average_case.h"
#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/bound_evaluate/bound_evaluate.h"
#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/conds_draw/conds_draw.h"
#include "leeway/tasks/corruptions/corruptions.h"
#include "leeway/tasks/data/data.h"
#include "leeway/tasks/diagvib/diagvib.h"
#include "leeway/tasks/distances/distances.h"
#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/infer_endpoint/infer_endpoint.h"
#include "leeway/tasks/inspect/inspect.h"
#include "leeway/tasks/list/list.h"
#include "leeway/tasks/mvn_cdf/mvn_cdf.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/report/report.h"
#include "leeway/tasks/select/select.h"
#include "leeway/tasks/shift/shift.h"
#include "leeway/tasks/shift_text/shift_text.h"
#include "leeway/tasks/sweep/report.h"
#include "leeway/tasks/sweep/sweep.h"
#include "leeway/tasks/train/train.h"

namespace leeway::tasks {

template <class T>
struct RecordKind {
  std::string_view title;
};

// Calls `visit` with the RecordKind of every record.
template <class Visit>
void each_record(const Visit& visit) {
  visit(RecordKind<Assess>{"assessment of outputs on a source and on targets (leeway assess)"});
  visit(RecordKind<AverageCase>{"the probability that predictions survive noise (leeway average-case)"});
  visit(RecordKind<Adapt>{"a model with batch normalization adapted to other images (leeway adapt)"});
  visit(RecordKind<Align>{"PCA alignment of clean and shifted features (leeway align)"});
  visit(RecordKind<Attack>{"adversarial examples (leeway attack)"});
  visit(RecordKind<AttackCurve>{"models under attacks of increasing strength (leeway attack curve)"});
  visit(RecordKind<Bound>{"the error on a target without labels (leeway bound)"});
  visit(RecordKind<BoundEvaluation>{
      "bounds and estimates on many shifts with known errors (leeway bound evaluate)"});
  visit(RecordKind<CondsDescribe>{
      "shifts between a source and a target, and accuracy by cell (leeway conds describe)"});
  visit(RecordKind<CondsDraw>{
      "training, validation and test sets with concurrent distribution shifts (leeway conds "
      "draw); also the manifest.json that --all writes, and NAME.manifest.json next to a single split"});
  visit(RecordKind<Corruptions>{
      "accuracy and agreement of a model under common corruptions (leeway shift corrupt)"});
  visit(RecordKind<DataDiagvib>{
      "DiagViB environments of digits with hue, lightness, position, scale and texture (leeway data "
      "diagvib); also NAME.manifest.json next to the images, and the manifest.json that --part all writes"});
  visit(RecordKind<DataLoad>{"a published data set read from its files (leeway data load)"});
  visit(RecordKind<DataRender>{
      "a synthetic data set (leeway data render); also NAME.manifest.json next to the images"});
  visit(RecordKind<Distances>{"distances between clean and shifted outputs (leeway distances)"});
  visit(RecordKind<Infer>{"outputs of a model on images (leeway infer)"});
  visit(RecordKind<InferEndpoint>{"answers of a model behind a chat endpoint (leeway infer --endpoint)"});
  visit(RecordKind<Inspect>{"contents, input and cost of a model file (leeway inspect)"});
  visit(RecordKind<List>{"the members of families (leeway list)"});
  visit(RecordKind<MvnCdf>{"multivariate normal probabilities (leeway mvn-cdf)"});
  visit(RecordKind<Pa>{"posterior agreement (leeway pa)"});
  visit(RecordKind<Report>{"HTML report of saved records (leeway report)"});
  visit(RecordKind<Select>{"checkpoints selected by posterior agreement and accuracy (leeway select)"});
  visit(RecordKind<Shift>{"a shifted copy of a set of images (leeway shift)"});
  visit(RecordKind<ShiftText>{"a CSV file with one shifted text column (leeway shift text)"});
  visit(RecordKind<SweepCollect>{"the records of a sweep as one table (leeway sweep collect)"});
  visit(RecordKind<SweepPlan>{"plan of a study: units to run (leeway sweep plan)"});
  visit(RecordKind<SweepReport>{
      "comparison of algorithms under shifts from the runs of a sweep (leeway sweep report)"});
  visit(RecordKind<SweepRun>{"units that were run (leeway sweep run)"});
  visit(RecordKind<SweepStatus>{"status of a sweep (leeway sweep status)"});
  visit(RecordKind<Train>{"a trained classifier (leeway train)"});
}

struct RecordType {
  std::string schema;  // "leeway.pa/2"
  std::string_view title;
  void (*describe)(Fields&);
};

[[nodiscard]] std::vector<RecordType> records();

}  // namespace leeway::tasks
