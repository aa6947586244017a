// Random pairs of tables with shifts planted at a strength, for the power of describe.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "leeway/conds/describe.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "tests/conds/attribute_tables.h"

namespace leeway::conds {

// Strengths from 0 (nothing) to 1. SC on a0: a0 takes the label's value with this probability in the source. LDD on
// a1: its last value is rarer in the source by 1 - strength. UDS on a2: the source lacks its last value, which has this
// probability in the target. common: a0 takes the label's value with this probability in both, which is no shift.
struct Planted {
  double sc = 0, ldd = 0, uds = 0, common = 0;
};

// Labels and attributes are independent but for that, with shares of their own.
class PlantedTables {
 public:
  PlantedTables(const Planted& planted, std::size_t n_source, std::size_t n_target, std::uint64_t seed)
      : planted_(planted), random_(seed, stream("planted")) {
    const std::size_t labels = 2 + random_.below(4);
    shares_.push_back(shares(labels));
    for (int i = 0; i < 3; ++i) shares_.push_back(shares(2 + random_.below(5)));
    source = make(n_source, true);
    target = make(n_target, false);
  }

  AttributeTable source, target;

 private:
  std::vector<double> shares(std::size_t values) {
    std::vector<double> result;
    for (std::size_t i = 0; i < values; ++i) result.push_back(.5 + random_.uniform());
    return result;
  }

  std::uint16_t draw(const std::vector<double>& weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    double u = random_.uniform() * sum;
    std::size_t i = 0;
    for (; i + 1 < weights.size() && u >= weights[i]; ++i) u -= weights[i];
    while (weights[i] == 0) --i;
    return static_cast<std::uint16_t>(i);
  }

  AttributeTable make(std::size_t n, bool is_source) {
    std::vector<std::vector<double>> weights = shares_;
    if (is_source) weights[2].back() *= 1 - planted_.ldd;
    double rest = 0;
    for (std::size_t i = 0; i + 1 < weights[3].size(); ++i) rest += weights[3][i];
    weights[3].back() = is_source || planted_.uds == 0 ? 0 : rest * planted_.uds / (1 - planted_.uds);
    std::vector<Attribute> columns;
    for (std::size_t j = 0; j < 4; ++j)
      columns.push_back(
          column_of_codes(j == 0 ? "label" : "a" + std::to_string(j - 1), weights[j].size(), {}));
    const double together = is_source ? std::max(planted_.sc, planted_.common) : planted_.common;
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t j = 0; j < 4; ++j) {
        std::uint16_t code = draw(weights[j]);
        if (j == 1 && together > 0 && random_.uniform() < together)
          code = static_cast<std::uint16_t>(columns[0].codes.back() % weights[1].size());
        columns[j].codes.push_back(code);
      }
    return {is_source ? "source" : "target", columns.front(), {columns.begin() + 1, columns.end()}, {}};
  }

  Planted planted_;
  Random random_;
  std::vector<std::vector<double>> shares_;
};

// How often each kind was found where it was planted, and anything else. `labelled`: or without the label.
struct Found {
  std::size_t tables = 0, sc = 0, ldd = 0, uds = 0, elsewhere = 0;
};

inline Found search(const Planted& planted, std::size_t tables, std::size_t n, std::uint64_t seed,
                    std::size_t permutations = 999, std::size_t bootstrap = 999, bool labelled = true) {
  std::vector<Found> each(tables);
  parallel_for(tables, [&](std::size_t i) {
    PlantedTables made(planted, n, n, seed * 1'000'000 + i);
    if (!labelled) made.source.label = made.target.label = {};
    const Description said = describe(made.source, &made.target,
                                      {.permutations = permutations, .bootstrap = bootstrap, .seed = i});
    for (const Finding& finding : said.findings) {
      const std::string& column = finding.column;
      if (finding.kind == ShiftKind::sc && column == "a0" && planted.sc > 0)
        each[i].sc = 1;
      else if (finding.kind == ShiftKind::ldd && column == "a1" && planted.ldd > 0)
        each[i].ldd = 1;
      else if (finding.kind == ShiftKind::uds && column == "a2" && planted.uds > 0)
        each[i].uds = 1;
      // Where the label comes to an attribute's values, their shares move with it.
      else if (!(planted.sc > 0 && finding.kind == ShiftKind::ldd && column == "a0"))
        each[i].elsewhere = 1;
    }
  });
  Found found{tables};
  for (const Found& one : each) {
    found.sc += one.sc;
    found.ldd += one.ldd;
    found.uds += one.uds;
    found.elsewhere += one.elsewhere;
  }
  return found;
}

}  // namespace leeway::conds
