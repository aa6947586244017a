// Corruption error of a model over the common corruptions (shift.h), relative to a reference.
//
// With E_sc the error under corruption c at severity s, E_clean the error on clean images, R those of the
// reference:
//   CE_c = sum_s E_sc / sum_s R_sc,    relative CE_c = sum_s (E_sc - E_clean) / sum_s (R_sc - R_clean);
// mCE and relative mCE are means over the benchmark's 15 corruptions, without the extra four (Hendrycks and
// Dietterich, ICLR 2019, section 4.1). All of these are times 100, as is common in the field (100: as many
// errors as the reference). Without a reference, only the mean error over corruptions and severities is
// available.
//
// Intervals treat the image as the unit, since its errors under 75 corruptions are dependent: with t_ic the
// number of severities at which image i is wrong under c, CE_c is the mean over images of t_ic / sum_s R_sc;
// mCE and the relative values likewise. These are means of bounded variables of independent images
// (bounded_mean.h). The reference's errors count as constants.
//
// Errors (Error): no corruption, one without severities or twice, different numbers of images, no images,
// more wrong severities than exist. Cost: one pass over the counts per corruption. Deterministic.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/numbers.h"

namespace leeway::shift {

// What one model gets wrong under one corruption.
struct CorruptionMistakes {
  std::string corruption;
  bool of_benchmark = true;             // one of the 15
  std::vector<std::size_t> severities;  // that were run, from 1 to 5
  std::vector<std::uint8_t> wrong;      // (n) at how many of them
};

struct ReferenceErrors {
  std::string name;
  std::optional<double> clean;
  // By corruption, at severities 1 to 5; none: not known.
  std::map<std::string, std::array<std::optional<double>, 5>> corruptions;
};

// AlexNet's on ImageNet-C, by which the field divides: errors and the clean error .43478 of the benchmark's authors.
[[nodiscard]] const ReferenceErrors& alexnet_errors();

struct CorruptionError {
  std::string corruption;
  bool of_benchmark = true;
  Measured error;                         // mean over severities
  std::optional<double> reference_error;  // likewise; none where the reference lacks one of these severities
  Measured ce;                            // none without a reference error above 0
  Measured relative_ce;                   // none where the reference is no worse than on clean images
};

struct CorruptionErrors {
  std::vector<CorruptionError> corruptions;  // as given
  std::size_t counted = 0;                   // of the benchmark's: what the means are over
  Measured mean_error;                       // without a reference's help; none where counted is 0
  Measured mce, relative_mce;                // where every one that counts has a CE
};

// `clean_wrong`: (n) 1 where the image as it is is misjudged; empty: not known, or of other images.
[[nodiscard]] CorruptionErrors corruption_errors(const std::vector<CorruptionMistakes>& mistakes,
                                                 const std::vector<std::uint8_t>& clean_wrong,
                                                 const ReferenceErrors* reference, double level = .95);

}  // namespace leeway::shift
