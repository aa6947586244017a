// Parallel loops and sums whose result does not depend on the number of threads: chunks depend only on the
// size of the work, and their results are joined in a fixed order.
//
// TBB runs the chunks; with LEEWAY_STD_THREADS, std::threads started for every loop do, because
// ThreadSanitizer reports false races inside Debian's TBB. The call rethrows the exception of the lowest
// chunk that throws; later chunks may then be skipped.
//
// Cost: a loop of one chunk or one thread is a plain loop. The first loop of a process takes 1 to 2 ms to
// start the threads, later ones about 5 us. Loops may be nested and started from several threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace leeway {

// Threads of later calls in this process, 0 to 4096 (Error otherwise); 0 (default): one per available core.
void set_threads(int count);
[[nodiscard]] int threads();  // at least 1

// body(i) for i in [0, count), in any order, possibly at the same time.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

// The same of body(begin, end) for chunks of `chunk` rows of [0, n).
void parallel_chunks(std::size_t n, std::size_t chunk,
                     const std::function<void(std::size_t begin, std::size_t end)>& body);

// Sum-like reduction over rows [0, n) in chunks of `chunk` rows: map(begin, end) -> T for each, joined
// pairwise in a fixed tree: join(left, right) -> T. The same bits for any number of threads. n = 0 gives T{}.
template <class T, class Map, class Join>
[[nodiscard]] T reduce_chunks(std::size_t n, std::size_t chunk, const Map& map, const Join& join) {
  const std::size_t count = n / chunk + (n % chunk != 0);
  if (count == 0) return T{};
  std::vector<T> parts(count);
  parallel_for(count, [&](std::size_t c) { parts[c] = map(c * chunk, std::min(n, (c + 1) * chunk)); });
  for (std::size_t stride = 1; stride < count; stride *= 2)
    for (std::size_t i = 0; i + stride < count; i += 2 * stride)
      parts[i] = join(std::move(parts[i]), std::move(parts[i + stride]));
  return std::move(parts.front());
}

// The sum of term(i) over [0, n), in chunks of `chunk` rows as above.
template <class T = double, class Term>
[[nodiscard]] T sum_of_rows(std::size_t n, const Term& term, std::size_t chunk = 4096) {
  const auto part = [&](std::size_t begin, std::size_t end) {
    T total{};
    for (std::size_t i = begin; i < end; ++i) total += term(i);
    return total;
  };
  return reduce_chunks<T>(n, chunk, part, std::plus<>());
}

}  // namespace leeway
