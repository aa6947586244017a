#include <cmath>

#include "leeway/tasks/agreement_fields.h"
#include "leeway/tasks/pa/pa.h"

namespace leeway {

static void fields(agreement::Agreement& a, Fields& f) {
  bool shared = !a.fitted;
  std::optional<bool> converged = a.fitted ? std::optional(a.converged) : std::nullopt;
  f("n", a.n, at_least(1), "number of pairs of samples");
  f("k", a.k, at_least(2), "number of classes");
  f("beta", a.beta, at_least(0), "inverse temperature at the maximum");
  f.measured("pa", a.pa, a.pa_interval, {}, "posterior agreement, 0 to log k");
  f("pa_most", a.pa_most, at_least(0),
    "with --prior: largest possible pa, -log of the smallest probability, in place of log k; otherwise null");
  f("pa_normalized", a.pa_normalized, {}, "pa / log k");
  f("log_pa_mean", a.value, {}, "pa - log k");
  f("log_pa_sum", a.log_pa_sum, {}, "n times log_pa_mean");
  f("beta_shared", shared,
    "whether beta was taken from the model's first shifted set (--shared-beta); pa may then be negative");
  f.unless_nan("gap", a.gap, at_least(0),
               "certified gap: no other beta raises the maximum by more than this; null if beta is shared");
  f("converged", converged,
    "false: the tolerance was not reached, and the exit code is 5; null if beta is shared");
  f("evaluations", a.evaluations, "number of evaluations of A over all rows");
  f.measured("afr_pred", a.afr_pred, a.afr_pred_interval, a_share,
             "share of predictions unchanged by the shift");
  f.measured("afr_true", a.afr_true, a.afr_true_interval, a_share,
             "share of shifted samples predicted as their label; null without labels");
  f("asr", a.attack_success, a_share, "1 - afr_true");
  f("curve", a.curve, "A(beta), sorted by beta");
  f("local_maxima", a.local_maxima,
    "local maxima of A(beta) found in the search, including the global one, sorted by beta");
  a.fitted = !shared;
  a.converged = converged.value_or(false);
}

static void fields(agreement::RatioPoint& point, Fields& f) {
  agreement::Agreement& a = point.agreement;
  f("ratio", point.ratio, a_share, "share of the samples that are shifted");
  f("shifted", point.shifted, "number of shifted samples");
  fields_of_maximum(a, f);
  f.measured("afr_true", a.afr_true, a.afr_true_interval, a_share,
             "share of correct predictions; null without labels");
}

static void fields(agreement::EntropyAt& at, Fields& f) {
  f("beta", at.beta, at_least(0), "inverse temperature: 1, or the beta of the result");
  f.unless_nan("clean", at.clean, {}, "entropy, in bits, of the mean sorted clean posterior");
  f.unless_nan("shifted", at.shifted, {}, "entropy, in bits, of the mean sorted shifted posterior");
  f.unless_nan("clean_plain", at.clean_plain, {},
               "entropy, in bits, of the mean unsorted clean posterior (class balance)");
  f.unless_nan("shifted_plain", at.shifted_plain, {},
               "entropy, in bits, of the mean unsorted shifted posterior (class balance)");
}

static void fields(agreement::Entropies& entropies, Fields& f) {
  std::string over = entropies.right_only ? "right" : "all";
  f("samples", entropies.samples, "number of averaged samples");
  f.choice("over", over,
           {{"right", "samples correct before the shift"}, {"all", "all samples, without labels"}},
           "averaged samples");
  f("at", entropies.at, "entropy at beta = 1 and at the beta of the result; null without samples");
  entropies.right_only = over == "right";
}

static void fields(agreement::ConfidenceAt& at, Fields& f) {
  f("beta", at.beta, at_least(0), "inverse temperature: 1, or the beta of the result");
  f.unless_nan("mean", at.mean, a_share, "mean posterior of the predicted class; null for n = 0");
  f.unless_nan("se", at.standard_error, at_least(0), "standard error of the mean; null for n < 2");
}

static void fields(agreement::ConfidenceSummary& summary, Fields& f) {
  f("n", summary.n, "number of samples");
  f("at", summary.at, "confidence at beta = 1 and at the beta of the result");
}

static void fields(agreement::Confidences& confidences, Fields& f) {
  f("clean_right", confidences.clean_right, "correctly predicted clean samples; null without labels");
  f("moved", confidences.moved, "shifted samples whose prediction changes");
}

static void fields(agreement::ArGapPoint& point, Fields& f) {
  f("pa", point.pa, {}, "posterior agreement of both models");
  f("ratio_plus", point.ratio_plus, a_share,
    "smallest ratio at which the pa of model_plus falls to this value");
  f("ratio_minus", point.ratio_minus, a_share,
    "smallest ratio at which the pa of model_minus falls to this value, interpolated linearly; null if it "
    "never does");
  f("gap", point.gap, from_to(-1, 1), "ratio_plus - ratio_minus");
}

}  // namespace leeway

namespace leeway::tasks {

static void fields(PaDecomposition& decomposition, Fields& f) {
  fields(static_cast<agreement::Decomposition&>(decomposition), f);
  f("initial", decomposition.initial, "with --summaries: posteriors of the groups at beta = 1");
  f("optimal", decomposition.optimal, "with --summaries: posteriors of the groups at the beta of the result");
}

static void fields(SuspectRow& one, Fields& f) {
  f("row", one.row, "row of the set, from 0");
  f("label", one.label, "label of the row");
  f("suggested", one.suggested, "label suggested by confident learning; null unless the row is a suspect");
  f("self_confidence", one.self_confidence, a_share, "posterior of the label");
  f("margin", one.margin, from_to(-1, 1), "posterior of the label minus the largest other posterior");
  f("agreement", one.agreement, {}, "log agreement of the pair at the beta of the result");
}

static void fields(PaSuspects& suspects, Fields& f) {
  std::string set = suspects.of_clean ? "clean" : "shifted";
  f.choice("set", set,
           {{"clean", "rows are paired in the given order"}, {"shifted", "rows are paired in another way"}},
           "set whose rows and posteriors are shown");
  f("n", suspects.n, "number of rows with a label");
  f("suspects", suspects.suspects, "number of rows whose confident class differs from the label");
  f("noise_rate", suspects.noise_rate, a_share, "share of wrong labels, estimated from the confident joint");
  f("by_margin", suspects.by_margin, "rows with the lowest margins");
  f("by_agreement", suspects.by_agreement, "rows with the lowest agreement");
  suspects.of_clean = set == "clean";
}

static void fields(PaSet& set, Fields& f) {
  f("shifted", set.shifted, "path of the shifted outputs, as given");
  f.unless_empty("model", set.model, "name of the model; null for a single model");
  f.unless_empty("shift", set.shift,
                 "with several models: name of the shift: the common part of the models' file names, or the "
                 "list of them");
  fields(set.agreement, f);
  f("pairing", set.pairing,
    "evidence that row i is the same sample in both sets; null with another pairing or if the sets differ in "
    "length");
  f.unless_empty("doubt", set.doubt, "why the rows may not be pairs; null if there is no doubt");
  f("ratios", set.ratios,
    "with --ratios: one element per ratio; the round(ratio n) samples with the smallest norms are shifted, "
    "the others clean");
  f("decomposition", set.decomposition, "parts of log_pa_sum; null without labels, and with --prior");
  f("entropy", set.entropy, "with --summaries: entropy of the posteriors");
  f("confidence", set.confidence, "with --summaries: confidence of the posteriors");
  f("suspects", set.suspects, "with --suspects and labels: rows whose label may be wrong");
}

static void fields(PaGap& gap, Fields& f) {
  f("shifted", gap.shifted, "shifted file of the first model under this shift");
  f.unless_empty("shift", gap.shift, "name of the shift, as in the results");
  f("model_plus", gap.model_plus, "model with the higher pa at the largest ratio");
  f("model_minus", gap.model_minus, "the other model");
  f("points", gap.points, "AR gaps at the ratios of model_plus");
}

void fields(PaOptions& options, Fields& f) {
  fields(static_cast<OutputsReading&>(options), f);
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
  f("bootstrap", options.bootstrap, from_to(0, 1e6),
    "bootstrap replicates for the interval of PA, each maximized over beta; 0: interval over rows at the "
    "best beta");
  f.choice("pairing", options.pairing, choices_of(agreement::pairings()),
           "how clean and shifted rows are paired");
  f("prior", options.prior,
    "class prior p(c) of the kernel: uniform (default), labels (their shares), or an .npy file of k numbers");
  f("ratios", options.ratios, a_share,
    "also compute PA at these shares of shifted samples, smallest `norms` first: 0:1:0.1 or 0,0.5,1");
  f("summaries", options.summaries,
    "also report entropy and confidence of the posteriors at beta = 1 and at the best beta");
  f("shared_beta", options.shared_beta,
    "use the beta of the first shifted set for all sets, as the published program does");
  f("suspects", options.suspects, from_to(0, 1e9),
    "list this many rows whose label may be wrong, by confident learning and by agreement (0: off)");
  f("curve", options.curve, from_to(0, 1e6), "number of points of the curve A(beta) in the record");
}

void fields(Pa& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one result for each shifted set, model by model, in the order given");
  f("ar_gap", record.ar_gap,
    "with --ratios and several models: AR gaps for each shift and each pair of models");
}

double PaSet::log_k() const { return agreement.pa_most.value_or(std::log(static_cast<double>(agreement.k))); }

}  // namespace leeway::tasks
