// A model that answers differently when it is asked twice about the same images, and was taken all the same (--stochastic).
#pragma once

#include <cstddef>

#include "leeway/record/fields.h"

namespace leeway::record {

struct ModelVariation {
  std::size_t n = 0;
  double largest_difference = 0;
  std::size_t predictions_that_differ = 0;
  bool neighbours = false;
};

void fields(ModelVariation& variation, Fields& f);

}  // namespace leeway::record
