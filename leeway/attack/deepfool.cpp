#include <algorithm>

#include "leeway/attack/detail/nearest_plane.h"
#include "leeway/attack/member.h"

namespace leeway::attack {
namespace {

// Until the prediction changes, x <- x + (1 + overshoot) u, u the shortest move from x to a plane where the
// linearized logits of the class and of one of the most likely others are equal; of these planes the nearest:
//   l2     u = |D| / |g|_2^2 g         D: difference of the two logits, g: its gradient
//   linf   u = |D| / |g|_1 sign(g)
//
// Deviations: u is the shortest move inside the box (the paper has no box); every move is overshot, as in the
// authors' code, instead of their sum at the end; every move aims at a rise of at least
// 1e-6 sum_j |g_j| max(1, |x_j|), since rows on the boundary would stay (the authors' code adds 1e-4 to all).
Attacked run_deepfool(const Problem& problem, const AttackOptions& options) {
  const auto& given = options.parameters;
  const auto steps = static_cast<std::size_t>(given.at("steps")),
             candidates = static_cast<std::size_t>(given.at("candidates"));
  const double factor = 1 + given.at("overshoot");
  const Rivals rivals = likely_rivals(problem, 0, candidates - 1);
  Nearest nearest(problem, options.norm);
  Attacked found{problem.clean};
  Points& x = found.x;
  for (std::size_t step = 0; step < steps; ++step) {
    const Planes planes = nearest_planes(problem, x, rivals, options.norm);
    if (step == 0) found.zero_gradient = zero_rows(planes.normal);
    nearest.offer(x, planes.success);
    if (std::ranges::find(planes.success, std::uint8_t{0}) == planes.success.end()) break;
    for_rows(x, [&](std::size_t i) {
      if (planes.success[i] != 0) return;
      const MutableRow row = x.row(i);
      const std::vector<float> move =
          move_to_plane(row, planes.normal.row(i), planes.rise[i], options.norm, problem.box);
      for (std::size_t j = 0; j < x.d; ++j)
        row[j] = problem.box.clip(j, static_cast<float>(row[j] + factor * move[j]));
    });
  }
  nearest.offer(x, evaluate(problem, x).success);
  x = confirmed(problem, nearest);
  return found;
}

}  // namespace

AttackMember deepfool() {
  return {
      {{"deepfool",
        "minimum-norm attack: steps across the nearest linearized decision boundary",
        "Moosavi-Dezfooli et al., DeepFool: a simple and accurate method to fool deep neural networks, CVPR "
        "2016",
        {{"steps", 50, 1, 1e6, "maximum number of steps", true},
         {"overshoot", .02, 0, 100, "relative extrapolation beyond the boundary"},
         {"candidates", 10, 2, 1e6, "most likely classes whose boundaries are tried", true}}},
       /*minimum_norm=*/true,
       {Norm::linf, Norm::l2}},
      /*gradients=*/true,
      run_deepfool,
      /*parts=*/nullptr,
      /*own_loss=*/true,
      /*leaves=*/true};
}

}  // namespace leeway::attack
