// The critics of Dis2 beside others, for docs/studies/critics.py.
//
//   critics_bench cell SOURCE.npz TARGET.npz logits|features|pca:F RESTARTS [RECIPE_RESTARTS [0 for no neighbours]]
// prints, all measured on the same held-out rows: the largest discrepancy of leeway's search, of 100 random neighbours of
// the classifier and of the papers' recipe, with what the largest agrees with the classifier on the source, and seconds.
//
//   critics_bench draws K N RESTARTS FIRST COUNT
// draws COUNT pairs of sets of normal logits, the true class + 2.2 + log(k)/2, the target's less .8, all times 1.3, and prints for how
// many the assumption holds for a critic found, by 20,000 other rows, and how many of these the bound at each delta fails for.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "bench/bench.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/error_bound/detail/critic_rows.h"
#include "leeway/error_bound/detail/discrepancy_search.h"
#include "leeway/error_bound/detail/imitation.h"
#include "leeway/error_bound/dis2.h"
#include "leeway/io/outputs.h"

namespace {

using namespace leeway;
using namespace leeway::error_bound;

Sample read(const std::string& path) {
  Outputs outputs = read_outputs(path);
  Sample sample{path, outputs.logits, {}, outputs.features};
  if (outputs.labels) sample.labels = *outputs.labels;
  return sample;
}

Representation representation_of(const std::string& text) {
  using Kind = Representation::Kind;
  if (text == "logits") return {Kind::logits, 0, 0};
  if (text == "features") return {Kind::features, 0, 0};
  return {Kind::pca, 0, std::strtoul(text.c_str() + 4, nullptr, 10)};
}

// The largest held-out discrepancy of `count` critics (I + c R / sqrt(k)) theta, R normal, c from .3 to 1.2.
double best_neighbour(const CriticData& data, const std::vector<float>& theta, std::size_t count) {
  const CriticRows& rows = data.training;
  double best = -1;
  for (std::size_t number = 0; number < count; ++number) {
    Random random(7, stream("neighbours"), number);
    const double c = .3 + .9 * random.uniform();
    const std::vector<float> critic = neighbour(rows, theta, c, random);
    best = std::max(best, discrepancy(agreement(*data.holdout.kept, critic), data.holdout));
  }
  return best;
}

Json cell(const bench::Arguments& arguments) {
  const Sample source = read(arguments[1]), target = read(arguments[2]);
  Dis2Options options;
  options.representation = representation_of(arguments[3]);
  options.restarts = arguments.number(4, options.restarts);
  Dis2 found, recipe;
  const double search_seconds = bench::seconds([&] { found = dis2_bound(source, target, options); });
  const CriticData data = critic_data(source, target, options, Scaling::standard);
  const std::vector<float> theta = imitation(data, source, target, options.representation.kind);
  const double neighbours = arguments.number(6, 100) > 0 ? best_neighbour(data, theta, 100) : 0;
  Json result = {{"search", found.discrepancy},
                 {"agreement_source", found.agreement_source},
                 {"validity_score", *found.validity_score},
                 {"bound", found.bound},
                 {"search_seconds", search_seconds},
                 {"neighbours", neighbours},
                 {"imitation", static_cast<double>(agreement(*data.holdout.kept, theta).source) /
                                   static_cast<double>(data.holdout.n_source)}};
  options.search = Search::reference;
  options.restarts = arguments.number(5, 3);
  if (options.restarts == 0) return result;
  result["recipe_seconds"] = bench::seconds([&] { recipe = dis2_bound(source, target, options); });
  result["recipe"] = recipe.discrepancy;
  result["recipe_agreement_source"] = recipe.agreement_source;
  result["recipe_validity_score"] = *recipe.validity_score;
  return result;
}

Sample drawn(std::size_t n, std::size_t k, double lower, std::uint64_t number) {
  Random random(3, stream("study of critics"), number);
  std::vector<float> logits(n * k);
  std::vector<std::int64_t> labels(n);
  const double lead = 2.2 + std::log(static_cast<double>(k)) / 2 - lower;
  for (std::size_t i = 0; i < n; ++i) {
    labels[i] = static_cast<std::int64_t>(random.below(k));
    for (std::size_t c = 0; c < k; ++c)
      logits[i * k + c] = static_cast<float>(
          1.3 * (random.normal() + (static_cast<std::int64_t>(c) == labels[i] ? lead : 0)));
  }
  return {"drawn", make_array<float>({n, k}, std::move(logits)), std::move(labels), std::nullopt};
}

double error_of(const Sample& sample) {
  const std::vector<std::int32_t> y = predicted_classes(sample.logits, sample.n());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < y.size(); ++i) wrong += y[i] != sample.labels[i];
  return static_cast<double>(wrong) / static_cast<double>(y.size());
}

// Rows of other sets in the columns of `data`.
CriticRows population(const CriticData& data, const Sample& source, const Sample& target) {
  CriticRows rows(source.n(), target.n(), data.training.d, data.training.k);
  rows.y.clear();
  std::size_t i = 0;
  for (const Sample* sample : {&source, &target}) {
    std::ranges::copy(predicted_classes(sample->logits, sample->n()), std::back_inserter(rows.y));
    std::vector<float> unused;
    for (std::size_t from = 0; from < sample->n(); ++from, ++i) {
      const float* row = sample->logits.rows(from, from + 1, unused);
      for (std::size_t j = 0; j < rows.d; ++j)
        rows.at_row(i, j) =
            static_cast<float>((static_cast<double>(row[j]) - data.centre[j]) / data.scale[j]);
    }
  }
  return rows;
}

struct Truth {
  Sample source, target;
  double source_error, target_error;
};

constexpr double deltas[] = {.01, .05, .1, .2};

struct Draw {
  bool assumed = false;           // the assumption holds for one of the critics found
  double certain = 0, found = 0;  // source error + discrepancy; the terms are known beforehand
};

Draw one_draw(const Truth& truth, std::size_t k, std::size_t n, std::size_t restarts, std::uint64_t number) {
  const Sample source = drawn(n, k, 0, 2 * number + 2), target = drawn(n, k, .8, 2 * number + 3);
  Dis2Options options;
  options.seed = number;
  const CriticData data = critic_data(source, target, options, Scaling::standard);
  const DiscrepancySearch search(data.training, data.centre, data.scale, options.loss, number, {},
                                 imitation(data, source, target, options.representation.kind));
  std::vector<std::pair<double, std::vector<float>>> critics;
  for (std::size_t r = 0; r < restarts; ++r)
    search.restart(r, [&](const FoundCritic& critic) {
      critics.emplace_back(discrepancy(agreement(*data.holdout.kept, critic.theta), data.holdout),
                           critic.theta);
    });
  std::ranges::stable_sort(critics, std::greater{}, [](const auto& critic) { return critic.first; });
  Draw draw;
  draw.found = critics.front().first;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < data.holdout.n_source; ++i)
    wrong += data.holdout.y[i] != source.labels[data.source.holdout[i]];
  draw.certain = static_cast<double>(wrong) / static_cast<double>(data.holdout.n_source) + draw.found;
  const CriticRows others = population(data, truth.source, truth.target);
  for (const auto& critic : critics) {
    draw.assumed =
        truth.target_error - truth.source_error <= discrepancy(agreement(others, critic.second), others);
    if (draw.assumed) break;
  }
  return draw;
}

Json draws(const bench::Arguments& arguments) {
  set_threads(1);  // as many processes as cores are run
  const std::size_t k = arguments.number(1, 10), n = arguments.number(2, 200),
                    restarts = arguments.number(3, 3), first = arguments.number(4, 0),
                    count = arguments.number(5, 1000);
  Truth truth{drawn(20000, k, 0, 0), drawn(20000, k, .8, 1), 0, 0};
  truth.source_error = error_of(truth.source), truth.target_error = error_of(truth.target);
  const std::size_t held = n - n / 2;
  std::size_t assumed = 0, idle = 0, violations[std::size(deltas)] = {};
  double found = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const Draw draw = one_draw(truth, k, n, restarts, i);
    found += draw.found / static_cast<double>(count);
    if (!draw.assumed) continue;
    ++assumed;
    idle += draw.certain < truth.target_error;
    for (std::size_t level = 0; level < std::size(deltas); ++level)
      violations[level] += draw.certain + hoeffding_term(held, held, deltas[level]) < truth.target_error;
  }
  Json result = {{"k", k},
                 {"n", n},
                 {"draws", count},
                 {"found", found},
                 {"assumed", assumed},
                 {"estimate_too_low", idle},
                 {"source_error", truth.source_error},
                 {"target_error", truth.target_error}};
  for (std::size_t level = 0; level < std::size(deltas); ++level)
    result["violations"].push_back({{"delta", deltas[level]}, {"count", violations[level]}});
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of({argc, argv}, 5, 7,
                        "critics_bench cell SOURCE.npz TARGET.npz REPRESENTATION RESTARTS [RECIPE_RESTARTS "
                        "[NEIGHBOURS]] | "
                        "draws K N RESTARTS FIRST COUNT",
                        [](const bench::Arguments& arguments) {
                          return arguments[0] == "cell" ? cell(arguments) : draws(arguments);
                        });
}
