// Counts in a row with their partial sums (a Fenwick tree). Not part of the library's interface.
#pragma once

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace leeway::shift {

// Items stand one after the other, counts[i] of them at place i. Both calls take log n steps.
class RunningCounts {
 public:
  explicit RunningCounts(const std::vector<std::size_t>& counts) : sums_(counts.size() + 1, 0) {
    for (std::size_t node = 1; node < sums_.size(); ++node) {
      sums_[node] += counts[node - 1];
      const std::size_t above = node + lowest_bit(node);
      if (above < sums_.size()) sums_[above] += sums_[node];
    }
  }

  // The place of an item, and how many of the place's own stand before it. The item must be there.
  [[nodiscard]] std::pair<std::size_t, std::size_t> find(std::size_t item) const {
    std::size_t place = 0;
    for (std::size_t step = std::bit_floor(sums_.size() - 1); step > 0; step /= 2)
      if (place + step < sums_.size() && sums_[place + step] <= item) item -= sums_[place += step];
    return {place, item};
  }

  void add_one(std::size_t place) { change(place, 1); }
  void take_one(std::size_t place) { change(place, ~std::size_t{0}); }  // -1

 private:
  static std::size_t lowest_bit(std::size_t i) { return i & (~i + 1); }
  void change(std::size_t place, std::size_t by) {
    for (std::size_t node = place + 1; node < sums_.size(); node += lowest_bit(node)) sums_[node] += by;
  }

  std::vector<std::size_t> sums_;  // sums_[i]: of the lowest_bit(i) places that end with the i-th
};

}  // namespace leeway::shift
