// Corruption errors: one number for a model over the common corruptions (corruption.h), relative to a reference's.
//
// With E_sc the share of wrong images under corruption c at severity s, E_clean that of the images as they are, R the
// same of a reference:
//   CE_c = sum_s E_sc / sum_s R_sc,    relative CE_c = sum_s (E_sc - E_clean) / sum_s (R_sc - R_clean),
//   mCE and relative mCE: their means over the 15 corruptions of the benchmark, never the extra four
// (Hendrycks and Dietterich, ICLR 2019, section 4.1). Here they are ratios: 1 is as wrong as the reference; the
// field prints them times 100. Without a reference the mean error over corruptions and severities is all there is.
//
// Intervals. The errors of one image under 75 corruptions are dependent, so the image is what is drawn: with t_ic the
// number of severities at which image i is wrong under c, CE_c is the mean over images of t_ic / sum_s R_sc, mCE the
// mean of these means over c, and likewise the relative ones. Each is the mean of a bounded variable of independent
// images, with the interval of bounded_mean.h. The reference's errors count as given numbers.
//
// Errors (Error): no corruption, one without severities or twice, numbers of images that differ, of none, more wrong
// severities than there are. Cost: one pass over the counts a corruption. Deterministic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/statistics.h"

namespace leeway::shift {

// What one model gets wrong under one corruption.
struct CorruptionMistakes {
  std::string corruption;
  bool of_benchmark = true;             // one of the 15
  std::vector<std::size_t> severities;  // that were run, from 1 to 5
  std::vector<std::uint8_t> wrong;      // (n) at how many of them
};

struct ReferenceErrors {
  struct OfCorruption {
    std::string corruption;
    std::array<std::optional<double>, 5> errors;  // at severities 1 to 5; none: not known
  };
  std::string name;
  std::optional<double> clean;
  std::vector<OfCorruption> corruptions;
};

// AlexNet's on ImageNet-C, by which the field divides: errors and the clean error .43478 of the benchmark's authors.
[[nodiscard]] const ReferenceErrors& alexnet_errors();

struct Estimate {
  double value = 0;
  Interval interval;
};

struct CorruptionError {
  std::string corruption;
  bool of_benchmark = true;
  Estimate error;                         // mean over severities
  std::optional<double> reference_error;  // likewise; none where the reference lacks one of these severities
  std::optional<Estimate> ce;
  std::optional<Estimate> relative_ce;  // none where the reference is no worse than on clean images
};

struct CorruptionErrors {
  std::vector<CorruptionError> corruptions;   // as given
  std::size_t counted = 0;                    // of the benchmark's: what the means are over
  std::optional<Estimate> mean_error;         // without a reference's help; none where counted is 0
  std::optional<Estimate> mce, relative_mce;  // where every one that counts has a CE
};

// `clean_wrong`: (n) 1 where the image as it is is misjudged; empty: not known, or of other images.
[[nodiscard]] CorruptionErrors corruption_errors(const std::vector<CorruptionMistakes>& mistakes,
                                                 const std::vector<std::uint8_t>& clean_wrong,
                                                 const ReferenceErrors* reference, double level = .95);

}  // namespace leeway::shift
