#include "leeway/nn/train/team.h"

#include <omp.h>

namespace leeway::nn {

int openmp_team(int wanted) {
  omp_set_dynamic(0);
  int given = 1;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  given = omp_get_num_threads();
  return given;
}

}  // namespace leeway::nn
