#include "leeway/average_case/detail/model_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"

namespace leeway::average_case {
namespace {

constexpr std::size_t inputs_at_once = 1024;                  // in one pass
constexpr std::size_t most_gradients = std::size_t{1} << 26;  // numbers in one pass
constexpr std::size_t first_classes = 32;                     // of more than few_classes, to begin with
constexpr std::uint32_t mmse_noise = stream("mmse noise"), monte_carlo_noise = stream("monte carlo noise");

// sum += factor times every row of `width` values, in pieces that stay in the cache.
void add_rows(std::span<const float> values, std::size_t width, double factor, double* sum) {
  constexpr std::size_t piece = 1024;
  for (std::size_t begin = 0; begin < width; begin += piece) {
    const std::span<double> to(sum + begin, std::min(piece, width - begin));
    for (std::size_t row = begin; row < values.size(); row += width)
      add_scaled(to, factor, values.subspan(row, to.size()));
  }
}

std::vector<float> read_rows(const InputRows& inputs, std::size_t d) {
  std::vector<float> x((inputs.end - inputs.begin) * d);
  parallel_for(inputs.end - inputs.begin,
               [&](std::size_t i) { inputs.row(inputs.begin + i, std::span(x).subspan(i * d, d)); });
  return x;
}

std::vector<double> widened(const std::vector<float>& values) { return {values.begin(), values.end()}; }

}  // namespace

void Passes::expect(std::size_t first, std::size_t rows, std::size_t passes) {
  first_ = first, now_ = rows, expected_ = made_ + passes;
  report();
}

void Passes::add(std::size_t passes) {
  made_ += passes;
  report();
}

void Passes::finish() {
  finished_rows_ += now_, finished_ += made_;
  now_ = made_ = expected_ = 0;
}

void Passes::report() const {
  if (progress_ == nullptr || now_ == 0) return;
  const std::size_t left = (rows_ - finished_rows_ - now_) * std::max(expected_, made_) / now_;
  progress_->update("passes", finished_ + made_, finished_ + std::max(expected_, made_) + left,
                    fmt::format("rows {} to {}", first_, first_ + now_ - 1));
}

ModelEvidence::ModelEvidence(const Classifier& classifier, const Noise& noise, const InputRows& inputs,
                             const AverageCaseOptions& options, Passes& passes)
    : ModelEvidence(classifier, noise, inputs, options, passes, read_rows(inputs, classifier.d)) {}

ModelEvidence::ModelEvidence(const Classifier& classifier, const Noise& noise, const InputRows& inputs,
                             const AverageCaseOptions& options, Passes& passes, std::vector<float> x)
    : Evidence(options, inputs.begin, inputs.end - inputs.begin, widened(classifier.logits(x))),
      classifier_(classifier),
      noise_(noise),
      passes_(passes),
      x_(std::move(x)),
      averaged_(options.sigmas.size()) {
  if (options.classes > 0)
    choose_classes(std::max<std::size_t>(options.classes, 2));
  else if (k() > few_classes)
    choose_classes(first_classes);
  expect_passes();
}

// What the methods asked for will take, as far as it is known which classes matter.
void ModelEvidence::expect_passes() {
  const std::size_t each = 1 + classes(), sigmas = options().sigmas.size();
  const auto asked = [&](std::initializer_list<std::string_view> names) {
    return options().methods.empty() || std::ranges::any_of(options().methods, [&](std::string_view method) {
             return std::ranges::find(names, method) != names.end();
           });
  };
  const bool averages = asked({"mmse", "mmse-mvs"});
  std::size_t passes = 0;
  if (asked({"taylor", "taylor-mvs"}) || (averages && !chosen_.empty())) passes += each;
  if (averages) passes += sigmas * options().copies * each;
  if (asked({"mc"})) passes += sigmas * options().draws;
  passes_.expect(first_row(), n(), n() * passes);
}

std::size_t ModelEvidence::bytes() const {
  return x_.size() * sizeof(float) + n() * (k() * sizeof(double) + sizeof(std::int32_t));
}

// e / sigma.
void ModelEvidence::draw(std::size_t row, std::uint32_t stream, std::size_t draw,
                         std::span<float> out) const {
  noise_.draw(options().seed, stream, first_row() + row, draw, out);
}

// The target and the classes of the largest logits.
void ModelEvidence::choose_classes(std::size_t count) {
  chosen_.clear();
  if (count >= k()) return;
  std::vector<std::int32_t> order(k());
  for (std::size_t i = 0; i < n(); ++i) {
    std::iota(order.begin(), order.end(), 0);
    const auto f = logits(i);
    std::ranges::stable_sort(order, std::greater<>{},
                             [&](std::int32_t c) { return f[static_cast<std::size_t>(c)]; });
    chosen_.insert(chosen_.end(), order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  }
}

// From the logits of all classes and the gradients of those chosen.
Boundaries ModelEvidence::boundaries(std::size_t row, std::span<const double> all,
                                     std::span<const double> gradients) const {
  check_finite(all, first_row() + row);
  if (!all_finite(gradients))
    refuse(
        "gradients", "finite numbers",
        fmt::format("{} at row {}",
                    *std::ranges::find_if_not(gradients, [](double value) { return std::isfinite(value); }),
                    first_row() + row));
  if (chosen_.empty()) return boundaries_of(all, gradients, static_cast<std::size_t>(targets()[row]), noise_);
  const auto names = std::span(chosen_).subspan(row * classes(), classes());
  std::vector<double> some;
  std::vector<std::uint8_t> seen(k(), 0);
  for (const std::int32_t name : names) {
    some.push_back(all[static_cast<std::size_t>(name)]);
    seen[static_cast<std::size_t>(name)] = 1;
  }
  Boundaries result = boundaries_of(some, gradients, 0, noise_, names);
  for (std::size_t c = 0; c < k(); ++c)
    if (!seen[c]) result.left_out.push_back(static_cast<float>(some[0] - all[c]));
  return result;
}

// Writes copies [begin, end) of a row: x + scale (e_c - mean of e), or x + sigma e_c as published and for a
// single copy, which would otherwise be the input itself.
void ModelEvidence::copy(const Copies& copies, std::size_t row, std::size_t begin, std::size_t end,
                         std::span<float> out) const {
  const std::size_t d = classifier_.d;
  const auto n = static_cast<double>(copies.count);
  const bool centred = copies.count > 1 && options().copy_draws == CopyDraws::centred;
  const auto scale = static_cast<float>(copies.sigma * (centred ? std::sqrt(n / (n - 1)) : 1));
  std::vector<float> other;
  std::vector<double> sum(d, 0);
  for (std::size_t c = 0; c < copies.count; ++c) {
    if (c < begin || c >= end) other.resize(d);
    const std::span<float> e = c < begin || c >= end ? std::span(other) : out.subspan((c - begin) * d, d);
    draw(row, mmse_noise, c, e);
    if (centred)
      for (std::size_t j = 0; j < d; ++j) sum[j] += static_cast<double>(e[j]);
  }
  const std::span<const float> clean = input(row);
  std::vector<float> centre(d);
  for (std::size_t j = 0; j < d; ++j) centre[j] = static_cast<float>(sum[j] / n);
  for (std::size_t at = 0; at < out.size(); at += d)
    for (std::size_t j = 0; j < d; ++j) out[at + j] = clean[j] + scale * (out[at + j] - centre[j]);
}

// Inputs from number `begin` on: the rows, or their copies one row after the other.
void ModelEvidence::fill(const Copies& copies, std::size_t begin, std::span<float> x) const {
  const std::size_t each = std::max<std::size_t>(copies.count, 1), d = classifier_.d;
  const std::size_t end = begin + x.size() / d, first = begin / each;
  parallel_for((end + each - 1) / each - first, [&](std::size_t i) {
    const std::size_t row = first + i;
    const std::size_t from = std::max(begin, row * each), to = std::min(end, (row + 1) * each);
    const std::span<float> out = x.subspan((from - begin) * d, (to - from) * d);
    if (copies.count == 0)
      std::ranges::copy(input(row), out.begin());
    else
      copy(copies, row, from - row * each, to - row * each, out);
  });
}

// Logits of inputs [begin, end), numbered as in fill(), and gradients of the classes considered.
ModelEvidence::Pass ModelEvidence::pass(const Copies& copies, std::size_t begin, std::size_t end,
                                        Spent& spent) const {
  const std::size_t m = classes(), each = std::max<std::size_t>(copies.count, 1), d = classifier_.d;
  std::vector<float> x((end - begin) * d);
  fill(copies, begin, x);
  std::vector<std::int32_t> names;
  for (std::size_t i = begin; i < end && !chosen_.empty(); ++i)
    names.insert(names.end(), chosen_.begin() + static_cast<std::ptrdiff_t>(i / each * m),
                 chosen_.begin() + static_cast<std::ptrdiff_t>((i / each + 1) * m));
  const double before = now();
  Pass found{std::vector<float>((end - begin) * k()),
             std::make_unique_for_overwrite<float[]>((end - begin) * m * d)};
  for_blocks(classifier_, end - begin, 1, [&](std::size_t first, std::size_t last) {
    stop_if_asked(options().progress);
    const auto of_block = [&](const auto& values, std::size_t width) {
      return std::span(values).subspan(first * width, (last - first) * width);
    };
    const Linearized here = classifier_.linearize(of_block(x, d));
    std::ranges::copy(here.logits, found.logits.data() + first * k());
    std::ranges::copy(class_gradients(here, k(), of_block(names, names.empty() ? 0 : m)),
                      found.gradients.get() + first * m * d);
  });
  const double seconds = now() - before;
  spent.model_seconds += seconds, passes_.seconds += seconds;
  passes_.add((end - begin) * (1 + m));
  const std::size_t block = std::min(end - begin, classifier_.rows_at_once);
  const std::size_t values = x.size() + names.size() + found.logits.size() + (end - begin + block) * m * d;
  spent.add({0, 0, (end - begin) * (1 + m),
             bytes() + values * sizeof(float) + cost(block, true).value_or(CallCost{}).bytes});
  return found;
}

// Boundaries at the means over copies, row by row: what is summed stays in the cache.
Evidence::Linearised ModelEvidence::linearise(const Copies& copies) const {
  const double start = now();
  const std::size_t d = classifier_.d, m = classes(), each = std::max<std::size_t>(copies.count, 1);
  const std::size_t at_once = std::clamp<std::size_t>(most_gradients / (m * d), 1, inputs_at_once);
  const std::size_t rows =
      std::max<std::size_t>(1, at_once / each);  // a row of many copies takes several passes
  Linearised result;
  result.rows.resize(n());
  for (std::size_t first = 0; first < n(); first += rows) {
    const std::size_t last = std::min(first + rows, n());
    std::vector<Sums> sums(last - first);
    for (std::size_t begin = first * each; begin < last * each;) {
      const std::size_t end = std::min(rows > 1 ? last * each : begin + at_once, last * each);
      const Pass found = pass(copies, begin, end, result.spent);
      const bool complete = end == last * each;
      parallel_for(last - first, [&](std::size_t r) {
        const std::size_t one = std::max((first + r) * each, begin) - begin;
        const std::size_t count = std::min((first + r + 1) * each, end) - begin - one;
        Sums& sum = sums[r];
        sum.logits.resize(k()), sum.gradients.resize(m * d);
        add_rows(std::span(found.logits).subspan(one * k(), count * k()), k(), 1. / static_cast<double>(each),
                 sum.logits.data());
        add_rows(std::span(found.gradients.get() + one * m * d, count * m * d), m * d,
                 1. / static_cast<double>(each), sum.gradients.data());
        if (!complete) return;
        result.rows[first + r] = boundaries(first + r, sum.logits, sum.gradients);
        sum = {};
      });
      begin = end;
    }
  }
  result.spent.seconds = now() - start;
  return result;
}

const Evidence::Linearised& ModelEvidence::at_input() {
  if (at_input_) return *at_input_;
  const double widest = *std::ranges::max_element(options().sigmas);
  Spent spent;
  while (true) {
    at_input_ = linearise({});
    spent.add(at_input_->spent);
    if (options().classes > 0 || chosen_.empty() ||
        std::ranges::all_of(at_input_->rows, [&](const Boundaries& row) {
          return row.left_out_mass(widest) <= options().mvn.tolerance;
        }))
      break;
    choose_classes(2 * classes());
    expect_passes();
  }
  at_input_->spent = spent;
  return *at_input_;
}

const Evidence::Linearised& ModelEvidence::averaged(std::size_t sigma) {
  if (!chosen_.empty()) (void)at_input();  // says how many classes can matter
  if (!averaged_[sigma]) averaged_[sigma] = linearise({options().copies, options().sigmas[sigma]});
  return *averaged_[sigma];
}

void ModelEvidence::count_kept(std::size_t sigma, std::span<const std::size_t> rows, std::size_t first,
                               std::size_t draws, std::vector<Kept>& counts, Spent& spent) {
  const std::size_t d = classifier_.d, total = rows.size() * draws;
  const auto scale = static_cast<float>(options().sigmas[sigma]);
  std::vector<float> x;
  for (std::size_t begin = 0; begin < total; begin += inputs_at_once) {
    stop_if_asked(options().progress);
    const std::size_t count = std::min(inputs_at_once, total - begin);
    x.resize(count * d);
    parallel_for(count, [&](std::size_t i) {
      const std::size_t row = rows[(begin + i) / draws];
      const std::span<float> out = std::span(x).subspan(i * d, d);
      draw(row, monte_carlo_noise, first + (begin + i) % draws, out);
      const std::span<const float> clean = input(row);
      for (std::size_t j = 0; j < d; ++j) out[j] = clean[j] + scale * out[j];
    });
    const double before = now();
    const std::vector<float> found = classifier_.logits(x);
    spent.model_seconds += now() - before;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = rows[(begin + i) / draws];
      const auto logits = std::span(found).subspan(i * k(), k());
      if (!std::ranges::all_of(logits, [](float f) { return std::isfinite(f); }))
        check_finite(std::vector<double>(logits.begin(), logits.end()), first_row() + row);
      ++counts[row].draws;
      counts[row].kept += std::ranges::max_element(logits) - logits.begin() == targets()[row];
    }
    passes_.add(count);
    spent.add({0, 0, count,
               bytes() + (x.size() + found.size()) * sizeof(float) +
                   cost(count, false).value_or(CallCost{}).bytes});
  }
}

}  // namespace leeway::average_case
