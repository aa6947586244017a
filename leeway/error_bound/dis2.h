// Dis2: an (almost) provable upper bound on the error of a classifier h on an unlabeled target.
//
// A critic h' is a linear classifier on a representation (logits, features, leading principal components), or
// on it and random Fourier features of it (kernel critics), trained to agree with h on the source and to
// disagree on the target. With n_S and n_T held-out rows and
//   D(h,h') = dis_T(h,h') - dis_S(h,h'),     dis = share of rows with different predictions
// with probability at least 1 - delta, if D(h,y*) <= D(h,h') in the population for the true labeler y* and
// one of the critics found (the existence of a better critic is not enough),
//   err_T(h) <= err_S(h) + D(h,h') + sqrt((n_S + 4 n_T) log(1/delta) / (2 n_S n_T))           (Theorem 3.6)
// (Rosenfeld and Garg 2023.) The bound is clipped to [0,1] and uses the largest D over restarts; more critics
// can only raise it. The paper minimizes a surrogate loss, whose minimizer can have D near 0 where the
// maximum is .5, or, with many classes, be far from all critics like h. Here a search on D starts there and
// at h.
//
// Each restart measures several critics (discrepancy_search.h); the first also h itself, if in the class
// (logits), and the best constant, so D >= 0 on logits.
// Errors (Error): those of check (sample.h), missing features, a split without source or target rows, options
// out of range, inputs that critics cannot handle within their limits; Interrupted. Cost: restarts x
// (quasi-Newton on the training rows + search on D). Deterministic for a seed and any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

enum class Loss { disagreement_logistic, d_bat, chuang };
enum class Search {
  maximum,   // descents from the classifier, restarts, then a direct search on D
  reference  // the papers' recipe: AdamW, lr 3e-3, weight decay 5e-4, batch 256, 50 epochs; the best D met
};

struct NamedLoss {
  std::string_view name;
  Loss loss;
};
struct NamedSearch {
  std::string_view name, summary;
  Search search;
};
inline constexpr std::array<NamedLoss, 3> losses{
    {{"disagreement", Loss::disagreement_logistic}, {"d-bat", Loss::d_bat}, {"chuang", Loss::chuang}}};
inline constexpr std::array<NamedSearch, 2> searches{
    {{"maximum", "the largest discrepancy", Search::maximum},
     {"reference", "the papers' AdamW recipe", Search::reference}}};

struct Representation {
  enum class Kind { logits, features, pca } kind = Kind::logits;
  // Of pca: as many leading components of the source's training features, uncentred; 0: d / fraction of them.
  std::size_t components = 0, fraction = 0;
  // Beside linear critics also those on (x, sqrt(2) cos(W x + b)), x the standardized columns: critics of a Gaussian
  // kernel (Rahimi and Recht 2007). b is uniform on [0, 2 pi), W normal; its deviation times sqrt(d) is .5, 1, 2 and
  // 4 in turn. The largest D over both classes counts. Not with Search::reference.
  bool kernel = false;
};
inline constexpr std::size_t kernel_columns = 256;

struct Dis2Options {
  Representation representation;
  Loss loss = Loss::disagreement_logistic;
  Search search = Search::maximum;
  std::size_t restarts = 30;
  double delta = .01;
  double holdout =
      .5;  // share of both sets on which D and the error are measured; 0: train and measure on all
           // rows, for study
  // The source's split keeps the label shares. Held-out rows then depend on training rows, against the proof.
  bool stratified = false;
  // Maximum number of training rows per set, evenly spread; 0: the larger of 65,536 and 64 per parameter of a
  // critic. The bound holds for any choice. No effect if holdout = 0.
  std::size_t most_training = 0;
  std::uint64_t seed = 0;
  Progress* progress = nullptr;
};

// Alternative bounds (concentration.h), each valid with probability 1 - delta; the largest over all critics.
inline constexpr std::array<std::string_view, 3> concentration_names{"hoeffding", "empirical-bernstein",
                                                                     "betting"};
struct Concentration {
  std::string_view name;  // one of concentration_names
  double term = 0;        // what is added to source_error + discrepancy
  double bound = 0;       // of the error on the target, in [0,1]
};

// Corollary E.2, for a target with labels: where
//   err_T(h) <= err_S(h) + D(h,h') - sqrt(2 (n_S + n_T) log(1/delta) / (n_S n_T))
// on the held-out rows, the assumption holds, or an event of probability at most delta happened. The critic
// has the largest D on the training rows: held-out rows choose nothing.
struct Verdict {
  double target_error = 0;  // the left side
  double threshold = 0;     // the right side
  bool holds =
      false;  // left <= right: the assumption holds, or an event of probability delta happened. False says nothing.
};

// The true labels agree with a useful classifier on the source. A critic that agrees on a smaller share says
// little about them: a larger discrepancy may have been missed.
inline constexpr double least_source_agreement = .25;

struct Dis2 {
  double source_error = 0;                            // of h on the source's holdout
  double discrepancy = 0;                             // D on the holdout, the largest over restarts
  double agreement_source = 0, agreement_target = 0;  // of that critic
  double concentration = 0;                           // the root term of Theorem 3.6
  double bound = 0;                                   // their sum, clipped
  double estimate = 0;  // without the root term, clipped: an estimator with a name of its own
  std::size_t n_source = 0, n_target = 0;                // rows measured on
  std::size_t training_source = 0, training_target = 0;  // rows that critics were trained on
  // Of the held-out source agreement per epoch, lowest over restarts (Search::reference), or per quasi-Newton
  // step to the surrogate's optimum (Search::maximum; empty beyond 2^30 rows times parameters). If
  // agreement_source < least_source_agreement, times their ratio: without agreement there is none to lose.
  std::optional<double> validity_score;
  std::vector<Concentration> concentrations;  // Hoeffding first
  std::vector<double> restarts;               // D of every restart, the largest of the critics it met
  std::optional<Verdict> corollary;           // where the target has labels and rows are held out
};

// What the bound assumes of `representation` ("logits", "pca:16", "kernel:logits"), in words.
struct Assumption {
  std::string assumes;  // completes "it is right if ..."
  std::string fails;    // completes "it is too low if ..."
};
[[nodiscard]] Assumption dis2_assumption(std::string_view representation);

// A warning if agreement_source is below least_source_agreement; else empty.
[[nodiscard]] std::string critic_warning(const Dis2& dis2);

// Limits of critics. Their memory is about 120 bytes per parameter (classes x (columns + 1)); their time is that
// of at most about 100 passes per restart, each with 2 products per row and parameter. At the limits on two cores:
// about 1 GB, at most an hour.
inline constexpr std::size_t most_critic_parameters = std::size_t{1} << 23, most_component_features = 8192;
inline constexpr double passes_a_restart = 100, most_critic_products = 1.5e14;

// Why dis2_bound refuses these inputs for their size; empty where it does not.
[[nodiscard]] std::string out_of_reach(const Sample& source, const Sample& target,
                                       const Dis2Options& options);

[[nodiscard]] Dis2 dis2_bound(const Sample& source, const Sample& target, const Dis2Options& options = {});

// a_max / (a_1 + sum over t = 2..t* of |a_t - a_(t-1)|), a_t the agreement after step t, t* the first step of
// a_max (Rosenfeld and Garg 2023, appendix C): 1 if agreement only rises to its maximum, 0 if it stays 0.
[[nodiscard]] double validity_score(std::span<const double> agreements);

// The root term of Theorem 3.6.
[[nodiscard]] double hoeffding_term(std::size_t n_source, std::size_t n_target, double delta);

}  // namespace leeway::error_bound
