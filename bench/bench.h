// What the benchmarks share: arguments, one JSON object on one line of stdout, seconds and their median.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/result.h"

namespace leeway::bench {

template <class Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n % 2 ? values[n / 2] : .5 * (values[n / 2 - 1] + values[n / 2]);
}

inline double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

class Arguments {
 public:
  Arguments(int count, char** values) : values_(values + 1, values + count) {}
  [[nodiscard]] std::size_t count() const { return values_.size(); }
  [[nodiscard]] const std::string& operator[](std::size_t i) const { return values_[i]; }
  // `otherwise` where there are not as many.
  [[nodiscard]] std::uint64_t number(std::size_t i, std::uint64_t otherwise) const {
    return i < count() ? std::strtoull(values_[i].c_str(), nullptr, 10) : otherwise;
  }

 private:
  std::vector<std::string> values_;
};

// The main function of a benchmark that takes `least` to `most` arguments: prints what `run` makes of them.
template <class Run>
int main_of(const Arguments& arguments, std::size_t least, std::size_t most, const char* usage,
            const Run& run) {
  if (arguments.count() < least || arguments.count() > most) {
    std::cerr << "usage: " << usage << '\n';
    return 2;
  }
  try {
    const Json result = run(arguments);
    std::cout << result.dump() << '\n';
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}

}  // namespace leeway::bench
