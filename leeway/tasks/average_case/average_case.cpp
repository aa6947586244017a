#include "leeway/tasks/average_case/average_case.h"

#include <fmt/format.h>

#include <initializer_list>
#include <type_traits>

#include "leeway/core/message.h"
#include "leeway/io/groups.h"
#include "leeway/tasks/average_case/robustness.h"
#include "leeway/tasks/saved_work.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

namespace {

using average_case::Column;
using average_case::MadeElsewhere;
using average_case::Noise;
using Clock = std::chrono::steady_clock;

// -- Rows done so far, in a file

// Of rows [0, n) under these options.
SavedWork saved_work(const AverageCaseTask& task, AverageCaseOptions options, std::size_t n) {
  options.rows = n, options.convergence = false;
  return {task.state, std::move(options), task.seed, task.made_of};
}

// Calls `visit(name, values)` for the arrays of column c.
template <class OneColumn, class Visit>
void each_array(OneColumn& column, std::size_t c, const Visit& visit) {
  visit(fmt::format("p {}", c), column.p);
  visit(fmt::format("low {}", c), column.low);
  visit(fmt::format("high {}", c), column.high);
  visit(fmt::format("error {}", c), column.error);
  visit(fmt::format("draws {}", c), column.draws);
  visit(fmt::format("radius {}", c), column.radius);
}

ArrayMap arrays_of(const average_case::AverageCase& done) {
  ArrayMap arrays;
  const auto put = [&]<class T>(const std::string& name, const std::vector<T>& values) {
    arrays[name] = make_array<T>({values.size()}, values);
  };
  put("targets", done.targets);
  put("confidence", done.confidence);
  put("seconds", std::vector{done.seconds, done.model_seconds});
  for (std::size_t c = 0; c < done.columns.size(); ++c) {
    const Column& column = done.columns[c];
    each_array(column, c, put);
    put(fmt::format("rest {}", c),
        std::vector{static_cast<double>(column.not_converged), column.left_out, column.seconds,
                    column.model_seconds, static_cast<double>(column.zero_gradients),
                    column.flops.value_or(-1), static_cast<double>(column.peak_bytes.value_or(0))});
  }
  return arrays;
}

// `done`: without rows.
average_case::AverageCase rows_in(const ArrayMap& arrays, average_case::AverageCase done,
                                  const std::filesystem::path& path) {
  const auto take = [&]<class T>(const std::string& name, std::vector<T>& values) {
    const auto view = arrays.at(name).view<T>();
    values.assign(view.begin(), view.end());
  };
  std::vector<double> seconds, rest;
  take("targets", done.targets);
  take("confidence", done.confidence);
  take("seconds", seconds);
  done.seconds = seconds.at(0), done.model_seconds = seconds.at(1);
  for (std::size_t c = 0; c < done.columns.size(); ++c) {
    Column& column = done.columns[c];
    each_array(column, c, take);
    take(fmt::format("rest {}", c), rest);
    column.not_converged = static_cast<std::size_t>(rest.at(0)), column.left_out = rest.at(1);
    column.seconds = rest.at(2), column.model_seconds = rest.at(3);
    column.zero_gradients = static_cast<std::size_t>(rest.at(4));
    if (rest.size() > 6 && rest[5] >= 0)  // files of older versions lack them
      column.flops = rest[5], column.peak_bytes = static_cast<std::size_t>(rest[6]);
    if (column.p.size() != done.targets.size())
      refuse(display_name(path), "one value per row", "another number");
  }
  return done;
}

// Passes of one range of rows as a part of those of all rows, from `before` to `n`.
class RangeProgress : public Progress {
 public:
  RangeProgress(Progress* whole, std::size_t before, std::size_t n) : whole_(whole), before_(before), n_(n) {}
  void set_range(std::size_t begin, std::size_t end) { begin_ = begin, end_ = end; }

  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) override {
    const std::size_t rows = std::max<std::size_t>(1, end_ - begin_);
    if (whole_ == nullptr) return;
    whole_->update(task, (begin_ - before_) * total / rows + done, (n_ - before_) * total / rows, note);
  }
  [[nodiscard]] bool stop_requested() const override { return whole_ != nullptr && whole_->stop_requested(); }

 private:
  Progress* whole_;
  std::size_t before_, n_, begin_ = 0, end_ = 0;
};

// -- The analysis

bool has_gradients(const AverageCaseTask& task) {
  if (const auto* const model = std::get_if<ClassifierInputs>(&task.of))
    return static_cast<bool>(model->classifier.linearize);
  const auto& files = std::get<MadeElsewhere>(task.of);
  return files.jacobian || files.gram;
}

// Methods in the order of the family where none were named: those that the input permits.
std::vector<std::string> methods_of(const AverageCaseTask& task) {
  if (!task.options.methods.empty()) return task.options.methods;
  const bool model = std::holds_alternative<ClassifierInputs>(task.of);
  std::vector<std::string> methods;
  for (const auto& member : average_case::estimators())
    if (member.name != "mc" && (!member.model || model) && (!member.gradients || has_gradients(task)))
      methods.emplace_back(member.name);
  return methods;
}

std::vector<std::size_t> growing(std::initializer_list<std::size_t> counts, std::size_t most) {
  std::vector<std::size_t> result;
  for (const std::size_t count : counts)
    if (count < most) result.push_back(count);
  result.push_back(most);
  return result;
}

class AverageCaseAnalysis {
 public:
  AverageCaseAnalysis(const AverageCaseTask& task, Progress* progress)
      : task_(task), progress_(progress), chosen_(task.options), groups_(task.groups) {
    put_in_bins(groups_);
    chosen_.methods = methods_of(task);
    options_.methods.assign(chosen_.methods.begin(), chosen_.methods.end());
    options_.sigmas = chosen_.sigma;
    options_.draws = chosen_.draws, options_.width = chosen_.width, options_.copies = chosen_.copies;
    if (chosen_.copies_as_published) options_.copy_draws = average_case::CopyDraws::as_published;
    options_.temperature = chosen_.temperature, options_.classes = chosen_.classes;
    options_.level = chosen_.level, options_.mvn.tolerance = chosen_.tolerance;
    options_.alpha = chosen_.certify_alpha.value_or(options_.alpha);
    options_.seed = task.seed, options_.progress = progress_;
  }

  AverageCaseResult run() {
    const TaskClock clock;
    if (const auto* const model = std::get_if<ClassifierInputs>(&task_.of))
      of_classifier(*model);
    else
      of_files(std::get<MadeElsewhere>(task_.of));
    AverageCase& record = result_.record;
    record.found =
        robustness_of(result_.rows, k_, result_.labels, task_.class_names, task_.options, task_.seed);
    record.found.group_bias = groups_of(result_.rows, record.found, groups_);
    if (auto curves = certified_curves(result_.rows, result_.labels, options_); !curves.empty())
      record.found.certified = {options_.alpha, std::move(curves)};
    record.found.convergence = std::move(steps_);
    Envelope& envelope = record.envelope;
    envelope.headline = headline_of(record.found);
    envelope.findings = findings_of(record.found);
    for (const std::string& line : gradient_warnings(record.found)) envelope.warnings.push_back(line);
    for (const GroupColumn& column : groups_)
      if (column.levels.size() > most_compared)
        envelope.warnings.push_back(fmt::format("groups {}: too many values to compare: {} (at most {})",
                                                in_quotes(column.name), column.levels.size(), most_compared));
    clock.stamp(envelope, task_.seed);
    return std::move(result_);
  }

 private:
  [[nodiscard]] Noise noise(std::size_t d) const {
    return Noise(d, average_case::noise_kind(chosen_.noise), task_.noise_covariance);
  }

  [[nodiscard]] std::size_t rows_of(std::size_t n) const {
    return chosen_.rows > 0 ? std::min(chosen_.rows, n) : n;
  }

  void take_labels(std::size_t n) {
    for (const GroupColumn& column : groups_)
      if (column.codes.size() < n)
        refuse(fmt::format("average_case: groups {}", in_quotes(column.name)),
               fmt::format("at least {}, as many as rows", n), column.codes.size());
    if (!task_.labels) return;
    if (task_.labels->size() < n)
      refuse("average_case: labels", fmt::format("at least {}, as many as rows", n), task_.labels->size());
    result_.labels.emplace(task_.labels->begin(), task_.labels->begin() + static_cast<std::ptrdiff_t>(n));
    if (count_labels(*result_.labels) < n)
      result_.labels.reset();  // groups by predictions: all rows have one
  }

  void of_files(const MadeElsewhere& given) {
    MadeElsewhere files = given;
    if (task_.noise_covariance && !files.jacobian)
      refuse("average_case: covariance of the noise",
             "a Jacobian as well (Gram matrices already include the noise)", "none");
    if (!files.logits.shape.empty() && rows_of(files.logits.shape[0]) < files.logits.shape[0]) {
      const std::size_t n = rows_of(files.logits.shape[0]);
      files.logits = first_rows(files.logits, n);
      if (files.jacobian) files.jacobian = first_rows(*files.jacobian, n);
      if (files.gram) files.gram = first_rows(*files.gram, n);
    }
    const std::size_t d = files.jacobian && files.jacobian->shape.size() == 3 ? files.jacobian->shape[2] : 1;
    result_.rows = average_case::average_case(files, noise(d), options_);
    k_ = files.logits.shape[1];
    take_labels(result_.rows.targets.size());
  }

  void of_classifier(const ClassifierInputs& model) {
    k_ = model.classifier.k;
    const std::size_t n = rows_of(model.n);
    take_labels(n);
    const Noise e = noise(model.classifier.d);
    const SavedWork state = saved_work(task_, chosen_, n);
    average_case::AverageCase& all = result_.rows;
    try {
      run_ranges(model, e, n, state);
      if (chosen_.convergence) converge(model, e, n);
    } catch (const Interrupted&) {
      if (!state.saves()) throw Interrupted("average-case: stopped; nothing was saved");
      state.save({arrays_of(all), {}});
      throw Interrupted(fmt::format(
          "average-case: stopped after {} of {} rows, which were saved; the same command resumes from there",
          all.targets.size(), n));
    }
  }

  // Rows in ranges; what is done is saved now and then, and taken over by a rerun.
  void run_ranges(const ClassifierInputs& model, const Noise& e, std::size_t n, const SavedWork& state) {
    average_case::AverageCase& all = result_.rows;
    const auto range = [&](std::size_t begin, std::size_t end, Progress* progress) {
      average_case::AverageCaseOptions own = options_;
      own.progress = progress;
      return average_case::average_case(model.classifier, e, model.input, begin, end, own);
    };
    const average_case::AverageCase empty = range(0, 0, nullptr);
    all = state
              .load([this](std::string line) { result_.record.envelope.warnings.push_back(std::move(line)); },
                    [&](const Safetensors& saved) { return rows_in(saved.tensors, empty, task_.state); })
              .value_or(empty);
    const std::size_t before = all.targets.size();
    if (before > 0 && task_.resumed) task_.resumed(before, n);
    auto saved = Clock::now();
    RangeProgress progress(progress_, before, n);
    const std::size_t at_once = average_case::rows_at_once(k_);
    for (std::size_t begin = before; begin < n; begin += at_once) {
      const std::size_t end = std::min(n, begin + at_once);
      progress.set_range(begin, end);
      all.append(range(begin, end, &progress));
      const auto now = Clock::now();
      if (!state.saves() || end == n || now - saved < std::chrono::seconds(5)) continue;
      state.save({arrays_of(all), {}});
      saved = now;
    }
  }

  void converge(const ClassifierInputs& model, const Noise& e, std::size_t n) {
    constexpr std::size_t most_rows = 100;
    const std::size_t rows = std::min(n, most_rows);
    const auto counts = [&](std::string_view method, std::initializer_list<std::size_t> some,
                            std::size_t most) {
      const bool wanted = std::ranges::find(chosen_.methods, method) != chosen_.methods.end();
      return wanted ? growing(some, most) : std::vector<std::size_t>();
    };
    const auto draws = counts("mc", {10, 30, 100, 300, 1000, 3000}, chosen_.draws);
    const auto copies = counts("mmse", {1, 2, 5, 10, 20, 50, 100}, chosen_.copies);
    for (auto& point :
         average_case::convergence(model.classifier, e, model.input, rows, options_, draws, copies))
      steps_.push_back({std::move(point), rows});
  }

  const AverageCaseTask& task_;
  Progress* progress_;
  AverageCaseOptions chosen_;  // with the methods that are computed
  average_case::AverageCaseOptions options_;
  std::vector<GroupColumn> groups_;  // columns of numbers are bins
  AverageCaseResult result_;
  std::vector<ConvergenceStep> steps_;
  std::size_t k_ = 0;
};

}  // namespace

AverageCaseResult average_case(const AverageCaseTask& task, Progress* progress) {
  return AverageCaseAnalysis(task, progress).run();
}

ArrayMap per_sample_arrays(const AverageCaseResult& result) {
  const average_case::AverageCase& cases = result.rows;
  const std::vector<double>& all_sigmas = result.record.found.options.sigma;
  const std::size_t n = cases.targets.size(), sigmas = all_sigmas.size();
  ArrayMap arrays;
  const auto table = [&](std::string_view method, auto member) {
    using Value = typename std::remove_cvref_t<decltype(std::declval<Column>().*member)>::value_type;
    std::vector<Value> values(n * sigmas);
    std::size_t s = 0;
    for (const Column& column : cases.columns) {
      if (column.estimator->name != method) continue;
      for (std::size_t i = 0; i < n; ++i) values[i * sigmas + s] = (column.*member)[i];
      ++s;
    }
    return make_array<Value>({n, sigmas}, std::move(values));
  };
  for (const Column& column : cases.columns) {
    const std::string name(column.estimator->name);
    if (arrays.contains(name)) continue;
    arrays[name] = table(name, &Column::p);
    if (column.draws.empty()) continue;
    arrays["mc_low"] = table(name, &Column::low), arrays["mc_high"] = table(name, &Column::high);
    arrays["mc_draws"] = table(name, &Column::draws);
    if (!column.radius.empty()) arrays["certified_radius"] = table(name, &Column::radius);
  }
  arrays["sigmas"] = make_array<double>({sigmas}, all_sigmas);
  arrays["targets"] = make_array<std::int32_t>({n}, cases.targets);
  arrays["confidence"] = make_array<double>({n}, cases.confidence);
  if (result.labels) arrays["labels"] = make_array<std::int64_t>({n}, *result.labels);
  return arrays;
}

}  // namespace leeway::tasks
