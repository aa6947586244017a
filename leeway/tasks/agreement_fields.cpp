#include "leeway/tasks/agreement_fields.h"

#include <array>

namespace leeway {

void fields(agreement::CurvePoint& point, Fields& f) {
  f("beta", point.beta, at_least(0), "inverse temperature");
  f("value", point.value, {}, "A(beta), the mean log agreement");
}

void fields(agreement::PairEvidence& evidence, Fields& f) {
  using enum agreement::EvidenceBy;
  f.one_of("evidence", evidence.by, std::array{labels, ids, agreement, none},
           "what shows that rows are pairs");
  f("chance", evidence.chance, a_share, "upper bound on the probability of this evidence for unrelated sets");
  f("words", evidence.reason, "why the rows are or are not pairs; a clause, not a sentence");
}

void fields_of_maximum(agreement::Agreement& a, Fields& f) {
  f.measured("pa", a.pa, a.pa_interval, {}, "posterior agreement, 0 to log k");
  f("beta", a.beta, at_least(0), "inverse temperature of the maximum");
  f("gap", a.gap, at_least(0), "certified gap: no other beta raises the maximum by more");
  f("converged", a.converged, "false: the tolerance was not reached, and the exit code is 5");
  f.measured("afr_pred", a.afr_pred, a.afr_pred_interval, a_share,
             "share of predictions unchanged by the shift");
}

}  // namespace leeway
