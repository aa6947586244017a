// The papers' own recipe for a critic, for comparison with the search on D.
//
// AdamW (step 3e-3, decays .9 and .999, weight decay 5e-4 of all parameters, decoupled) on batches of 256
// source and 256 target rows, 50 epochs, from U(-1/sqrt d, 1/sqrt d), on columns as the files hold them. Both
// sets are shuffled every epoch; the shorter one starts again until the longer one is through.
// Deterministic for a seed. Cost: 50 passes over the rows.
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
