// The deformation of elastic-transform with lengths in pixels (corruptions/elastic_transform.cpp has the equations). Not part
// of the library's interface.
#pragma once

#include "leeway/shift/corruption.h"

namespace leeway::shift {

void deform(const CorruptedPicture& picture, double alpha, double sigma, double affine, Random& random);

}  // namespace leeway::shift
