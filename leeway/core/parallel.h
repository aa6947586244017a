// Parallel loops and sums whose result does not depend on the number of threads.
//
// Work is cut into chunks by its own size, never by the number of threads; the chunks' results are joined in
// one fixed order. TBB runs the chunks; with LEEWAY_STD_THREADS, threads started for every loop do, because
// ThreadSanitizer reports races inside Debian's TBB that are none.
//
// An exception thrown by a chunk is thrown again by the call: that of the lowest chunk that throws, so it
// does not depend on threads either. Later chunks may then be left out.
//
// Cost: a loop of one chunk, or with one thread, is a plain loop. The first loop of a process starts the
// threads, 1 to 2 ms; later ones take some 5 us. A loop inside a loop is legal, and loops may be started from
// several threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace leeway {

// Number of threads used by later calls, for the whole process; 0 = one per core this process may use (the
// start value). Throws Error below 0 and above 4096.
void set_threads(int count);
[[nodiscard]] int threads();  // at least 1

// body(i) for i in [0, count), in any order, possibly at the same time.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

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

}  // namespace leeway
