// Dis2: an (almost) provable upper bound on the error of a classifier h on a target without labels.
//
// A critic h' is a linear classifier of a representation (logits, features, leading principal components) that
// agrees with h on the source and disagrees with it on the target as much as it can. With n_S and n_T rows
// that no critic was chosen by its training loss on, and
//   D(h,h') = dis_T(h,h') - dis_S(h,h'),     dis = share of rows on which the two predict differently
// with probability at least 1 - delta, if the assumption D(h,y*) <= D(h,h') holds for the true labeller y*,
//   err_T(h) <= err_S(h) + D(h,h') + sqrt((n_S + 4 n_T) log(1/delta) / (2 n_S n_T))           (Theorem 3.6)
// (paper 004.) Clipped to [0,1]. Reported is the largest D over restarts; every further critic only raises
// the bound. The paper's reference stops at a surrogate loss, whose minimiser can have D near 0 where the
// true maximum is .5; here the optimum of the convex surrogate is only the start of a search on D itself.
//
// Errors (Error): those of check (sample.h), features that are needed and missing, a split without source or
// target rows. Cost: restarts x (quasi-Newton on (n,d) + search on D). Deterministic for a seed, whatever the
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

enum class Loss { disagreement_logistic, d_bat, chuang };
enum class Search {
  maximum,   // optimum of the surrogate, restarts, then a direct search on D
  reference  // the papers' recipe: AdamW, lr 3e-3, weight decay 5e-4, batch 256, 50 epochs; the best D met
};

struct Representation {
  enum class Kind { logits, features, pca } kind = Kind::logits;
  std::size_t components = 0;  // of pca: the leading ones of the source's training features, uncentred
};

struct Dis2Options {
  Representation representation;
  Loss loss = Loss::disagreement_logistic;
  Search search = Search::maximum;
  std::size_t restarts = 30;
  double delta = .01;
  double holdout =
      .5;  // share of both sets on which D and the error are measured; 0: train and measure on all
           // rows, for study
  bool stratified = true;  // the source's split keeps the shares of its labels
  std::uint64_t seed = 0;
  Progress* progress = nullptr;
};

// sqrt terms beside each other; each holds by itself with probability 1 - delta.
struct Concentration {
  std::string_view name;  // "hoeffding", "empirical-bernstein", "betting"
  double term = 0;        // what is added to source_error + discrepancy
  double bound = 0;       // of the error on the target, in [0,1]
};

struct Dis2 {
  double source_error = 0;                            // of h on the source's holdout
  double discrepancy = 0;                             // D on the holdout, the largest over restarts
  double agreement_source = 0, agreement_target = 0;  // of that critic
  double concentration = 0;                           // the root term of Theorem 3.6
  double bound = 0;                                   // their sum, clipped
  double estimate = 0;  // without the root term, clipped: an estimator with a name of its own
  std::size_t n_source = 0, n_target = 0;  // rows measured on
  std::optional<double> validity_score;
  std::vector<Concentration> concentrations;  // Hoeffding first
  std::vector<double> restarts;               // D of every restart
};

[[nodiscard]] Dis2 dis2_bound(const Sample& source, const Sample& target, const Dis2Options& options = {});

// The root term of Theorem 3.6.
[[nodiscard]] double hoeffding_term(std::size_t n_source, std::size_t n_target, double delta);

}  // namespace leeway::error_bound
