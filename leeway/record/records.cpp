#include "leeway/record/records.h"

#include <array>

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
namespace {

template <class T>
void describe(Fields& f) {
  T record;
  fields(record, f);
}

constexpr std::array list{
    Record{assess_schema, "assessment of outputs on a source and on targets (leeway assess, leeway demo)",
           describe<Assess>},
    Record{adapt_schema, "a model with batch normalization adapted to other images (leeway adapt)",
           describe<Adapt>},
    Record{attack_schema, "adversarial examples (leeway attack)", describe<Attack>},
    Record{average_case_schema, "the probability that predictions survive noise (leeway average-case)",
           describe<AverageCase>},
    Record{bound_schema, "the error on a target without labels (leeway bound)", describe<Bound>},
    Record{bound_evaluate_schema,
           "bounds and estimates on many shifts with known errors (leeway bound evaluate)",
           describe<BoundEvaluation>},
    Record{list_schema, "the members of families (leeway list)", describe<List>},
    Record{infer_schema, "outputs of a model on images (leeway infer)", describe<Infer>},
    Record{inspect_schema, "contents, input and cost of a model file (leeway inspect)", describe<Inspect>},
    Record{mvn_cdf_schema, "multivariate normal probabilities (leeway mvn-cdf)", describe<MvnCdf>},
    Record{pa_schema, "posterior agreement (leeway pa)", describe<Pa>},
    Record{distances_schema, "distances between clean and shifted outputs (leeway distances)",
           describe<Distances>},
    Record{align_schema, "PCA alignment of clean and shifted features (leeway align)", describe<Align>},
    Record{select_schema, "checkpoints selected by posterior agreement and accuracy (leeway select)",
           describe<Select>},
    Record{conds_draw_schema,
           "training, validation and test sets with concurrent distribution shifts (leeway conds draw); also "
           "manifest.json of --all, and NAME.manifest.json next to a single split",
           describe<CondsDraw>},
    Record{conds_describe_schema,
           "shifts between a source and a target, and accuracy by cell (leeway conds describe)",
           describe<CondsDescribe>},
    Record{data_render_schema,
           "a synthetic data set (leeway data render); also NAME.manifest.json next to its images",
           describe<DataRender>},
    Record{data_load_schema, "a published data set read from its files (leeway data load)",
           describe<DataLoad>},
    Record{data_diagvib_schema,
           "DiagViB environments of digits with hue, lightness, position, scale and texture (leeway data "
           "diagvib); also NAME.manifest.json next to its images, and manifest.json of --part all",
           describe<DataDiagvib>},
    Record{report_schema, "HTML report of saved records (leeway report)", describe<Report>},
    Record{corruptions_schema,
           "accuracy and agreement of a model under common corruptions (leeway shift corrupt)",
           describe<Corruptions>},
    Record{shift_schema, "a shifted copy of a set of images (leeway shift)", describe<Shift>},
    Record{shift_text_schema, "a CSV file with one column of texts shifted (leeway shift text)",
           describe<ShiftText>},
    Record{sweep_plan_schema, "plan of a study: units to run (leeway sweep plan)", describe<SweepPlan>},
    Record{sweep_run_schema, "units that were run (leeway sweep run)", describe<SweepRun>},
    Record{sweep_status_schema, "status of a sweep (leeway sweep status)", describe<SweepStatus>},
    Record{sweep_collect_schema, "the records of a sweep as one table (leeway sweep collect)",
           describe<SweepCollect>},
    Record{sweep_report_schema,
           "comparison of algorithms under shifts from the runs of a sweep (leeway sweep report)",
           describe<SweepReport>},
    Record{train_schema, "a classifier that was trained (leeway train)", describe<Train>},
};

}  // namespace

std::span<const Record> records() { return list; }

}  // namespace leeway::record
