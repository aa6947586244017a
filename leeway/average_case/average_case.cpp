#include "leeway/average_case/average_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "leeway/average_case/certified.h"
#include "leeway/average_case/detail/evidence.h"
#include "leeway/average_case/detail/model_evidence.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"

namespace leeway::average_case {
namespace {

// Values [begin, end) of the flat array.
std::vector<double> values(const Array& array, std::size_t begin, std::size_t end) {
  const auto copy = [&](const auto& view) {
    return std::vector<double>(view.begin() + static_cast<std::ptrdiff_t>(begin),
                               view.begin() + static_cast<std::ptrdiff_t>(end));
  };
  return array.type == ElementType::f32 ? copy(array.view<float>()) : copy(array.view<double>());
}

std::vector<double> finite_values(const MadeElsewhere& files, const Array& array, std::string_view what,
                                  std::size_t row) {
  const std::size_t size = array.size() / array.shape[0];
  std::vector<double> found = values(array, row * size, (row + 1) * size);
  for (const double value : found)
    if (!std::isfinite(value))
      refuse(files.name, fmt::format("{} of finite numbers", what), fmt::format("{} at row {}", value, row));
  return found;
}

Boundaries from_gram(const MadeElsewhere& files, std::span<const double> logits, std::size_t row,
                     std::size_t target) {
  const std::vector<double> gram = finite_values(files, *files.gram, "Gram matrices", row);
  try {
    return boundaries_of_gram(logits, gram, target,
                              files.gram->type == ElementType::f32 ? rounding_f32 : rounding_f64);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: row {}: {}", files.name, row, error.what()));
  }
}

// Throws Error for shapes that do not fit.
void check(const MadeElsewhere& files, const Noise& noise) {
  const Array& logits = files.logits;
  if (!logits.is_float() || logits.shape.size() != 2 || logits.shape[0] < 1 || logits.shape[1] < 2)
    refuse(files.name, "logits (n,k) of floats, k at least 2",
           fmt::format("{} {}", name_of(logits.type), logits.shape_text()));
  const std::size_t n = logits.shape[0], k = logits.shape[1];
  const auto fits = [&](const std::optional<Array>& array, std::size_t last, std::string_view what,
                        std::string_view expected) {
    if (!array) return;
    const bool right = array->is_float() && array->shape.size() == 3 && array->shape[0] == n &&
                       array->shape[1] == k && array->shape[2] == last && last > 0;
    if (!right)
      refuse(files.name, fmt::format("{} of shape {} of floats", what, expected),
             fmt::format("{} {}", name_of(array->type), array->shape_text()));
  };
  fits(files.jacobian, noise.d(), "a Jacobian",
       noise.d() > 0 ? fmt::format("({}, {}, {})", n, k, noise.d())
                     : fmt::format("({}, {}, d), d at least 1,", n, k));
  fits(files.gram, k, "Gram matrices", fmt::format("({}, {}, {})", n, k, k));
}

class FileEvidence : public Evidence {
 public:
  // Rows [begin, end) of the files, whose shapes are checked.
  FileEvidence(const MadeElsewhere& files, const Noise& noise, std::size_t begin, std::size_t end,
               const AverageCaseOptions& options)
      : Evidence(options, begin, end - begin,
                 values(files.logits, begin * files.logits.shape[1], end * files.logits.shape[1])),
        files_(files),
        noise_(noise) {}

  [[nodiscard]] const Linearised& at_input() override {
    if (at_input_) return *at_input_;
    const double start = now();
    at_input_.emplace();
    at_input_->rows.resize(n());
    parallel_for(n(), [&](std::size_t i) {
      stop_if_asked(options().progress);
      const std::size_t row = first_row() + i;
      const auto target = static_cast<std::size_t>(targets()[i]);
      if (files_.jacobian)
        at_input_->rows[i] = boundaries_of(
            logits(i), finite_values(files_, *files_.jacobian, "a Jacobian", row), target, noise_);
      else
        at_input_->rows[i] = from_gram(files_, logits(i), row, target);
    });
    at_input_->spent.seconds = now() - start;
    return *at_input_;
  }

 private:
  const MadeElsewhere& files_;
  const Noise& noise_;
  std::optional<Linearised> at_input_;
};

void require(bool right, std::string_view what, std::string_view expected, double found) {
  if (!right) refuse(fmt::format("average_case: {}", what), expected, fmt::format("{:g}", found));
}

void check(const AverageCaseOptions& options) {
  if (options.sigmas.empty()) refuse("average_case: sigma", "at least one", "none");
  for (const double sigma : options.sigmas)
    require(sigma >= 0 && std::isfinite(sigma), "sigma", "a finite number of at least 0", sigma);
  require(options.draws >= 1 && options.draws <= 0xFFFFFFFF, "draws", "1 to 4294967295",
          static_cast<double>(options.draws));
  require(options.copies >= 1 && options.copies <= 0xFFFFFFFF, "copies", "1 to 4294967295",
          static_cast<double>(options.copies));
  require(options.width >= 0 && options.width <= 1, "width", "0 to 1", options.width);
  require(options.temperature > 0 && std::isfinite(options.temperature), "temperature", "a positive number",
          options.temperature);
  require(options.level > 0 && options.level < 1, "level", "a number within (0, 1)", options.level);
  require(options.alpha > 0 && options.alpha < .5, "alpha", "a number within (0, 0.5)", options.alpha);
}

std::vector<Column> empty_columns(const AverageCaseOptions& options) {
  std::vector<const Estimator*> methods;
  for (const std::string_view name : options.methods) methods.push_back(&estimator(name));
  if (methods.empty())
    for (const Estimator& member : estimators()) methods.push_back(&member);
  std::vector<Column> columns;
  for (const Estimator* method : methods)
    for (const double sigma : options.sigmas) {
      columns.emplace_back();
      columns.back().estimator = method, columns.back().sigma = sigma;
    }
  return columns;
}

void estimate(Evidence& evidence, const AverageCaseOptions& options, AverageCase& result) {
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    result.columns[c].estimator->run(evidence, c % options.sigmas.size(), result.columns[c]);
  result.targets.insert(result.targets.end(), evidence.targets().begin(), evidence.targets().end());
  for (std::size_t i = 0; i < evidence.n(); ++i) {
    double sum = 0;
    const auto f = evidence.logits(i);
    for (const double value : f) sum += std::exp(value - f[static_cast<std::size_t>(evidence.targets()[i])]);
    result.confidence.push_back(1 / sum);
  }
}

}  // namespace

// Each is defined in estimators/, in the file of its equation.
Estimator monte_carlo();
Estimator taylor();
Estimator taylor_mvs();
Estimator mmse();
Estimator mmse_mvs();
Estimator softmax();

std::span<const Estimator> estimators() {
  static const Estimator list[] = {monte_carlo(), taylor(), taylor_mvs(), mmse(), mmse_mvs(), softmax()};
  return list;
}

std::size_t rows_at_once(std::size_t classes) { return classes > few_classes ? 32 : 256; }

const Estimator& estimator(std::string_view name) { return find_member(estimators(), "estimator", name); }

void AverageCase::append(AverageCase other) {
  const auto add = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  add(targets, other.targets);
  add(confidence, other.confidence);
  seconds += other.seconds, model_seconds += other.model_seconds;
  if (columns.empty()) {
    columns = std::move(other.columns);
    return;
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Column& to = columns[c];
    const Column& from = other.columns[c];
    add(to.p, from.p), add(to.low, from.low), add(to.high, from.high), add(to.error, from.error);
    add(to.draws, from.draws), add(to.radius, from.radius);
    to.not_converged += from.not_converged, to.zero_gradients += from.zero_gradients;
    to.left_out = std::max(to.left_out, from.left_out);
    to.seconds += from.seconds, to.model_seconds += from.model_seconds;
    if (from.flops) to.flops = to.flops.value_or(0) + *from.flops;
    if (from.peak_bytes) to.peak_bytes = std::max(to.peak_bytes.value_or(0), *from.peak_bytes);
  }
}

AverageCase average_case(const Classifier& classifier, const Noise& noise, const InputRow& input,
                         std::size_t begin, std::size_t end, const AverageCaseOptions& options) {
  check(options);
  if (noise.d() != classifier.d)
    refuse("average_case: noise", fmt::format("{} coordinates, as inputs have", classifier.d), noise.d());
  if (classifier.k < 2) refuse("average_case: classifier", "at least 2 classes", classifier.k);
  const double start = now();
  AverageCase result;
  result.columns = empty_columns(options);
  for (const Column& column : result.columns)
    if (column.estimator->gradients && !classifier.linearize)
      refuse("average_case: classifier", fmt::format("gradients, for {}", column.estimator->name), "none");
  const std::size_t at_once = rows_at_once(classifier.k);
  Passes passes(options.progress, end - begin);
  Classifier timed = classifier;
  timed.logits = [&](std::span<const float> x) {
    const double before = now();
    std::vector<float> logits = classifier.logits(x);
    passes.seconds += now() - before;
    return logits;
  };
  for (std::size_t first = begin; first < end; first += at_once) {
    ModelEvidence evidence(timed, noise, {input, first, std::min(first + at_once, end)}, options, passes);
    estimate(evidence, options, result);
    passes.finish();
  }
  if (noise.isotropic_gaussian())
    for (Column& column : result.columns) column.radius = certified_radii(column, options);
  result.seconds = now() - start, result.model_seconds = passes.seconds;
  return result;
}

AverageCase average_case(const MadeElsewhere& files, const Noise& noise, const AverageCaseOptions& options) {
  check(options);
  check(files, noise);
  const double start = now();
  AverageCase result;
  result.columns = empty_columns(options);
  for (const Column& column : result.columns) {
    if (column.estimator->model)
      refuse(fmt::format("method {}", column.estimator->name), "a model, to evaluate noisy copies",
             "files only");
    if (column.estimator->gradients && !files.jacobian && !files.gram)
      refuse(files.name, fmt::format("a Jacobian or Gram matrices, for {}", column.estimator->name), "none");
  }
  const std::size_t n = files.logits.shape[0];
  const std::size_t at_once = rows_at_once(files.logits.shape[1]);
  for (std::size_t first = 0; first < n; first += at_once) {
    FileEvidence evidence(files, noise, first, std::min(first + at_once, n), options);
    estimate(evidence, options, result);
    if (options.progress == nullptr) continue;
    options.progress->update("rows", std::min(first + at_once, n), n, "");
    stop_if_asked(options.progress, "average-case: stopped; nothing was saved");
  }
  result.seconds = now() - start;
  return result;
}

std::vector<ConvergencePoint> convergence(const Classifier& classifier, const Noise& noise,
                                          const InputRow& input, std::size_t n,
                                          const AverageCaseOptions& options,
                                          std::span<const std::size_t> draws,
                                          std::span<const std::size_t> copies) {
  std::vector<ConvergencePoint> points;
  AverageCaseOptions run = options;
  run.width = 0;
  const auto add = [&](std::string_view method, std::span<const std::size_t> counts, std::size_t& count) {
    run.methods = {method};
    std::vector<AverageCase> runs;
    for (const std::size_t value : counts) {
      count = value;
      runs.push_back(average_case(classifier, noise, input, 0, n, run));
    }
    for (std::size_t c = 0; !runs.empty() && c < runs.back().columns.size(); ++c)
      for (std::size_t r = 0; r < runs.size(); ++r) {
        const Column &settled = runs.back().columns[c], &found = runs[r].columns[c];
        ConvergencePoint point{std::string(method), found.sigma, counts[r]};
        for (std::size_t i = 0; i < n; ++i) {
          const double change = std::abs(found.p[i] - settled.p[i]);
          point.mean_change += change / static_cast<double>(n);
          point.most_change = std::max(point.most_change, change);
        }
        points.push_back(point);
      }
  };
  add("mc", draws, run.draws);
  add("mmse", copies, run.copies);
  return points;
}

}  // namespace leeway::average_case
