#include "leeway/tasks/agreement_fields.h"

#include <array>
#include <string_view>

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

static void fields(agreement::Contribution& group, Fields& f) {
  f("n", group.n, "number of samples");
  f("sum", group.sum, {}, "sum of log agreement at beta");
  f("delta", group.delta, {}, "1 - mean confidence; null without samples");
  f("approximation", group.approximation, {},
    "approximation of the sum from delta alone; null if it does not exist");
}

void fields(agreement::Decomposition& decomposition, Fields& f) {
  struct Group {
    std::string_view name, meaning;
  };
  constexpr std::array<Group, 4> groups{{{"err", "correct before and after the shift"},
                                         {"mis", "wrong, and unchanged by the shift"},
                                         {"adv", "correct before, changed by the shift"},
                                         {"rest", "wrong before, changed by the shift"}}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    f(groups[i].name, decomposition.groups[i], groups[i].meaning);
    decomposition.groups[i].name = groups[i].name;
  }
}

}  // namespace leeway
