// Average-case robustness: the probability that a prediction survives noise on the input, per sample.
//
//   p_sigma(x) = P(argmax f(x + e) = t),   e ~ noise of standard deviation sigma (noise.h),   t = argmax f(x)
// (Han et al. 2024, definition 1.) t is the clean prediction, never the label; ties go to the lowest class. A
// family: estimators() lists the members; each file in estimators/ has its equation, code and source.
//
// For linear models and Gaussian noise taylor is exact, and so is mmse with two or more centred copies; with
// one copy, or with copies as published, its boundaries are random. The sigmoids and softmax are scores, not
// probabilities. Inputs are not clipped to any range.
// Shapes: n rows of d numbers; p (n) per method and sigma. Noise depends only on seed, row number and draw;
// all sigmas scale the same draw. The classifier gets fixed groups of rows, so results have the same bits for
// any number of threads if the classifier's do.
// Errors (Error): no sigma, a negative or infinite sigma, an unknown method, draws or copies below 1, width,
// temperature, level or alpha out of range, fewer than 2 classes, a method that needs gradients which the
// classifier lacks, logits or gradients that are not finite (with their row; noisy copies included); those of
// mvn_cdf.h. Interrupted.
// Cost: mc M passes per row and sigma; taylor one forward and k backward passes (or one per class that can
// matter) for all sigmas; mmse N times that for each sigma. Memory: at most 64 million gradient values.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "leeway/average_case/mvn_cdf.h"
#include "leeway/average_case/noise.h"
#include "leeway/core/classifier.h"
#include "leeway/core/family.h"
#include "leeway/core/progress.h"

namespace leeway::average_case {

class Evidence;
struct Column;

struct Estimator : Member {
  bool probability = false;  // false: a score, for ranking alone
  bool gradients = false;    // needs them
  bool model = false;        // needs passes of noisy inputs: not to be had from files
  void (*run)(Evidence& evidence, std::size_t sigma, Column& column) = nullptr;
};

[[nodiscard]] std::span<const Estimator> estimators();
[[nodiscard]] const Estimator& estimator(std::string_view name);  // Error that lists the names there are

// Noisy copies of a row for mmse: centred and widened, or independent as in the published estimator.
enum class CopyDraws { centred, as_published };

struct AverageCaseOptions {
  std::vector<std::string_view> methods{};  // empty: all
  std::vector<double> sigmas;
  std::size_t draws = 10'000;  // M, at most, of mc
  double width = 0;  // mc stops at this width of the interval, looked at when draws have doubled; 0: never
  std::size_t copies = 5;  // N, of mmse
  CopyDraws copy_draws = CopyDraws::centred;
  double temperature = 1;  // of softmax
  std::size_t classes =
      0;                // whose gradients are taken, the target's included; 0: all up to 64, beyond that as
                        // many as can matter (what was left out is reported)
  double level = .95;   // of mc's intervals
  double alpha = .001;  // probability that a row's certified radius is wrong, at most
  std::uint64_t seed = 0;
  // Tolerance and cap of the distribution function, p's alone unless said otherwise; its seed and sample are set here.
  MvnOptions mvn{.log_tolerance = std::numeric_limits<double>::infinity()};
  Progress* progress = nullptr;
};

// Largest share of zero gradients at which gradient methods are reliable; sign, rounding and quantized layers
// hide boundaries from them.
inline constexpr double most_zero_gradients = .01;

// One method at one sigma.
struct Column {
  const Estimator* estimator = nullptr;
  double sigma = 0;
  std::vector<double> p;          // (n)
  std::vector<double> low, high;  // (n) of mc; otherwise empty
  std::vector<double>
      error;  // (n) bound on the numerical error of the distribution function; otherwise empty
  std::vector<std::uint32_t> draws;  // (n) of mc; otherwise empty
  std::vector<double> radius;     // (n) certified (certified.h), of mc under Gaussian noise; otherwise empty
  std::size_t not_converged = 0;  // rows whose error is above the tolerance
  std::size_t zero_gradients =
      0;                     // rows without a gradient of any boundary: p says that noise cannot reach one
  double left_out = 0;       // the largest bound on what classes left out could take
  double seconds = 0;        // as if computed alone
  double model_seconds = 0;  // of these, in passes of the classifier
  // Of the passes of the classifier (CallCost); none where it does not tell its cost.
  std::optional<double> flops;
  // Most that arrays take at once for a group of rows (rows_at_once) on one thread: rows, logits, noisy
  // copies, their logits and gradients, and the arrays inside a call of the classifier. Boundaries and the
  // distribution function are not counted.
  std::optional<std::size_t> peak_bytes;
};

struct AverageCase {
  std::vector<std::int32_t> targets;      // (n) t
  std::vector<double> confidence;         // (n) softmax of the target at temperature 1
  std::vector<Column> columns;            // methods in the order asked for, each with all sigmas
  double seconds = 0, model_seconds = 0;  // of everything, evidence shared

  void append(AverageCase other);  // rows after these; the same methods and sigmas
};

// Writes input row i to `out` (d); called from several threads.
using InputRow = std::function<void(std::size_t row, std::span<float> out)>;

// Rows [begin, end) of the inputs. Appending consecutive ranges that begin at multiples of rows_at_once(k)
// gives the same bits as one call. Progress counts forward and backward passes of single inputs and can stop
// them.
[[nodiscard]] std::size_t rows_at_once(std::size_t classes);
[[nodiscard]] AverageCase average_case(const Classifier& classifier, const Noise& noise,
                                       const InputRow& input, std::size_t begin, std::size_t end,
                                       const AverageCaseOptions& options);

// Methods that need no model, from saved outputs: logits (n,k), and Jacobians (n,k,d) or their Gram matrices
// J C J' (n,k,k), float32 or float64. Gram matrices must be symmetric and positive semi-definite to 1e-5 of
// their diagonals (float32 rounding hides boundaries between classes whose gradients differ by less than .1%
// in length).
// Errors (Error): other shapes, values not finite, worse Gram matrices (with row), methods that need a model.
struct MadeElsewhere {
  std::string name;  // of the file, for messages
  Array logits;
  std::optional<Array> jacobian, gram;
};
[[nodiscard]] AverageCase average_case(const MadeElsewhere& files, const Noise& noise,
                                       const AverageCaseOptions& options);

// Convergence of Monte Carlo and MMSE with the number of noisy copies, against p at the largest number.
//
// Draws are the first of a fixed sequence, so each point is the method's result with that many copies.
// Errors: those of average_case. Cost: about 1.5 times that of the largest numbers.
struct ConvergencePoint {
  std::string method;  // "mc", "mmse"
  double sigma = 0;
  std::size_t copies = 0;                   // M or N
  double mean_change = 0, most_change = 0;  // |p - p of the largest number| over samples
};

// Rows [0, n). `draws` and `copies` ascending; either may be empty.
[[nodiscard]] std::vector<ConvergencePoint> convergence(const Classifier& classifier, const Noise& noise,
                                                        const InputRow& input, std::size_t n,
                                                        const AverageCaseOptions& options,
                                                        std::span<const std::size_t> draws,
                                                        std::span<const std::size_t> copies);

}  // namespace leeway::average_case
