// Records of posterior agreement for tests, with every key that a run fills.
#pragma once

#include <cmath>
#include <string>

#include "leeway/tasks/pa/pa.h"

namespace leeway::tasks::test {

// n = 1000, k = 10; numbers made up.
inline agreement::Agreement agreement_of(double pa) {
  agreement::Agreement a;
  a.n = 1000, a.k = 10;
  a.beta = 1.5, a.pa = pa, a.pa_interval = {pa, pa}, a.value = pa - std::log(10);
  a.gap = 4e-10, a.converged = true, a.evaluations = 11;
  a.afr_pred = .7, a.afr_pred_interval = {.67, .73};
  return a;
}

inline PaSet set_of(const std::string& shifted, double pa = 1.2) {
  PaSet set;
  set.shifted = shifted;
  set.agreement = agreement_of(pa);
  return set;
}

// One shifted set, nothing but what is always there.
inline Pa bare_pa(const std::string& shifted = "noise.npy") {
  Pa record;
  record.envelope.command = {"leeway", "pa"};
  record.envelope.instruction_set = "baseline";
  record.results = {set_of(shifted)};
  return record;
}

// Two models under one shift, with ratios, groups, entropies and confidences.
inline Pa full_pa() {
  Pa record = bare_pa("a/noise.npz");
  record.envelope.inputs = {{"a/clean.npz", 80256, {1000, 10}, "0123456789abcdef0123456789abcdef"}};
  record.envelope.warnings = {"a/noise.npz: no norms: its rows are shifted in file order"};
  record.options.ratios = {0, 1};
  record.options.as = "logits";
  record.results.push_back(set_of("b/noise.npz", .8));
  for (PaSet& set : record.results) {
    set.model = set.shifted.substr(0, 1);
    set.shift = "noise";
    agreement::Agreement& a = set.agreement;
    a.afr_true = .6, a.afr_true_interval = Interval{.57, .63}, a.attack_success = .4;
    a.curve = {{0, -2.3}, {1.5, a.value}, {HUGE_VAL, -HUGE_VAL}};
    a.local_maxima = {{1.5, a.value}};
    set.ratios = {{0, 0, agreement_of(std::log(10))}, {1, 1000, a}};
    set.pairing = agreement::PairEvidence{agreement::EvidenceBy::labels, 1e-300, "their labels are equal"};
    set.decomposition.emplace();
    set.decomposition->groups = {{{"err", 600, -100, .07, -110.},
                                  {"mis", 50, -20, .2, {}},
                                  {"adv", 250, -900, .55, {}},
                                  {"rest", 100, -80, {}, {}}}};
    set.entropy = agreement::Entropies{880, true, {{1, .3, .9, 3.3, 2.8}, {1.5, .6, NAN, NAN, NAN}}};
    set.confidence =
        agreement::Confidences{agreement::ConfidenceSummary{880, {{1, .94, .001}, {1.5, .87, .002}}},
                               {300, {{1, .89, .004}, {1.5, NAN, NAN}}}};
  }
  record.results[1].pairing =
      agreement::PairEvidence{agreement::EvidenceBy::none, .4, "predictions disagree"};
  record.results[1].doubt = "rows of b/noise.npz need not be those of b/clean.npz";
  record.results[1].agreement.fitted = false;
  record.results[1].agreement.gap = NAN;
  record.results[1].agreement.converged = false;
  record.ar_gap = {{"a/noise.npz", "noise", "a", "b", {{1.2, .5, .25, .25}, {.9, 1, {}, {}}}}};
  record.envelope.headline = headline_of(record);
  record.envelope.findings = findings_of(record);
  return record;
}

}  // namespace leeway::tasks::test
