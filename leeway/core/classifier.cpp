#include "leeway/core/classifier.h"

#include <algorithm>

#include "leeway/core/parallel.h"

namespace leeway {

std::vector<float> class_gradients(const Linearized& here, std::size_t k,
                                   std::span<const std::int32_t> classes) {
  const std::size_t n = here.logits.size() / k, m = classes.empty() ? k : classes.size() / n;
  std::vector<float> all;
  for (std::size_t first = 0; first < m; first += here.cotangents_at_once) {
    const std::size_t count = std::min(here.cotangents_at_once, m - first);
    std::vector<float> ones(n * count * k);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        const std::size_t place = first + j;
        ones[(i * count + j) * k +
             (classes.empty() ? place : static_cast<std::size_t>(classes[i * m + place]))] = 1;
      }
    std::vector<float> some = here.vjp(ones);
    if (count == m) return some;
    const std::size_t width = some.size() / n, d = width / count;
    all.resize(n * m * d);
    for (std::size_t i = 0; i < n; ++i)
      std::copy_n(some.data() + i * width, width, all.data() + (i * m + first) * d);
  }
  return all;
}

void for_blocks(const Classifier& classifier, std::size_t n, std::size_t passes,
                const std::function<void(std::size_t begin, std::size_t end)>& body) {
  const std::size_t most = std::max<std::size_t>(1, classifier.rows_at_once / passes),
                    block = classifier.reentrant && n < 2 * most ? (most + 1) / 2 : most;
  if (classifier.reentrant) return parallel_chunks(n, block, body);
  for (std::size_t begin = 0; begin < n; begin += block) body(begin, std::min(n, begin + block));
}

}  // namespace leeway
