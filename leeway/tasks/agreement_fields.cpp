#include "leeway/tasks/agreement_fields.h"

#include <array>
#include <string>
#include <string_view>

namespace leeway {

void fields(agreement::CurvePoint& point, Fields& f) {
  f("beta", point.beta, at_least(0), "inverse temperature");
  f("value", point.value, {}, "A(beta), the mean log agreement");
}

void fields(agreement::PairEvidence& evidence, Fields& f) {
  using enum agreement::EvidenceBy;
  f.one_of("evidence", evidence.by, std::array{labels, ids, agreement, none},
           "kind of evidence that rows are pairs");
  f("chance", evidence.chance, a_share, "upper bound on the probability of this evidence for unrelated sets");
  f("words", evidence.reason, "why the rows are or are not pairs; a clause, not a sentence");
}

void fields_of_maximum(agreement::Agreement& a, Fields& f) {
  f.measured("pa", a.pa, a.pa_interval, {}, "posterior agreement, 0 to log k");
  f("beta", a.beta, at_least(0), "inverse temperature at the maximum");
  f("gap", a.gap, at_least(0), "certified gap: no other beta raises the maximum by more than this");
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

static void response_fields(const std::string& name, agreement::Response& response, const std::string& rows,
                            Fields& f) {
  f(name + "_n", response.n, "number of these rows");
  f.measured(name, response.confidence, response.confidence_interval, a_share,
             rows + "; null without these rows");
  f(name + "_by_rank", response.by_rank, a_share, "mean posterior of the same rows by rank, the 10 largest");
}

void fields(agreement::Responses& groups, Fields& f) {
  agreement::Response right = groups.right.value_or(agreement::Response{}),
                      wrong = groups.wrong.value_or(agreement::Response{});
  f("beta", groups.beta, at_least(0), "inverse temperature");
  response_fields("right", right,
                  "mean clean confidence of rows predicted correctly before and after the shift", f);
  response_fields("wrong", wrong,
                  "mean clean confidence of rows with the same wrong prediction before and after the shift",
                  f);
  response_fields("moved", groups.moved, "mean shifted confidence of rows whose prediction changes", f);
  groups.right = right, groups.wrong = wrong;
}

}  // namespace leeway
