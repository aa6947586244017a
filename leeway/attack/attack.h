// Adversarial examples: attacks on any classifier that is given by its logits and one backward pass.
//
// Find x' in [0,1] (rows: any range) that is not predicted as the label (without labels: the clean
// prediction) or, with targets, is predicted as the target. Fixed budget: |x' - x| <= eps; minimum norm:
// smallest |x' - x|. The loss and its gradient with respect to the logits are computed here; the model does one
// forward and one backward pass per step (core/classifier.h).
//
// Use this to measure how a model from any library performs against an adversary. For random noise, use
// average_case/average_case.h.
//
// Cost: a forward and a backward pass per step, and a few passes over the values. Same bits for any number of
// threads, if the classifier gives the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/attack/geometry.h"
#include "leeway/core/classifier.h"
#include "leeway/core/family.h"
#include "leeway/core/progress.h"

namespace leeway::attack {

// The loss to maximize, for logits F and the class y to leave; negated for a target class.
enum class Loss {
  margin,  // m = logsumexp_(j != y) F_j - F_y: the order and the directions of the cross-entropy, without its saturation
  difference,  // max_(j != y) F_j - F_y: positive where y is not predicted; independent of the scale of the logits
  cross_entropy,  // log(1 + e^m): in float32 its gradient is 0 for rows of which the model is sure
  dlr  // difference / (largest F - third largest F), of Croce and Hein, ICML 2020; of two classes `difference`
};
inline constexpr Loss every_loss[] = {Loss::margin, Loss::difference, Loss::cross_entropy, Loss::dlr};
[[nodiscard]] constexpr std::string_view name_of(Loss loss) {
  constexpr std::string_view names[] = {"margin", "difference", "cross-entropy", "dlr"};
  return names[static_cast<std::size_t>(loss)];
}

struct AttackEntry : Member {
  bool minimum_norm = false;     // searches for the nearest x'; otherwise for the worst x' within a radius
  std::vector<Norm> norms;       // supported
  Loss loss = Loss::difference;  // default
};

// Values that pixels take.
enum class Levels { any, eight_bit };  // eight_bit: multiples of 1/255
inline constexpr Levels every_levels[] = {Levels::any, Levels::eight_bit};
[[nodiscard]] constexpr std::string_view name_of(Levels levels) {
  return levels == Levels::any ? "any" : "8bit";
}

struct AttackOptions {
  std::string attack = "pgd";
  Norm norm = Norm::linf;
  // Radius, pixels in [0,1], of the whole image in l2; default 8/255. Only for fixed-budget attacks
  std::optional<double> eps = {};
  std::optional<Loss> loss = {};                  // default: the attack's own
  std::map<std::string, double> parameters = {};  // of the attack, by name; those not named have its defaults
  std::vector<std::int64_t> targets = {};         // the class each row is to be taken for; empty: any other
  // Passes of a randomized model: every step takes the means of logits and gradients over `draws` passes
  // (expectation over transformation: Athalye et al., ICML 2018), and `draws` further passes judge the result
  std::size_t draws = 1;
  std::uint64_t seed = 0;
  Levels levels = Levels::any;  // of images
};
inline constexpr double default_eps = 8. / 255;

[[nodiscard]] std::vector<AttackEntry> entries();  // of the members, in the order of their list

// Fills in all defaults. Errors: an unknown attack, norm or parameter; a value outside its range.
[[nodiscard]] AttackOptions complete(const AttackOptions& options);

// Above this share of rows with a gradient of exactly 0, the attack "noise" runs too.
inline constexpr double most_zero_gradients = .01;

// Above this share of rows with unreliable gradients, an attack by gradients overestimates robustness.
inline constexpr double most_unreliable_gradients = .25;
// The gradient check takes at most this number of evenly spaced rows: at a share of .25 its standard error is .04.
inline constexpr std::size_t checked_rows = 128;

// Shares of rows that withstood the gradient attack alone, and noise alone.
struct BesideNoise {
  double attack_accuracy = 0, noise_accuracy = 0;
};

// Shape of a row as an image, row-major by channel, row and column. All 0: rows without a shape.
struct Picture {
  std::size_t channels = 0, height = 0, width = 0;
};

// What is attacked.
struct Target {
  const Classifier& classifier;
  std::span<const float> x;                              // (n,d)
  std::optional<std::vector<std::int64_t>> labels = {};  // n; none: the predictions on x are attacked
  Box box = {};                                          // [0,1], `anywhere`, or bounds per feature
  std::string name = "rows";                             // of x in messages
  Picture picture = {};                                  // of a row
  // d, 1: the attack may change the feature; empty: all. Members see these features and their gradients alone
  std::vector<std::uint8_t> changeable = {};
  // Members also move between its points; what the model sees and the result holds is a point of it (snap())
  Grid grid = {};
  bool varies =
      false;  // two passes over the same rows may differ, as with noise or dropout in the classifier
};

// The share of rows that withstood an attack of an ensemble and those before it.
struct Stage {
  std::string attack;
  double accuracy = 0;
};

struct AttackResult {
  AttackOptions options;  // with every default filled in
  std::vector<float> x;   // (n,d); the best found: a success before a higher loss, or before a larger norm
  std::vector<std::int64_t> classes;  // the labels, or the predictions that were attacked
  bool labelled = false;              // classes are labels
  // 1: a forward pass over `x` does not predict the class; with targets: predicts the target. With several draws, more than
  // half of the passes decide, here and in right_before
  std::vector<std::uint8_t> success;
  std::vector<double> norms;  // |x' - x|, measured on the stored values; infinity without success
  std::vector<std::uint8_t> right_before;  // 1: the prediction on the clean row is the class
  std::vector<double> right_after;         // share of the passes over `x` that predict the class
  double clean_accuracy = 0;   // share of rows whose clean prediction is the class; of several draws the mean
  double robust_accuracy = 0;  // mean of right_after
  std::vector<double> repeats = {};  // one a draw: these shares on `x`
  // Share of attacked rows with a gradient of exactly 0 at every start; none: the attack uses no gradients. Attacks of
  // minimum norm, apgd and apgd-targeted do not attack rows whose clean prediction is a success
  std::optional<double> zero_gradient = {};
  // Share of rows, of at most checked_rows, where a short step along the gradient raises the loss by less than a tenth of
  // what the gradient predicts, as behind layers that mask gradients. None: the attack asks for no gradients, its radius is
  // 0, or draws differ
  std::optional<double> unreliable_gradient = {};
  std::vector<Stage> stages = {};                // of an ensemble: its attacks in turn
  std::optional<BesideNoise> beside_noise = {};  // then `x` holds the worse of the two, row by row
};

// Attacked rows of one block, for a run that continues after an interruption.
struct FinishedBlock {
  std::vector<std::uint64_t> rows;  // their numbers
  std::vector<float> x;             // as the attack left them
  std::size_t zero_gradients = 0;
};

// Storage of finished blocks. run() takes blocks of an earlier run with the same target and options, and returns the same
// result. Called from several threads at once.
class FinishedBlocks {
 public:
  virtual ~FinishedBlocks() = default;
  // `stage`: number of the attack in an ensemble; 1 also for the noise beside an attack. No value: not finished.
  [[nodiscard]] virtual std::optional<FinishedBlock> find(std::size_t stage, std::uint64_t first_row) = 0;
  virtual void keep(std::size_t stage, const FinishedBlock& block) = 0;
};

// If more than most_zero_gradients of the rows have a gradient of exactly 0 at every start (sign, rounding or
// quantized layers), the robust accuracy of the attack alone is not valid. Then the attack "noise" runs too:
// within the same radius or, for minimum norm, within radii that double from 1/256 of the box. Each row keeps
// the worse result: a success, then the smaller norm.
//
// Errors (Error): those of complete(); not one target class per row; a row without a label; values outside the box
// or off the grid; a picture of another size than a row; those of the classifier. Interrupted after
// Progress::stop_requested(), within a step.
[[nodiscard]] AttackResult run(const Target& target, const AttackOptions& options,
                               Progress* progress = nullptr, FinishedBlocks* finished = nullptr);

}  // namespace leeway::attack
