// Descriptions (fields.h) of results of leeway/agreement that several records hold.
#pragma once

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/pair_evidence.h"
#include "leeway/agreement/summaries.h"
#include "leeway/describe/fields.h"

namespace leeway {

void fields(agreement::CurvePoint& point, Fields& f);
void fields(agreement::PairEvidence& evidence, Fields& f);  // evidence, chance, words

void fields(agreement::Decomposition& decomposition, Fields& f);  // err, mis, adv, rest
void fields(agreement::Responses& groups, Fields& f);             // beta; right, wrong, moved

// Of an agreement what a list of many shows: pa, beta, gap, converged and afr_pred.
void fields_of_maximum(agreement::Agreement& agreement, Fields& f);

}  // namespace leeway
