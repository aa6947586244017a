#include "leeway/error_bound/detail/lifted_class.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "leeway/core/random.h"
#include "leeway/error_bound/detail/discrepancy_search.h"
#include "leeway/error_bound/detail/quasi_newton.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t fit_iterations = 20, lifted_class_least_rows = 8192, lifted_class_rows_a_column = 4;
constexpr double lifted_class_ridge = 1e-2;
constexpr float least_slope = .05f;  // of the score to beat, in its deviations: s cannot do without it

// The score with which class c wins a row, and the gain of D in units of 1 / (n_S n_T); 0 if c changes nothing.
struct Duel {
  float bar;
  std::int32_t gain;
};

std::vector<Duel> duels_for(const CriticRows& rows, const Leads& leads, std::size_t of) {
  const auto c = static_cast<std::int32_t>(of);
  std::vector<Duel> duels(rows.n());
  const auto fill = [&](std::size_t begin, std::size_t end, std::size_t unit, bool source) {
    const std::int32_t gain[] = {source ? -static_cast<std::int32_t>(unit) : static_cast<std::int32_t>(unit),
                                 0,
                                 source ? static_cast<std::int32_t>(unit) : -static_cast<std::int32_t>(unit)};
    for (std::size_t i = begin; i < end; ++i) {
      const bool own = rows.y[i] == c, third = leads.rival[i] == c;
      const float rival = third ? leads.next[i] : leads.other[i], score = leads.own[i];
      const bool first =
          rows.y[i] < (third ? leads.third[i] : leads.rival[i]);  // a tie goes to the lowest class
      const bool agrees = (score > rival) | ((score == rival) & first);
      duels[i] = {own ? leads.other[i] : score, gain[own ? 2 : agrees ? 0 : 1]};
    }
  };
  fill(0, rows.n_source, rows.n_target, true);
  fill(rows.n_source, rows.n(), rows.n_source, false);
  return duels;
}

// The b at which those with bar - ux < b gain most.
float best_bias(const std::vector<Duel>& duels, const std::vector<float>& ux) {
  std::vector<Jump> jumps;
  for (std::size_t i = 0; i < duels.size(); ++i)
    if (duels[i].gain != 0) jumps.push_back({duels[i].bar - ux[i], duels[i].gain});
  const auto best = best_point(jumps, 0, -1);
  return best ? best->at : 0;
}

// Of the rows [begin, end) at most `most`, evenly spread: those that c can win or lose.
void add_usable(std::vector<std::size_t>& usable, const std::vector<Duel>& duels, std::size_t begin,
                std::size_t end, std::size_t most) {
  const std::size_t n = end - begin, count = std::min(n, most);
  for (std::size_t i = 0; i < count; ++i)
    if (duels[begin + i * n / count].gain != 0) usable.push_back(begin + i * n / count);
}

// The logistic regression: a critic of two classes, c and the score to beat, on one more column, the negative of that score in
// deviations from its mean. The difference of the two is u (width), with its bias; 0 where c can win no row.
std::vector<float> fitted_class(const CriticRows& rows, const std::vector<Duel>& duels) {
  const std::size_t most = std::max(lifted_class_least_rows, lifted_class_rows_a_column * rows.width);
  std::vector<std::size_t> usable;
  add_usable(usable, duels, 0, rows.n_source, most);
  add_usable(usable, duels, rows.n_source, rows.n(), most);
  if (usable.empty()) return std::vector<float>(rows.width);
  double mean = 0, squares = 0, n = 0;
  for (const std::size_t row : usable) {
    const double apart = double(duels[row].bar) - mean;
    mean += apart / ++n;
    squares += apart * (double(duels[row].bar) - mean);
  }
  const double deviation = squares > 0 ? std::sqrt(squares / n) : 1;
  const std::size_t bar = rows.d + 1;
  CriticRows fit(usable.size(), 0, bar, 2);
  std::vector<float> weights(usable.size()), start(fit.parameters());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    const std::size_t row = usable[i];
    for (std::size_t j = 0; j < bar; ++j) fit.at_row(i, j) = rows.at_row(row, j);
    fit.at_row(i, bar) = static_cast<float>((mean - double(duels[row].bar)) / deviation);
    fit.y[i] = duels[row].gain < 0;  // c should lose
    const std::size_t set = row < rows.n_source ? rows.n_source : rows.n_target;
    weights[i] = .5f / static_cast<float>(std::min(set, most));
  }
  const auto value = [&](std::span<const float> v) {
    Evaluation found = evaluate(fit, v, Objective::logistic, weights);
    for (std::size_t j = 0; j < rows.d; ++j) {
      const float slope = static_cast<float>(lifted_class_ridge) * (v[j] - v[fit.width + j]);
      found.value += double(slope) * double(slope) / (2 * lifted_class_ridge);
      found.gradient[j] += slope, found.gradient[fit.width + j] -= slope;
    }
    return found;
  };
  start[bar] = .5f, start[fit.width + bar] = -.5f;
  const std::vector<float> v = minimise(value, std::move(start), {fit_iterations, 1e-4, {}});
  const float factor = static_cast<float>(deviation) / std::max(v[bar] - v[fit.width + bar], least_slope);
  std::vector<float> u(rows.width);
  for (std::size_t j = 0; j <= rows.d; ++j) u[j] = factor * (v[j] - v[fit.width + j]);
  u[rows.d] += static_cast<float>(mean);
  return u;
}

constexpr std::size_t batch = 256, epochs = 50;
constexpr float step = 3e-3f, decay = 5e-4f, first_decay = .9f, second_decay = .999f, tiny = 1e-8f;

struct AdamW {
  std::vector<float> first, second;
  int steps = 0;

  void update(std::vector<float>& theta, std::span<const float> gradient) {
    ++steps;
    const float unbias1 = 1 - std::pow(first_decay, static_cast<float>(steps)),
                unbias2 = 1 - std::pow(second_decay, static_cast<float>(steps));
    for (std::size_t i = 0; i < theta.size(); ++i) {
      first[i] += (1 - first_decay) * (gradient[i] - first[i]);
      second[i] += (1 - second_decay) * (gradient[i] * gradient[i] - second[i]);
      theta[i] -=
          step * decay * theta[i] + step * first[i] / unbias1 / (std::sqrt(second[i] / unbias2) + tiny);
    }
  }
};

// Rows of one set in the order of an epoch.
std::vector<std::size_t> shuffled(std::size_t n, std::uint64_t seed, std::uint32_t purpose,
                                  std::uint64_t turn) {
  Random random(seed, purpose, turn);
  return permutation(n, random);
}

}  // namespace

std::vector<FoundCritic> lift_class(const CriticRows& rows, std::span<const float> theta, std::size_t c) {
  const std::vector<Duel> duels = duels_for(rows, leads(rows, theta), c);
  std::vector<FoundCritic> found;
  for (const bool fitted : {false, true}) {
    std::vector<float> u = fitted ? fitted_class(rows, duels) : std::vector<float>(rows.width);
    u[rows.d] += best_bias(duels, products(rows, u));
    std::vector<float> lifted(theta.begin(), theta.end());
    for (std::size_t j = 0; j <= rows.d; ++j) lifted[rows.at(j, c)] = u[j];
    found.push_back(found_critic(rows, std::move(lifted)));
  }
  return found;
}

BestStep best_class_step(const CriticRows& rows, const Leads& leads, std::span<const float> theta,
                         std::size_t c, std::span<const float> u) {
  const std::vector<Duel> duels = duels_for(rows, leads, c);
  const std::vector<float> scores = products(rows, theta.subspan(rows.at(0, c), rows.width)),
                           slopes = products(rows, u);
  std::vector<Jump> jumps(rows.n());
  std::size_t count = 0;
  std::int64_t before = 0, here = 0;  // what c wins left of all jumps, and at s = 0
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const float lead = scores[i] - duels[i].bar, at = -lead / slopes[i];
    const std::int32_t gain = std::isfinite(at) ? duels[i].gain : 0;
    here += lead > 0 ? gain : 0, before += slopes[i] < 0 ? gain : 0;
    jumps[count] = {at, slopes[i] < 0 ? -gain : gain};
    count += gain != 0;
  }
  jumps.resize(count);
  const auto best = best_point(jumps, before, here);
  if (!best) return {};
  return {best->at, static_cast<double>(best->value - here) /
                        (static_cast<double>(rows.n_source) * static_cast<double>(rows.n_target))};
}

void train_reference(const CriticRows& rows, Loss loss, std::uint64_t seed, std::size_t restart,
                     const std::function<void(std::span<const float>)>& watch) {
  std::vector<float> theta(rows.parameters());
  Random start(seed, stream("critic start"), restart);
  const double size = 1 / std::sqrt(static_cast<double>(rows.d));
  for (std::size_t c = 0; c < rows.k; ++c)
    for (std::size_t j = 0; j <= rows.d; ++j)
      theta[rows.at(j, c)] = static_cast<float>((2 * start.uniform() - 1) * size);
  AdamW adam{std::vector<float>(theta.size()), std::vector<float>(theta.size())};

  const std::size_t longest = std::max(rows.n_source, rows.n_target);
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    const std::uint64_t turn = restart * epochs + epoch;
    const auto source = shuffled(rows.n_source, seed, stream("critic source batches"), turn);
    const auto target = shuffled(rows.n_target, seed, stream("critic target batches"), turn);
    for (std::size_t begin = 0; begin < longest; begin += batch) {
      const std::size_t end = std::min(longest, begin + batch), count = end - begin;
      CriticRows part(count, count, rows.d, rows.k);
      for (std::size_t i = 0; i < 2 * count; ++i) {
        const std::size_t row = i < count ? source[(begin + i) % rows.n_source]
                                          : rows.n_source + target[(begin + i - count) % rows.n_target];
        for (std::size_t j = 0; j < rows.d; ++j) part.at_row(i, j) = rows.at_row(row, j);
        part.y[i] = rows.y[row];
      }
      const std::vector<float> weights(2 * count, .5f / static_cast<float>(count));
      adam.update(theta, evaluate(part, theta, objective_of(loss), weights).gradient);
    }
    watch(theta);
  }
}

}  // namespace leeway::error_bound
