// How a target's outputs differ from the source's: through another mix of classes, and beyond such a mix.
//
// A cell is a predicted class and a third of its margins (largest minus second largest logit; thirds of the source's
// rows of that prediction, or of all rows where it has fewer than 6). With D_cj the share of the source's rows of label
// j in cell c and q_c the target's share, the mix w >= 0, sum w = 1, maximizes sum_c q_c log (D w)_c (Saerens, Latinne
// and Decaestecker 2002, on cells). Each column of D is smoothed by two rows: a share of them, the source's error or half a
// row's, is spread as all predictions are, the rest is right.
//
// Margins are compared by the Kolmogorov-Smirnov distance, each source row of label j weighted by w_j over the label's
// share. It is evaluated at the target's margins, and if there are more than 2,000, at as many quantiles (error up to
// 1/2000).
// Errors: none; the samples are checked (sample.h). Cost: sorting the margins, 300 passes over the cells that occur.
// Deterministic for any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "leeway/error_bound/confidence.h"
#include "leeway/error_bound/sample.h"

namespace leeway::error_bound {

struct Movement {
  double mix_error = 0;       // error of the source's labels in the fitted mix
  double misfit = 0;          // total variation between the target's cells and the mix's
  double misfit_noise = 0;    // what sampling alone would make of it
  double distance = 0;        // of the margins, source rows weighted
  double least_distance = 0;  // the least over factors of the source's margins, e^-2 to e^2
  double log_factor = 0;      // the logarithm of that factor
  bool margins_moved =
      false;  // distance is beyond the Kolmogorov-Smirnov test's limit at 10%, 1.224 sqrt(1/n_S + 1/n_T)

  // No other mix of the source's classes explains how the outputs moved. Constants: the tuning half of docs/studies/answers.md.
  [[nodiscard]] bool beyond_mix() const { return misfit > .01 + 1.3 * misfit_noise; }
};

// What the source says, for many targets.
class OutputProfile {
 public:
  // `labels`: of the rows of `source`, 0..k-1.
  OutputProfile(const Scores& source, std::span<const std::int64_t> labels, std::size_t k);

  [[nodiscard]] Movement movement(const Scores& target) const;

 private:
  struct Mix;
  struct Entry {
    std::size_t cell, label;
    double rows;
  };

  [[nodiscard]] std::size_t cell_of(std::int32_t predicted, double margin) const;
  [[nodiscard]] Mix fitted(std::span<const double> target) const;
  void add_misfit(Movement& found, const Mix& mix, std::span<const double> target, double target_rows) const;
  void add_distances(Movement& found, const Mix& mix, std::vector<double> margins) const;
  [[nodiscard]] std::vector<double> cells_of(std::span<const double> rows_by_label) const;

  std::size_t k_;
  double n_, error_ = 0, spread_ = 0, norm_ = 1;  // of the smoothing columns, their sum
  std::vector<double> low_, high_;                // thirds of the margins, by predicted class
  std::vector<double> labels_, wrong_;            // rows of each label; those that are predicted wrong
  std::vector<double> predicted_, thirds_;        // shares of predictions (at least one row) and of thirds
  std::vector<Entry> entries_;                    // rows of each label in each cell, where there are any
  std::vector<double> margins_;                   // ascending
  std::vector<std::int32_t> margin_labels_;       // of the same rows
};

// What COT's constraint on the class shares costs where nothing moved. A finite sample never has the class shares of
// another one, so this excess over confidence is positive: about .1 for 1,000 rows of 100 classes.
//
//   excess = cost(n_T rows of the source -> max(0, m + mean of p over n_S rows - mean of p)) - (1 - mean confidence
//   of the n_T rows)
// over 6 to 400 draws of both sets of rows with replacement; m are the source's label shares, p its softmax, and masses
// are rounded to whole rows. Given the rows, m varies already, so that labels are not drawn anew. Draws understate the
// excess where classes have few rows or none; a factor corrects that (movement.cpp).
// A set of more than 1e5 / k rows (from 500 to 20,000) is represented by a part of it, and noise is scaled by the root
// of the sizes.
// Shapes: source (n_S,k), labeled. Errors: none; the sample is checked (sample.h). Cost: 6 transports (transport.h) of
// these rows, more if they are few. Deterministic for any number of threads.

struct SelfTransport {
  double excess = 0, deviation = 0;  // mean and standard deviation over draws
};

[[nodiscard]] SelfTransport self_transport(const Sample& source, double inverse_temperature,
                                           std::size_t target_rows);

}  // namespace leeway::error_bound
