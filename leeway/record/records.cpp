#include "leeway/record/records.h"

#include <array>

#include "leeway/record/average_case.h"
#include "leeway/record/bound.h"
#include "leeway/record/bound_evaluate.h"
#include "leeway/record/distances.h"
#include "leeway/record/mvn_cdf.h"
#include "leeway/record/pa.h"
#include "leeway/record/select.h"

namespace leeway::record {
namespace {

template <class T>
void describe(Fields& f) {
  T record;
  fields(record, f);
}

constexpr std::array list{
    Record{average_case_schema, "the probability that predictions survive noise (leeway average-case)",
           describe<AverageCase>},
    Record{bound_schema, "the error on a target without labels (leeway bound)", describe<Bound>},
    Record{bound_evaluate_schema,
           "bounds and estimates over many shifts whose truth is known (leeway bound evaluate)",
           describe<BoundEvaluation>},
    Record{mvn_cdf_schema, "multivariate normal probabilities (leeway mvn-cdf)", describe<MvnCdf>},
    Record{pa_schema, "posterior agreement (leeway pa)", describe<Pa>},
    Record{distances_schema, "distances between clean and shifted outputs (leeway distances)",
           describe<Distances>},
    Record{select_schema, "which checkpoint agreement and accuracy choose (leeway select)", describe<Select>},
};

}  // namespace

std::span<const Record> records() { return list; }

}  // namespace leeway::record
