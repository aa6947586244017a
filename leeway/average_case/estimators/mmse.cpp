// The linear model nearest in mean square to the model under noise (paper 002, definition 3): f and its gradients are
// averaged over N noisy copies x + e_j, the target staying that of x:
//   mmse        Phi_R(z / sigma),   g_i = mean_j (f_t - f_i)(x + e_j),   grad g_i likewise
//   mmse-mvs    the multivariate sigmoid of those
// The noise of N > 1 copies is centred, e_j = sqrt(N / (N - 1)) (draw_j - mean draw), whose covariance is that of a draw:
// independent draws (the paper's) put noise of deviation 1 / sqrt(N) on every z, also for a linear model, which
// centred ones leave exact.
// The Gram matrix is that of the averaged gradients: the average of Gram matrices is larger. Every sigma has passes of
// its own, on the same draws of noise, scaled.
#include "leeway/average_case/evidence.h"

namespace leeway::average_case {

extern const Estimator mmse = {
    .name = "mmse",
    .summary = "probability under the linear model that is nearest under the noise",
    .source = "paper 002, definition 3",
    .probability = true,
    .gradients = true,
    .model = true,
    .run = [](Evidence& evidence, std::size_t sigma,
              Column& column) { from_boundaries(evidence, evidence.averaged(sigma), false, column); },
};

extern const Estimator mmse_mvs = {
    .name = "mmse-mvs",
    .summary =
        "multivariate sigmoid of the linear model that is nearest under the noise: a score for ranking",
    .source = "paper 002, section 3.2.3",
    .probability = false,
    .gradients = true,
    .model = true,
    .run = [](Evidence& evidence, std::size_t sigma,
              Column& column) { from_boundaries(evidence, evidence.averaged(sigma), true, column); },
};

}  // namespace leeway::average_case
