#include "leeway/error_bound/detail/lifted_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/parallel.h"
#include "leeway/error_bound/detail/quasi_newton.h"

namespace leeway::error_bound {
namespace {

constexpr std::size_t fit_iterations = 20, lifted_class_chunk_rows = 4096, lifted_class_least_rows = 8192,
                      lifted_class_rows_a_column = 4;
constexpr double lifted_class_ridge = 1e-2;
constexpr float least_slope = .05f;  // of the score to beat, in its deviations: s cannot do without it

// The score with which class c wins a row, and the gain of D in units of 1 / (n_S n_T).
struct Duel {
  float bar;
  std::int64_t gain;
};

std::vector<Duel> duels_for(const CriticRows& rows, const Leads& leads, std::size_t c) {
  std::vector<Duel> duels(rows.n());
  for (std::size_t i = 0; i < rows.n(); ++i) {
    const bool source = i < rows.n_source, own = static_cast<std::size_t>(rows.y[i]) == c;
    const auto unit = static_cast<std::int64_t>(source ? rows.n_target : rows.n_source);
    const bool third = static_cast<std::size_t>(leads.rival[i]) == c;
    const float rival = third ? leads.next[i] : leads.other[i];
    const bool first =
        rows.y[i] < (third ? leads.third[i] : leads.rival[i]);  // a tie goes to the lowest class
    duels[i].bar = own ? leads.other[i] : leads.own[i];
    if (own || leads.own[i] > rival || (leads.own[i] == rival && first))
      duels[i].gain = own == source ? unit : -unit;
  }
  return duels;
}

// The b at which those with bar - ux < b gain most; scores are rounded to some 1e-7, so a narrower gap counts not.
float best_bias(const std::vector<Duel>& duels, const std::vector<float>& ux) {
  std::vector<std::pair<float, std::int64_t>> at;
  for (std::size_t i = 0; i < duels.size(); ++i)
    if (duels[i].gain != 0) at.emplace_back(duels[i].bar - ux[i], duels[i].gain);
  if (at.empty()) return 0;
  std::ranges::sort(at);
  const auto beyond = [](float value, float sign) { return value + sign * (1 + std::abs(value)); };
  std::int64_t total = 0, best = 0;
  float bias = beyond(at.front().first, -1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    total += at[i].second;
    const float from = at[i].first, to = i + 1 < at.size() ? at[i + 1].first : beyond(from, 1);
    if (total <= best || to - from <= 2e-6f * std::max(std::abs(from), std::abs(to))) continue;
    best = total;
    bias = from + (to - from) / 2;
  }
  return bias;
}

// x . u of every row, u (width) with its bias.
std::vector<float> products(const CriticRows& rows, std::span<const float> u) {
  std::vector<float> ux(rows.n());
  parallel_for((rows.n() + lifted_class_chunk_rows - 1) / lifted_class_chunk_rows, [&](std::size_t chunk) {
    const std::size_t begin = chunk * lifted_class_chunk_rows,
                      end = std::min(rows.n(), begin + lifted_class_chunk_rows);
    multiply({rows.x.data() + begin * rows.width, end - begin, rows.width}, u.first(rows.width),
             std::span(ux).subspan(begin, end - begin));
  });
  return ux;
}

// The logistic regression. Parameters: (width) by column of x, then the slope of the bar, then padding to a multiple of 4.
class Fit {
 public:
  Fit(const CriticRows& rows, const std::vector<Duel>& duels) : rows_(rows) {
    const std::size_t most = std::max(lifted_class_least_rows, lifted_class_rows_a_column * rows.width);
    use(duels, 0, rows.n_source, most);
    use(duels, rows.n_source, rows.n(), most);
    double squares = 0, n = 0;
    for (const float bar : bar_) {
      const double apart = double(bar) - mean_;
      mean_ += apart / ++n;
      squares += apart * (double(bar) - mean_);
    }
    if (squares > 0) deviation_ = std::sqrt(squares / n);
    for (float& bar : bar_) bar = static_cast<float>((double(bar) - mean_) / deviation_);
  }

  // u (width), its bias included; 0 where c can win no row.
  [[nodiscard]] std::vector<float> solve() const {
    if (bar_.empty()) return std::vector<float>(rows_.width);
    std::vector<float> start(rows_.width + 4);
    start[rows_.width] = 1;
    std::vector<float> v = minimise([&](std::span<const float> at) { return value(at); }, std::move(start),
                                    {fit_iterations, 1e-4, {}});
    const float factor = static_cast<float>(deviation_) / std::max(v[rows_.width], least_slope);
    v.resize(rows_.width);
    for (float& each : v) each *= factor;
    v[rows_.d] += static_cast<float>(mean_);
    return v;
  }

 private:
  // Of the rows [begin, end) at most `most`, evenly spread: those that c can win or lose.
  void use(const std::vector<Duel>& duels, std::size_t begin, std::size_t end, std::size_t most) {
    const std::size_t n = end - begin, count = std::min(n, most);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = begin + i * n / count;
      if (duels[row].gain == 0) continue;
      x_.insert(x_.end(), rows_.x.begin() + static_cast<std::ptrdiff_t>(row * rows_.width),
                rows_.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * rows_.width));
      bar_.push_back(duels[row].bar);
      sign_.push_back(duels[row].gain < 0 ? 1.f : -1.f);
      weight_.push_back(.5f / static_cast<float>(count));
    }
  }

  // Row by row the score of c less that of the bar, in the bars' deviations; above 0 c wins.
  [[nodiscard]] Evaluation value(std::span<const float> v) const {
    Evaluation all = reduce_chunks<Evaluation>(
        bar_.size(), lifted_class_chunk_rows,
        [&](std::size_t begin, std::size_t end) { return part(v, begin, end); },
        [](Evaluation a, const Evaluation& b) {
          a.value += b.value;
          for (std::size_t i = 0; i < a.gradient.size(); ++i) a.gradient[i] += b.gradient[i];
          return a;
        });
    for (std::size_t j = 0; j < rows_.d; ++j) {
      all.value += lifted_class_ridge / 2 * double(v[j]) * double(v[j]);
      all.gradient[j] += static_cast<float>(lifted_class_ridge) * v[j];
    }
    return all;
  }

  [[nodiscard]] Evaluation part(std::span<const float> v, std::size_t begin, std::size_t end) const {
    const std::size_t n = end - begin, width = rows_.width;
    const RowMajor<float> x{x_.data() + begin * width, n, width};
    const auto sign = std::span(sign_).subspan(begin, n), weight = std::span(weight_).subspan(begin, n),
               bar = std::span(bar_).subspan(begin, n);
    std::vector<float> m(n), small(n), loss(n), slope(n);
    multiply(x, v.first(width), m);
    for (std::size_t i = 0; i < n; ++i) m[i] = sign[i] * (m[i] - v[width] * bar[i]);
    for (std::size_t i = 0; i < n; ++i) small[i] = -std::abs(m[i]);
    exponentiate(small);
    for (std::size_t i = 0; i < n; ++i) loss[i] = 1 + small[i];
    take_logarithm(loss);
    for (std::size_t i = 0; i < n; ++i) {
      loss[i] += std::max(m[i], 0.f);  // log(1 + exp m) = max(m, 0) + log(1 + exp -|m|)
      slope[i] = weight[i] * sign[i] * ((m[i] > 0 ? 1 : small[i]) / (1 + small[i]));
    }
    Evaluation part{double(dot(weight, loss)), {}, std::vector<float>(v.size())};
    multiply_transposed(x, slope, std::span(part.gradient).first(width));
    part.gradient[width] = -dot(slope, bar);
    return part;
  }

  const CriticRows& rows_;
  std::vector<float> x_, bar_, sign_, weight_;  // of the rows used: sign 1 where c should lose
  double mean_ = 0, deviation_ = 1;             // of the bars
};

}  // namespace

std::vector<FoundCritic> lift_class(const CriticRows& rows, std::span<const float> theta, std::size_t c) {
  const std::vector<Duel> duels = duels_for(rows, leads(rows, theta), c);
  std::vector<FoundCritic> found;
  for (const bool fitted : {false, true}) {
    std::vector<float> u = fitted ? Fit(rows, duels).solve() : std::vector<float>(rows.width);
    u[rows.d] += best_bias(duels, products(rows, u));
    FoundCritic critic{{theta.begin(), theta.end()}, 0};
    for (std::size_t j = 0; j <= rows.d; ++j) critic.theta[rows.at(j, c)] = u[j];
    critic.training_discrepancy = discrepancy(agreement(rows, critic.theta), rows);
    found.push_back(std::move(critic));
  }
  return found;
}

}  // namespace leeway::error_bound
