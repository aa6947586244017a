// Average-case robustness: the probability that a prediction survives noise on the input, sample by sample.
//
//   p_sigma(x) = P(argmax f(x + e) = t),   e ~ noise of standard deviation sigma (noise.h),   t = argmax f(x)
//
// (Han et al. 2024, definition 1.) t is the model's own clean prediction, never the label; ties go to the lowest class.
// A family: this header is its interface, estimators() the visible list of members, and a file in estimators/ holds an equation
// with its variants, the code and the source.
//
// For linear models and Gaussian noise taylor is exact, and so is mmse with two centred copies or more; with one, or with
// copies as published, chance moves its boundaries. The sigmoids and softmax are no probabilities for any model. Inputs
// are not clipped to any range.
//
// Shapes: n rows of d numbers; p (n) for every method and sigma. Noise is keyed by seed, the row's number and the draw:
// neither batches nor threads nor the other rows change it, and all sigmas share one draw (scaled). Passes go through
// the classifier in fixed groups of rows, so results have the same bits for any number of threads if the classifier's do.
// Errors (Error): sigma that is negative or not finite, no sigma, an unknown method, draws or copies below 1, a width,
// temperature or level out of range, fewer than 2 classes, a method whose gradients the classifier has not, logits or
// gradients that are not finite (with their row), of noisy copies too; those of mvn_cdf.h. Interrupted.
// Cost: mc M passes a row and sigma; taylor one pass and k backward ones (or as many as classes can matter), for all
// sigmas; mmse N times that for every sigma. Memory: gradients of at most 64 million numbers at a time.
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
      0;               // whose gradients are taken, the target's included; 0: all up to 64, beyond that as
                       // many as can matter (what was left out is reported)
  double level = .95;  // of mc's intervals
  std::uint64_t seed = 0;
  // Tolerance and cap of the distribution function, p's alone unless said otherwise; its seed and sample are set here.
  MvnOptions mvn{.log_tolerance = std::numeric_limits<double>::infinity()};
  Progress* progress = nullptr;
};

// Share of rows without gradients above which a method that needs them is not to be believed: sign, rounding and quantised
// layers hide their boundaries from it.
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
  std::size_t not_converged = 0;     // rows whose error is above the tolerance
  std::size_t zero_gradients =
      0;                     // rows without a gradient of any boundary: p says that noise cannot reach one
  double left_out = 0;       // the largest bound on what classes left out could take
  double seconds = 0;        // as if computed alone
  double model_seconds = 0;  // of these, in passes of the classifier
};

struct AverageCase {
  std::vector<std::int32_t> targets;      // (n) t
  std::vector<double> confidence;         // (n) softmax of the target at temperature 1
  std::vector<Column> columns;            // methods in the order asked for, each with all sigmas
  double seconds = 0, model_seconds = 0;  // of everything, evidence shared

  void append(AverageCase other);  // rows after these; the same methods and sigmas
};

// Row i of the inputs into `out` (d); called from several threads.
using InputRow = std::function<void(std::size_t row, std::span<float> out)>;

// Rows [begin, end) of the inputs. Results of consecutive ranges that begin at multiples of rows_at_once(k) can be
// appended to those of all rows, to the bit. Progress counts passes of single inputs, forward or backward, as far as
// they can be foreseen; it is asked between passes whether to stop.
[[nodiscard]] std::size_t rows_at_once(std::size_t classes);
[[nodiscard]] AverageCase average_case(const Classifier& classifier, const Noise& noise,
                                       const InputRow& input, std::size_t begin, std::size_t end,
                                       const AverageCaseOptions& options);

// The methods that need no model, from its outputs made elsewhere: logits (n,k), and Jacobians (n,k,d) or their Gram
// matrices J C J' (n,k,k), float32 or float64. Gram matrices may miss being symmetric and positive semi-definite by 1e-5
// of their diagonals, as float32 leaves them; a boundary between classes whose gradients differ by less than a thousandth
// of their length is lost in that rounding. Errors (Error): other shapes, values that are not finite, Gram matrices that
// miss it by more (with their row), a method that needs a model.
struct MadeElsewhere {
  std::string name;  // of the file, for messages
  Array logits;
  std::optional<Array> jacobian, gram;
};
[[nodiscard]] AverageCase average_case(const MadeElsewhere& files, const Noise& noise,
                                       const AverageCaseOptions& options);

}  // namespace leeway::average_case
