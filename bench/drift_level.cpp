// How often the tests of drift raise an alarm where nothing moved, how often they see what did, and whether the interval of the
// total variation holds it, by simulation.
//
//   drift_level PAIRS [SEED]
//
// CSV on stdout, one line a cell. Source and target are drawn from one distribution: predicted classes with shares that fall
// like 1/j, confidences "continuous" (the square root of a uniform number), "rounded" (that to two digits, so with ties) or
// "constant", a group of 3 values and one of 40, most of them rare. `moved` is what the target has else: nothing; "mix", the
// first class's share raised by a tenth; "sure", confidences lowered by a tenth of themselves; "new", one row in 50 with a
// value of the first group that the source lacks. Counts are of pairs with a p-value at most .05: of the family (adjusted),
// and of each test alone. `held`: the interval of the classes' total variation held the true one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/drift.h"

namespace {

using leeway::Random;
using leeway::stream;

struct Cell {
  std::size_t n, m, k;
  std::string_view confidence, moved;
};

struct Side {
  leeway::Outputs outputs;
  leeway::assess::Predictions predictions;
};

std::vector<double> shares_of(std::size_t k, bool raised) {
  std::vector<double> shares(k);
  double sum = 0;
  for (std::size_t j = 0; j < k; ++j) sum += shares[j] = 1 / static_cast<double>(j + 1);
  for (double& share : shares) share /= sum;
  if (!raised) return shares;
  const double rest = 1 - shares[0], more = std::min(.1, rest);
  for (std::size_t j = 1; j < k; ++j) shares[j] *= (rest - more) / rest;
  shares[0] += more;
  return shares;
}

std::int32_t drawn(const std::vector<double>& shares, double u) {
  std::size_t j = 0;
  while (j + 1 < shares.size() && u >= shares[j]) u -= shares[j++];
  return static_cast<std::int32_t>(j);
}

leeway::GroupColumn group(std::string name, std::size_t values) {
  leeway::GroupColumn column{std::move(name), {}, {}};
  for (std::size_t j = 0; j < values; ++j) column.levels.push_back(fmt::format("value {}", j));
  return column;
}

Side side(const Cell& cell, std::size_t n, bool target, std::uint64_t seed, std::size_t pair) {
  const auto moved = [&](std::string_view what) { return target && cell.moved == what; };
  const auto classes = shares_of(cell.k, moved("mix")), rare = shares_of(40, false);
  Random random(seed, stream(target ? "target" : "source"), pair);
  Side made;
  made.outputs.logits.shape = {n, cell.k};
  made.outputs.groups = {group("weather", 4), group("camera", 40)};
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    made.predictions.classes.push_back(drawn(classes, random.uniform()));
    double sure = std::sqrt(random.uniform());
    if (cell.confidence == "rounded") sure = std::round(100 * sure) / 100;
    if (cell.confidence == "constant") sure = .9;
    if (moved("sure")) sure *= .9;
    made.predictions.confidences.push_back(sure);
    sum += sure;
    const bool unseen = moved("new") && random.uniform() < .02;
    made.outputs.groups[0].codes.push_back(unseen ? 3 : static_cast<std::int32_t>(random.below(3)));
    made.outputs.groups[1].codes.push_back(drawn(rare, random.uniform()));
  }
  made.predictions.mean_confidence = sum / static_cast<double>(n);
  return made;
}

void simulate(const Cell& cell, std::size_t pairs, std::uint64_t seed) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < cell.k; ++j) names.push_back(fmt::format("class {}", j));
  const auto before = shares_of(cell.k, false), after = shares_of(cell.k, cell.moved == "mix");
  double truth = 0;
  for (std::size_t j = 0; j < cell.k; ++j) truth += std::abs(before[j] - after[j]) / 2;
  std::size_t family = 0, classes = 0, confidence = 0, few = 0, many = 0, held = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const Side source = side(cell, cell.n, false, seed, pair), target = side(cell, cell.m, true, seed, pair);
    leeway::assess::Task task;
    task.seed = pair;
    const leeway::tasks::AssessDrift drift = leeway::assess::drift_between(
        source.outputs, source.predictions, target.outputs, target.predictions, names, task);
    family += drift.p_value <= .05;
    classes += drift.classes.p_alone <= .05;
    confidence += drift.confidence.p_alone <= .05;
    for (const leeway::tasks::DriftTest& one : drift.groups)
      (one.name == "weather" ? few : many) += one.p_alone <= .05;
    held += *drift.classes.distance.low <= truth && truth <= *drift.classes.distance.high;
  }
  fmt::print("{},{},{},{},{},{},{},{},{},{},{},{}\n", cell.n, cell.m, cell.k, cell.confidence, cell.moved,
             pairs, family, classes, confidence, few, many, held);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: drift_level PAIRS [SEED]\n");
    return 2;
  }
  const auto pairs = static_cast<std::size_t>(std::atoll(argv[1]));
  const std::uint64_t seed = argc > 2 ? static_cast<std::uint64_t>(std::atoll(argv[2])) : 0;
  fmt::print("n,m,k,confidence,moved,pairs,family,classes,sureness,few,many,held\n");
  for (const std::size_t k : {2, 10, 100})
    for (const auto& [n, m] : {std::pair{50, 50}, std::pair{50, 10000}, std::pair{200, 200},
                               std::pair{1000, 1000}, std::pair{10000, 1000}, std::pair{10000, 10000}}) {
      const auto a = static_cast<std::size_t>(n), b = static_cast<std::size_t>(m);
      simulate({a, b, k, "continuous", "nothing"}, pairs, seed);
      simulate({a, b, k, "rounded", "nothing"}, pairs, seed);
      if (k == 10) {
        simulate({a, b, k, "constant", "nothing"}, pairs, seed);
        for (const char* moved : {"mix", "sure", "new"})
          simulate({a, b, k, "continuous", moved}, pairs, seed);
      }
    }
  return 0;
}
