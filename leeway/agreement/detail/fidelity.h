// The part of an Agreement that needs no beta: how many predictions the shift leaves as they were, and how many right.
//
//   AFR(P) = mean[argmax F'' = argmax F'],  AFR(T) = mean[argmax F'' = y],  ASR = 1 - AFR(T)
//
// (Jiménez Rodríguez 2024, section 4.2)
// with Clopper-Pearson intervals. Not part of the library's interface. Errors (Error): a level outside (0,1).
#pragma once

#include "leeway/agreement/agreement.h"
#include "leeway/agreement/detail/prepare.h"

namespace leeway::agreement {

// `result`, whose n is set, with the counts of `facts`; AFR(T) only where there are labels.
[[nodiscard]] Agreement with_fidelity(Agreement result, const Facts& facts, bool labelled, double level);

}  // namespace leeway::agreement
