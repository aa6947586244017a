// A record of schema "leeway.pa/1" as the page uses it: typed and checked.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "leeway/report/record.h"

namespace leeway::report {

// A clean set of which the share `ratio` is shifted, against the clean set.
struct PaRatio {
  double ratio = 0;
  std::optional<std::size_t> shifted;  // samples
  Measured pa, afr_pred, afr_true;
  std::optional<double> beta;
};

// A group of the decomposition: what its samples add to the sum of agreement.
struct PaGroup {
  std::string key;  // "err", "mis", "adv" or "rest"
  std::size_t n = 0;
  std::optional<double> sum, delta, approximation;
};

// Mean confidence of some samples when the scores are read at beta.
struct PaConfidence {
  double beta = 0;
  std::optional<double> mean, error;
};

// Entropy of the posteriors in bits, of rows sorted before they are averaged, and of rows as they are.
struct PaEntropy {
  double beta = 0;
  std::optional<double> clean, shifted, clean_plain, shifted_plain;
};

struct PaResult {
  std::string model, shifted;  // shifted: what the shift is called
  std::string file, doubt;     // doubt: why its rows need not be those of the clean set
  std::size_t n = 0, k = 2;
  Measured pa, afr_pred, afr_true;
  std::optional<double> beta, gap;
  std::vector<Point> curve, local_maxima;
  std::vector<PaRatio> ratios;
  std::vector<PaGroup> groups;
  std::vector<PaEntropy> entropy;
  std::size_t entropy_samples = 0, clean_right_n = 0, moved_n = 0;
  bool entropy_of_right = false;  // of the samples predicted right alone
  std::vector<PaConfidence> clean_right, moved;

  [[nodiscard]] double log_k() const;
  // What the shift is called where the file's name has it, or the file: models may have files of other names.
  [[nodiscard]] const std::string& name() const;
};

// Where two models agree with themselves equally: `plus` with the share ratio_plus shifted, `minus` with
// ratio_minus.
struct PaRatioGap {
  struct At {
    double pa = 0, ratio_plus = 0, ratio_minus = 0;
  };
  std::string shifted, plus, minus;
  std::vector<At> points;

  // The point of the largest ratio_plus: how far the steadier model goes.
  [[nodiscard]] const At* furthest() const;
};

struct PaRecord {
  Envelope envelope;
  std::vector<std::string> models, shifted;  // in the order of the results; one model has the name ""
  std::vector<PaResult> results;
  std::vector<PaRatioGap> gaps;

  [[nodiscard]] std::size_t slot(const PaResult& result) const;  // of its model's colour
  [[nodiscard]] const PaResult* find(const std::string& model, const std::string& shifted_set) const;
};

// "cnn under pgd.npz", or without the model where there is only one.
[[nodiscard]] std::string subject(const PaRecord& record, const PaResult& result);

// Errors (Error): a value of another type than docs/schema/pa.json says (named by its path in the record),
// no results.
[[nodiscard]] PaRecord read_pa(const Json& record, const std::string& name);

}  // namespace leeway::report
