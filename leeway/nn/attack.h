// Options and results of attacks (Model::attack in model.h). No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/family.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"

namespace leeway::nn {

// Norm of x' - x; l0 counts changed values, each channel of a pixel separately.
enum class Norm { linf, l2, l1, l0 };
inline constexpr Norm every_norm[] = {Norm::linf, Norm::l2, Norm::l1, Norm::l0};
[[nodiscard]] constexpr std::string_view name_of(Norm norm) {
  constexpr std::string_view names[] = {"linf", "l2", "l1", "l0"};
  return names[static_cast<std::size_t>(norm)];
}

// The loss to maximize, for logits F and the class y to leave; negated for a target class.
enum class Loss {
  margin,  // m = logsumexp_(j != y) F_j - F_y: the order and the directions of the cross-entropy, without its saturation
  difference,  // max_(j != y) F_j - F_y: positive where y is not predicted; independent of the scale of the logits
  cross_entropy  // log(1 + e^m): in float32 its gradient is 0 for rows of which the model is sure
};
inline constexpr Loss every_loss[] = {Loss::margin, Loss::difference, Loss::cross_entropy};
[[nodiscard]] constexpr std::string_view name_of(Loss loss) {
  constexpr std::string_view names[] = {"margin", "difference", "cross-entropy"};
  return names[static_cast<std::size_t>(loss)];
}

struct AttackEntry : Member {
  bool minimum_norm = false;     // it looks for the nearest x'; otherwise for the worst within a radius
  std::vector<Norm> norms;       // that it knows
  Loss loss = Loss::difference;  // its own, where none is asked for
};

// Find x' in [0,1] (rows: any range) that is not predicted as the label (without labels: the clean
// prediction) or, with targets, is predicted as the target. Fixed budget: |x' - x| <= eps; minimum norm:
// smallest |x' - x|.
struct AttackOptions {
  std::string attack = "pgd";
  Norm norm = Norm::linf;
  std::optional<double> eps =
      {};  // radius, pixels in [0,1], of the whole image in l2; default 8/255. A budget's alone
  std::optional<Loss> loss = {};                  // default: the attack's own
  std::map<std::string, double> parameters = {};  // of the attack, by name; those not named have its defaults
  std::vector<std::int64_t> targets = {};         // the class each image is to be taken for; empty: any other
  std::uint64_t seed = 0;
};
inline constexpr double default_eps = 8. / 255;

// Above this share of rows with a gradient of exactly 0, the attack "noise" runs too.
inline constexpr double most_zero_gradients = .01;

// Above this share of rows with unreliable gradients, an attack by gradients overestimates robustness.
inline constexpr double most_unreliable_gradients = .25;

// Shares of rows that withstood the gradient attack alone, and noise alone.
struct BesideNoise {
  double attack_accuracy = 0, noise_accuracy = 0;
};

struct AttackResult {
  AttackOptions options;  // with every default filled in
  Images
      images;  // float32, all rows in order; the best found: a success before a higher loss, or before a larger norm
  Outputs outputs;                    // of `images`: a fresh pass over the stored pixels
  std::vector<std::int64_t> classes;  // the labels, or the predictions that were attacked
  bool labelled = false;              // classes are labels
  std::vector<std::uint8_t>
      success;  // 1: the fresh pass does not predict the class; with targets: predicts the target
  std::vector<double> norms;   // |x' - x|, measured on the stored pixels; infinity without success
  double clean_accuracy = 0;   // share of rows whose clean prediction is the class
  double robust_accuracy = 0;  // share of rows whose prediction on `images` is the class
  // Share of rows with a gradient of exactly 0 at every start; none: the attack uses no gradients
  std::optional<double> zero_gradient = {};
  // Share of rows where a short step along the gradient raises the loss by less than a tenth of what the gradient predicts, as
  // behind layers that mask gradients. None: the attack asks for no gradients, or its radius is 0
  std::optional<double> unreliable_gradient = {};
  std::optional<BesideNoise> beside_noise = {};  // then `images` holds the worse of the two, row by row
};

}  // namespace leeway::nn
