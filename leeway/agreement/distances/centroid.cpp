// max_c |mean_i u_ic - mean_i v_ic|: the l_inf distance of the centroids (Jiménez Rodríguez 2024, section 4.2.2).
#include <algorithm>
#include <cmath>

#include "leeway/agreement/distances/detail/family.h"

namespace leeway::agreement {

Distance centroid() {
  return {{"centroid", "largest difference between the mean features of the two sets",
           "Jiménez Rodríguez 2024, section 4.2.2"},
          Compared::features,
          /*paired=*/false,
          [](const MatrixPair& sets, Progress*) {
            const std::vector<double> u = column_means(sets.clean), v = column_means(sets.shifted);
            double largest = 0;
            for (std::size_t c = 0; c < u.size(); ++c) largest = std::max(largest, std::abs(u[c] - v[c]));
            return largest;
          }};
}

}  // namespace leeway::agreement
