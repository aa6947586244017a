#include "leeway/attack/member.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

namespace leeway::attack {
namespace {

std::size_t largest_but(Row logits, std::size_t y) {
  std::size_t best = y == 0 ? 1 : 0;
  for (std::size_t j = 0; j < logits.size(); ++j)
    if (j != y && logits[j] > logits[best]) best = j;
  return best;
}

double difference(Row logits, std::size_t y, MutableRow gradient) {
  const std::size_t other = largest_but(logits, y);
  if (!gradient.empty()) gradient[other] = 1, gradient[y] = -1;
  return static_cast<double>(logits[other]) - logits[y];
}

// m and the factor that a function of m has; softmax over the others gives the gradient.
double margin(Row logits, std::size_t y, MutableRow gradient) {
  const double most = logits[largest_but(logits, y)];
  double total = 0;
  for (std::size_t j = 0; j < logits.size(); ++j)
    if (j != y) total += std::exp(logits[j] - most);
  for (std::size_t j = 0; j < gradient.size(); ++j)
    gradient[j] = j == y ? -1.f : static_cast<float>(std::exp(logits[j] - most) / total);
  return most + std::log(total) - logits[y];
}

double cross_entropy(Row logits, std::size_t y, MutableRow gradient) {
  const double m = margin(logits, y, gradient), e = std::exp(-std::abs(m));
  const auto slope = static_cast<float>(m > 0 ? 1 / (1 + e) : e / (1 + e));
  for (float& value : gradient) value *= slope;
  return std::max(m, 0.) + std::log1p(e);
}

double difference_of_logits_ratio(Row logits, std::size_t y, MutableRow gradient) {
  const double value = difference(logits, y, gradient);
  if (logits.size() < 3) return value;
  const std::vector<std::size_t> top = largest_classes(logits, 3);
  const double spread = static_cast<double>(logits[top[0]]) - logits[top[2]];
  if (spread == 0) return value;
  const double ratio = value / spread;
  for (float& part : gradient) part = static_cast<float>(part / spread);
  if (!gradient.empty()) {
    gradient[top[0]] -= static_cast<float>(ratio / spread);
    gradient[top[2]] += static_cast<float>(ratio / spread);
  }
  return ratio;
}

Evaluation of_logits(const Problem& problem, std::span<const float> logits, const RowLoss& loss,
                     std::vector<float>* cotangents) {
  const std::size_t n = problem.clean.n, k = problem.classifier.k;
  Evaluation found{std::vector<double>(n), std::vector<std::uint8_t>(n)};
  if (cotangents) cotangents->assign(n * k, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Row row = logits.subspan(i * k, k);
    found.value[i] = loss(i, row, cotangents ? MutableRow(*cotangents).subspan(i * k, k) : MutableRow());
    found.success[i] = succeeds(problem, i, row);
  }
  return found;
}

}  // namespace

Part::Part(const Problem& whole, std::vector<std::size_t> rows)
    : rows_(std::move(rows)),
      classifier_(whole.classifier_of ? whole.classifier_of(rows_) : whole.classifier),
      clean_(points(whole.clean)),
      problem_{classifier_, clean_, {}, {}, whole.loss, whole.targeted, whole.box, whole.picture} {
  for (const std::size_t i : rows_) targets_.push_back(whole.targets[i]), keys_.push_back(whole.keys[i]);
  problem_.targets = targets_, problem_.keys = keys_;
  if (whole.to_grid)
    problem_.to_grid = [this, to_grid = whole.to_grid](std::size_t i, MutableRow x) { to_grid(rows_[i], x); };
}

Points Part::points(const Points& whole) const {
  Points part = Points::zeros(rows_.size(), whole.d);
  for (std::size_t j = 0; j < rows_.size(); ++j) std::ranges::copy(whole.row(rows_[j]), part.row(j).begin());
  return part;
}

Classifier averaged(const Classifier& classifier, std::size_t draws) {
  if (draws == 1) return classifier;
  const auto mean_of = [draws](const std::function<std::vector<float>(std::size_t)>& pass) {
    std::vector<double> sums;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      const std::vector<float> values = pass(draw);
      sums.resize(values.size());
      for (std::size_t j = 0; j < values.size(); ++j) sums[j] += values[j];
    }
    std::vector<float> means(sums.size());
    for (std::size_t j = 0; j < sums.size(); ++j)
      means[j] = static_cast<float>(sums[j] / static_cast<double>(draws));
    return means;
  };
  Classifier mean = classifier;
  mean.logits = [mean_of, logits = classifier.logits](std::span<const float> x) {
    return mean_of([&](std::size_t) { return logits(x); });
  };
  if (!classifier.linearize) return mean;
  mean.linearize = [mean_of, draws, linearize = classifier.linearize](std::span<const float> x) {
    std::vector<Linearized> passes(draws);
    Linearized found{mean_of([&](std::size_t draw) {
      passes[draw] = linearize(x);
      return passes[draw].logits;
    })};
    found.vjp = [mean_of, passes = std::move(passes)](std::span<const float> cotangents) {
      return mean_of([&](std::size_t draw) { return passes[draw].vjp(cotangents); });
    };
    return found;
  };
  return mean;
}

std::vector<std::size_t> largest_classes(Row logits, std::size_t count) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  count = std::min(count, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(count),
      [&](std::size_t a, std::size_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  order.resize(count);
  return order;
}

std::vector<std::size_t> likely_wrong_classes(const Problem& problem, std::size_t from, std::size_t count) {
  const std::size_t k = problem.classifier.k;
  const std::vector<float> logits = problem.classifier.logits(problem.clean.values);
  std::vector<std::size_t> classes;
  for (std::size_t i = 0; i < problem.clean.n; ++i) {
    std::vector<std::size_t> largest = largest_classes(Row(logits).subspan(i * k, k), from + count + 1);
    std::erase(largest, static_cast<std::size_t>(problem.targets[i]));
    const auto first = largest.begin() + static_cast<std::ptrdiff_t>(from);
    classes.insert(classes.end(), first, first + static_cast<std::ptrdiff_t>(count));
  }
  return classes;
}

double loss_of(Loss loss, Row logits, std::int64_t y, MutableRow gradient) {
  const auto own = static_cast<std::size_t>(y);
  std::ranges::fill(gradient, 0.f);
  switch (loss) {
    case Loss::margin:
      return margin(logits, own, gradient);
    case Loss::difference:
      return difference(logits, own, gradient);
    case Loss::cross_entropy:
      return cross_entropy(logits, own, gradient);
    case Loss::dlr:
      break;
  }
  return difference_of_logits_ratio(logits, own, gradient);
}

RowLoss loss_of(const Problem& problem) {
  return [&problem](std::size_t i, Row logits, MutableRow gradient) {
    const double value = loss_of(problem.loss, logits, problem.targets[i], gradient);
    if (!problem.targeted) return value;
    for (float& part : gradient) part = -part;
    return -value;
  };
}

bool succeeds(const Problem& problem, std::size_t i, Row logits) {
  const auto predicted = std::ranges::max_element(logits) - logits.begin();
  return (predicted == problem.targets[i]) == problem.targeted;
}

Evaluation evaluate(const Problem& problem, const Points& x) {
  Evaluation& known = (*problem.at_clean)[problem.loss];
  const bool clean = x.values == problem.clean.values;
  if (clean && !known.value.empty()) return {known.value, known.success};
  Evaluation found = of_logits(problem, problem.classifier.logits(x.values), loss_of(problem), nullptr);
  if (clean) known = found;
  return found;
}

Evaluation evaluate_with_gradient(const Problem& problem, const Points& x) {
  Evaluation& known = (*problem.at_clean)[problem.loss];
  const bool clean = x.values == problem.clean.values;
  if (clean && known.gradient.n > 0) return known;
  Evaluation found = evaluate_with_gradient(problem, x, loss_of(problem));
  if (clean) known = found;
  return found;
}

Evaluation evaluate_with_gradient(const Problem& problem, const Points& x, const RowLoss& loss) {
  const Linearized here = problem.classifier.linearize(x.values);
  std::vector<float> cotangents;
  Evaluation found = of_logits(problem, here.logits, loss, &cotangents);
  found.gradient = {x.n, x.d, here.vjp(cotangents)};
  return found;
}

std::vector<std::uint8_t> zero_rows(const Points& gradient) {
  std::vector<std::uint8_t> zero(gradient.n);
  for (std::size_t i = 0; i < gradient.n; ++i) zero[i] = is_zero(gradient.row(i));
  return zero;
}

Attacked ascend(const Problem& problem, const Ball& ball, Points x, double step, std::size_t steps,
                Best* best) {
  Attacked found;
  for (std::size_t s = 0; s < steps; ++s) {
    Evaluation here = evaluate_with_gradient(problem, x);
    if (best) best->offer(x, here);
    for_rows(x, [&](std::size_t i) { ball.step(i, x.row(i), here.gradient.row(i), step); });
    if (s == 0) found.zero_gradient = zero_rows(here.gradient), found.start_loss = std::move(here.value);
  }
  if (best) best->offer_last(problem, x);
  found.x = std::move(x);
  return found;
}

void Best::offer(const Points& x, const Evaluation& evaluation) {
  if (x_.n == 0) {
    x_ = x, value_ = evaluation.value, success_ = evaluation.success;
    judged_.resize(x.n);
    return;
  }
  std::vector<std::size_t> rows(x.n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  offer(rows, x, evaluation);
}

void Best::offer(std::span<const std::size_t> rows, const Points& x, const Evaluation& evaluation) {
  for (std::size_t j = 0; j < rows.size(); ++j) {
    const std::size_t i = rows[j];
    const bool better =
        evaluation.success[j] == success_[i] ? evaluation.value[j] > value_[i] : evaluation.success[j] != 0;
    if (!better) continue;
    std::copy_n(x.row(j).data(), x.d, x_.row(i).data());
    value_[i] = evaluation.value[j], success_[i] = evaluation.success[j];
    judged_[i].reset();
  }
}

void Best::offer_last(const Problem& problem, const Points& x) {
  const Evaluation here = evaluate(problem, x);
  offer(x, here);
  for (std::size_t i = 0; i < x.n; ++i)
    if (std::ranges::equal(x_.row(i), x.row(i))) judged_[i] = here.success[i] != 0;
}

Nearest::Nearest(const Problem& problem, Norm norm)
    : problem_(problem),
      norm_(norm),
      x_(problem.clean),
      norms_(problem.clean.n, std::numeric_limits<double>::infinity()) {}

void Nearest::offer(const Points& x, std::span<const std::uint8_t> success) {
  for (std::size_t i = 0; i < x.n; ++i) {
    if (success[i] == 0) continue;
    std::vector<float> row(x.row(i).begin(), x.row(i).end());
    if (problem_.to_grid) problem_.to_grid(i, row);
    const double norm = distance(row, problem_.clean.row(i), norm_);
    if (!(norm < norms_[i])) continue;
    std::ranges::copy(row, x_.row(i).begin());
    norms_[i] = norm;
  }
}

Points confirmed(const Problem& problem, const Nearest& nearest) {
  Points x = nearest.points();
  for (double more = 1e-6; more < .01; more *= 4) {
    const std::vector<std::uint8_t> success = evaluate(problem, x).success;
    bool all = true;
    for (std::size_t i = 0; i < x.n; ++i) {
      if (success[i] != 0 || !std::isfinite(nearest.norms()[i])) continue;
      all = false;
      const MutableRow row = x.row(i);
      const Row clean = problem.clean.row(i);
      for (std::size_t j = 0; j < x.d; ++j)
        row[j] = problem.box.clip(j, row[j] + (row[j] - clean[j]) * static_cast<float>(more));
    }
    if (all) break;
  }
  return x;
}

double annealed(double first, double last, std::size_t step, std::size_t steps) {
  const double part = static_cast<double>(step) / static_cast<double>(steps);
  return last + (first - last) * (1 + std::cos(std::numbers::pi * part)) / 2;
}

}  // namespace leeway::attack
