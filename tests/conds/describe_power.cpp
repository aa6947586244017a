// Prints how often describe finds planted shifts, and others: describe_power [TABLES] [nolabel] (docs/studies/describe-power.md).
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "leeway/core/statistics.h"
#include "tests/conds/planted_shifts.h"

namespace {

using namespace leeway::conds;

void print(const char* name, double strength, std::size_t n, std::size_t hits, const Found& found) {
  const auto share = [&](std::size_t count) {
    const auto interval = leeway::wilson(count, found.tables);
    std::printf("  %.3f [%.3f, %.3f]", static_cast<double>(count) / static_cast<double>(found.tables),
                interval.low, interval.high);
  };
  std::printf("%-9s %8.3f %6zu", name, strength, n);
  share(hits);
  share(found.elsewhere);
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t tables = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200;
  std::printf("%zu random tables each, level .95, Holm over all tests of a table\n", tables);
  std::printf("%-9s %8s %6s  %-20s  %-20s\n", "planted", "strength", "rows", "found", "anything else found");
  const bool labelled = !(argc > 2 && std::string_view(argv[2]) == "nolabel");
  auto found_in = [&, seed = std::uint64_t{0}](const Planted& planted, std::size_t n) mutable {
    return search(planted, tables, n, ++seed, 999, 999, labelled);
  };
  for (const std::size_t n : {200, 1000, 5000}) {
    print("nothing", 0, n, 0, found_in({}, n));
    print("SC both", .5, n, 0, found_in({.common = .5}, n));
    for (const double s : {.05, .1, .2, .4, .8}) {
      const Found sc = found_in({.sc = s}, n);
      print("SC", s, n, sc.sc, sc);
    }
    for (const double s : {.1, .2, .4, .67, .9}) {
      const Found ldd = found_in({.ldd = s}, n);
      print("LDD", s, n, ldd.ldd, ldd);
    }
    for (const double s : {.005, .01, .02, .05, .2}) {
      const Found uds = found_in({.uds = s}, n);
      print("UDS", s, n, uds.uds, uds);
    }
  }
  return 0;
}
