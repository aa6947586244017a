#include "leeway/record/pa.h"

#include <cmath>

#include "leeway/agreement/pairing.h"
#include "leeway/record/agreement.h"
#include "leeway/record/fields.h"
#include "leeway/record/json.h"

namespace leeway::record {

static void fields(agreement::Agreement& a, Fields& f) {
  bool shared = !a.fitted;
  std::optional<bool> converged = a.fitted ? std::optional(a.converged) : std::nullopt;
  f("n", a.n, at_least(1), "pairs of samples");
  f("k", a.k, at_least(2), "classes");
  f("beta", a.beta, at_least(0), "the inverse temperature of the maximum");
  f.measured("pa", a.pa, a.pa_interval, {}, "posterior agreement, 0 to log k");
  f("pa_normalized", a.pa_normalized, {}, "pa / log k");
  f("log_pa_mean", a.value, {}, "pa - log k");
  f("log_pa_sum", a.log_pa_sum, {}, "n times log_pa_mean");
  f("beta_shared", shared,
    "with --shared-beta: beta is that of the model's first shifted set, and pa what it gives here (it may be "
    "negative)");
  f.unless_nan("gap", a.gap, at_least(0),
               "certified: no beta is better by more than this; null where beta is shared");
  f("converged", converged,
    "false: the gap was not closed, and the exit status is 5; null where beta is shared");
  f("evaluations", a.evaluations, "of A over all rows");
  f.measured("afr_pred", a.afr_pred, a.afr_pred_interval, share,
             "share of predictions that the shift leaves as they were");
  f.measured("afr_true", a.afr_true, a.afr_true_interval, share,
             "share of shifted samples predicted as their label; null without labels");
  f("asr", a.attack_success, share, "1 - afr_true");
  f("curve", a.curve, "A(beta), sorted by beta");
  f("local_maxima", a.local_maxima, "of A(beta) that were met, sorted by beta, the global one among them");
  a.fitted = !shared;
  a.converged = converged.value_or(false);
}

static void fields(agreement::RatioPoint& point, Fields& f) {
  agreement::Agreement& a = point.agreement;
  f("ratio", point.ratio, share, "share of the samples that are shifted");
  f("shifted", point.shifted, "samples that are shifted");
  fields_of_maximum(a, f);
  f.measured("afr_true", a.afr_true, a.afr_true_interval, share,
             "share of right predictions; null without labels");
}

static void fields(agreement::Contribution& group, Fields& f) {
  f("n", group.n, "samples");
  f("sum", group.sum, {}, "of log agreement at beta");
  f("delta", group.delta, {}, "1 - mean confidence; null where no sample is averaged");
  f("approximation", group.approximation, {}, "of the sum, from delta alone; null where it does not exist");
}

static void fields(agreement::Decomposition& decomposition, Fields& f) {
  struct Group {
    std::string_view name, meaning;
  };
  constexpr std::array<Group, 4> groups{{{"err", "right before and after"},
                                         {"mis", "wrong, and unmoved"},
                                         {"adv", "right before, moved by the shift"},
                                         {"rest", "wrong before, moved by the shift"}}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    f(groups[i].name, decomposition.groups[i], groups[i].meaning);
    decomposition.groups[i].name = groups[i].name;
  }
}

static void fields(agreement::EntropyAt& at, Fields& f) {
  f("beta", at.beta, at_least(0), "1, or the beta of the result");
  f.unless_nan("clean", at.clean, {}, "bits, of rows sorted before they are averaged");
  f.unless_nan("shifted", at.shifted, {}, "bits, of rows sorted before they are averaged");
  f.unless_nan("clean_plain", at.clean_plain, {}, "bits of the plain mean: the balance of classes");
  f.unless_nan("shifted_plain", at.shifted_plain, {}, "bits of the plain mean: the balance of classes");
}

static void fields(agreement::Entropies& entropies, Fields& f) {
  std::string over = entropies.right_only ? "right" : "all";
  f("samples", entropies.samples, "that count");
  f.choice("over", over, {{"right", "samples right before the shift"}, {"all", "there are no labels"}},
           "which samples count");
  f("at", entropies.at, "at beta = 1 and at the beta of the result; null where no sample counts");
  entropies.right_only = over == "right";
}

static void fields(agreement::ConfidenceAt& at, Fields& f) {
  f("beta", at.beta, at_least(0), "1, or the beta of the result");
  f.unless_nan("mean", at.mean, share, "mean posterior of the predicted class; null for n = 0");
  f.unless_nan("se", at.standard_error, at_least(0), "its standard error; null for n < 2");
}

static void fields(agreement::ConfidenceSummary& summary, Fields& f) {
  f("n", summary.n, "samples");
  f("at", summary.at, "at beta = 1 and at the beta of the result");
}

static void fields(agreement::Confidences& confidences, Fields& f) {
  f("clean_right", confidences.clean_right, "clean samples predicted right; null without labels");
  f("moved", confidences.moved, "shifted samples whose prediction moved");
}

static void fields(agreement::ArGapPoint& point, Fields& f) {
  f("pa", point.pa, {}, "the posterior agreement of both");
  f("ratio_plus", point.ratio_plus, share, "the smallest ratio at which model_plus has fallen to this pa");
  f("ratio_minus", point.ratio_minus, share,
    "the smallest ratio at which model_minus has fallen to this pa, between ratios linearly; null where it "
    "does not");
  f("gap", point.gap, from_to(-1, 1), "ratio_plus - ratio_minus");
}

static void fields(PaSet& set, Fields& f) {
  f("shifted", set.shifted, "the path as it was given");
  f.unless_empty("model", set.model, "null where there is one model");
  f.unless_empty("shift", set.shift,
                 "of several models: what the shift is called, by what the models' files at this place have "
                 "in common, or by the names of all of them");
  fields(set.agreement, f);
  f("pairing", set.pairing,
    "what shows that row i of one set is row i of the other; null where rows are not taken as given or sets "
    "differ in length");
  f.unless_empty("doubt", set.doubt, "why the rows need not be pairs; null where nothing speaks against it");
  f("ratios", set.ratios,
    "with --ratios: the round(ratio n) samples of the smallest norms are shifted, the others clean");
  f("decomposition", set.decomposition, "the parts of log_pa_sum; null without labels");
  f("entropy", set.entropy, "with --summaries: how peaked posteriors are");
  f("confidence", set.confidence, "with --summaries: how sure the model is");
}

static void fields(PaGap& gap, Fields& f) {
  f("shifted", gap.shifted, "the shifted file of the first model under this shift");
  f.unless_empty("shift", gap.shift, "as in the results");
  f("model_plus", gap.model_plus, "has the higher pa at the largest ratio");
  f("model_minus", gap.model_minus, "the other model");
  f("points", gap.points, "at the ratios of model_plus");
}

void fields(PaOptions& options, Fields& f) {
  fields(static_cast<OutputsReading&>(options), f);
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
  f("bootstrap", options.bootstrap, from_to(0, 1e6),
    "bootstrap replicates for the interval of PA, each with its own beta; 0: interval over rows at the best "
    "beta");
  f.choice("pairing", options.pairing, choices_of(agreement::pairings()),
           "how clean and shifted rows are paired");
  f("ratios", options.ratios, share,
    "also compute PA at these shares of shifted samples, smallest `norms` first: 0:1:0.1 or 0,0.5,1");
  f("summaries", options.summaries,
    "also report entropy and confidence of the posteriors at beta = 1 and at the best beta");
  f("shared_beta", options.shared_beta,
    "use the beta of the first shifted set for all sets, as the published program does");
  f("curve", options.curve, from_to(0, 1e6), "number of points of the curve A(beta) in the record");
}

void fields(Pa& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one for each shifted set, model by model, in the order given");
  f("ar_gap", record.ar_gap, "with --ratios and several models: for each shift, each two of them");
}

double PaSet::log_k() const { return std::log(static_cast<double>(agreement.k)); }

}  // namespace leeway::record
