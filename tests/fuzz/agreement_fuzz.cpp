// Posterior agreement of arbitrary logits: an Error, or a certified value within its range.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "leeway/agreement/agreement.h"
#include "tests/fuzz/fuzz.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The bytes as (n,k) logits.
template <class T>
leeway::Array logits(const std::uint8_t* data, std::size_t n, std::size_t k) {
  std::vector<T> values(n * k);
  std::memcpy(values.data(), data, values.size() * sizeof(T));
  return leeway::make_array({n, k}, std::move(values));
}

template <class T>
void check(const std::uint8_t* data, std::size_t size, std::size_t k) {
  const std::size_t n = size / (2 * k * sizeof(T));
  if (n == 0) return;
  const auto clean = logits<T>(data, n, k), shifted = logits<T>(data + n * k * sizeof(T), n, k);
  leeway::agreement::Options options;
  options.max_evaluations = 200;
  const auto result = leeway::agreement::posterior_agreement(clean, shifted, {}, options);
  require(result.pa >= -1e-9 && result.pa <= std::log(static_cast<double>(k)) + 1e-9);
  require(result.beta >= 0 && result.gap >= 0);
  for (const auto& point : result.curve) require(point.value <= result.value + result.gap + 1e-9);
  require(leeway::agreement::agreement_per_row(clean, shifted, result.beta).size() == n);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t k = 2 + data[0] % 20;
  return leeway::fuzz::guarded([&] {  // NaN and infinity are refused
    if (data[1] % 2 == 0)
      check<float>(data + 2, size - 2, k);
    else
      check<double>(data + 2, size - 2, k);
  });
}
