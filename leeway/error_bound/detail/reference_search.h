// The papers' own recipe for a critic, for comparison with the search on D. AdamW (learning rate 3e-3, betas
// .9 and .999, decoupled weight decay 5e-4 of all parameters), batches of 256 source and 256 target rows, 50
// epochs, initialized from U(-1/sqrt d, 1/sqrt d), on unscaled columns. Both sets are shuffled every epoch;
// the shorter one repeats until the longer one ends. Deterministic for a seed. Cost: 50 passes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "leeway/error_bound/detail/critic.h"
#include "leeway/error_bound/dis2.h"

namespace leeway::error_bound {

// Calls `watch` with the parameters after every epoch.
void train_reference(const CriticRows& rows, Loss loss, std::uint64_t seed, std::size_t restart,
                     const std::function<void(std::span<const float>)>& watch);

}  // namespace leeway::error_bound
