#include "leeway/tasks/assess/detail/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "leeway/agreement/feature_drift.h"
#include "leeway/core/contingency.h"
#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"
#include "leeway/core/two_samples.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/assess/chunks.h"
#include "leeway/tasks/assess/detail/band.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/assess/detail/drift.h"

namespace leeway::assess {
namespace {

using error_bound::Sample;
using tasks::TimelineChunk;

constexpr std::size_t chunks_at_once = 64;
constexpr std::size_t most_draws = 2000, least_draws = 200, drawn_scores = 40'000'000;

// Values of a column that both sides have, by codes of their own that count the values of both.
struct JointColumn {
  std::string name;
  std::vector<std::size_t> source_counts;
  std::span<const std::int32_t> codes;  // of the target
  std::vector<std::size_t> places;      // of the target's levels
  std::vector<double> source_numbers;   // of a column of numbers: ascending
  std::span<const double> numbers;      // and the target's, by row
};

std::vector<JointColumn> joint_columns(const Source& before, const Target& after) {
  std::vector<JointColumn> joint;
  for (const GroupColumn& column : before.outputs.groups) {
    const auto same = std::ranges::find(after.outputs.groups, column.name, &GroupColumn::name);
    if (same == after.outputs.groups.end()) continue;
    std::map<std::string_view, std::size_t> places;
    for (const auto* levels : {&column.levels, &same->levels})
      for (const std::string& level : *levels) places.try_emplace(level, places.size());
    JointColumn& one = joint.emplace_back(JointColumn{column.name, {}, same->codes, {}, {}, {}});
    one.source_numbers = known_numbers(numbers_of(before.numbers, column.name));
    std::ranges::sort(one.source_numbers);
    one.numbers = numbers_of(after.numbers, column.name);
    one.source_counts.resize(places.size());
    for (const std::int32_t code : column.codes)
      ++one.source_counts[places[column.levels[static_cast<std::size_t>(code)]]];
    for (const std::string& level : same->levels) one.places.push_back(places[level]);
  }
  return joint;
}

// Homogeneity of counts, pooling rare values until the smaller side expects `enough_expected` rows of each.
double pooled_p(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const auto total = [](const std::vector<std::size_t>& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  };
  const double n = total(a), m = total(b), part = std::min(n, m) / (n + m);
  std::vector<std::size_t> order = all_rows(a.size());
  std::ranges::stable_sort(order, {}, [&](std::size_t j) { return a[j] + b[j]; });
  const auto rare = [&](std::size_t rows) { return part * static_cast<double>(rows) < enough_expected; };
  std::vector<std::size_t> x{0}, y{0};
  for (const std::size_t j : order) {
    const std::size_t pooled = x[0] + y[0];
    if (rare(a[j] + b[j]) || (pooled > 0 && rare(pooled)))
      x[0] += a[j], y[0] += b[j];
    else
      x.push_back(a[j]), y.push_back(b[j]);
  }
  return rare(x[0] + y[0]) && x[0] + y[0] > 0 && x.size() > 1 ? 1 : homogeneity(x, y).p;
}

class Timeline {
 public:
  Timeline(const AnalysedSource& source, const Target& target, const Summary& summary, const Task& task)
      : source_(source.source->outputs),
        before_(source.predictions),
        target_(target.outputs),
        after_(predict(target.outputs.logits, target.outputs.path)),
        summary_(summary),
        task_(task),
        labels_(labels_of(target_, source_, summary.pairs)),
        source_rows_(labelled_rows(source_, labels_of(source_, target_, summary.pairs), before_)),
        columns_(joint_columns(*source.source, target)),
        known_{source_.path, source_rows_.logits, source_rows_.labels, {}},
        source_confidences_(before_.confidences) {
    const Outputs* const pairs = summary.paired ? &source_ : nullptr;
    chunks_ = task.options.chunk ? cut_by_time(target_, pairs, parse_chunk_size(*task.options.chunk))
                                 : cut_by_files(target_, pairs, target.files);
    found_.model = target.model, found_.target = target.shift;
    found_.calendar = chunks_.calendar, found_.gaps = chunks_.gaps, found_.level = task.level;
    found_.delta = task.options.delta;
    constexpr const char* words[] = {"span", "rows", "files"};
    found_.by = words[static_cast<std::size_t>(chunks_.by)];
    found_.chunks.resize(chunks_.list.size());
    std::ranges::sort(source_confidences_);
    source_classes_ = code_counts(before_.classes, target_.k());
    if (summary.likely_error) estimates_.emplace(known_);
    if (!source_.features || !target_.features) return;
    features_.emplace(*source_.features, source_.path, *target_.features, target_.path, task.seed);
    spread_ = features_->spread(false);
  }

  tasks::AssessTimeline run(Progress* progress) {
    const std::size_t m = chunks_.list.size();
    for (std::size_t begin = 0; begin < m; begin += chunks_at_once) {
      stop_if_asked(progress);
      if (progress) progress->update("over time", begin, m, found_.target);
      parallel_for(std::min(chunks_at_once, m - begin), [&](std::size_t i) { measure(begin + i); });
    }
    add_bounds(progress);
    adjust();
    add_bands();
    say_why();
    if (progress) progress->update("over time", m, m, found_.target);
    return std::move(found_);
  }

 private:
  void measure(std::size_t i) {
    const Chunk& chunk = chunks_.list[i];
    TimelineChunk& found = found_.chunks[i];
    found.chunk = chunk.name, found.start = chunk.start, found.end = chunk.end;
    found.n = chunk.rows.size();
    if (!labels_.empty()) {
      std::size_t right = 0;
      for (const std::size_t row : chunk.rows) right += after_.classes[row] == labels_[row] ? 1 : 0;
      if (const std::size_t labelled = labelled_in(chunk); labelled > 0)
        found.accuracy = share(right, labelled, task_.level);
    }
    double sum = 0;
    for (const std::size_t row : chunk.rows) sum += after_.confidences[row];
    found.confidence.shifted_mean = std::min(1., sum / static_cast<double>(found.n));
    const Array logits = Rows(target_.logits).take(chunk.rows);
    add_agreement(found, chunk, logits);
    add_estimates(found, logits);
    add_drift(found, chunk);
  }

  void add_agreement(TimelineChunk& found, const Chunk& chunk, const Array& logits) const {
    if (summary_.paired)
      return agree(found, Rows(source_.logits).take(chunk.rows), at_rows(before_.classes, chunk.rows), logits,
                   at_rows(after_.classes, chunk.rows));
    if (chunks_.by != ChunkedBy::files || found.n != source_.n() || task_.options.paired == "no") return;
    std::vector<std::size_t> rows = chunk.rows;
    std::ranges::sort(rows);
    const std::vector<std::int32_t> classes = at_rows(after_.classes, rows);
    Outputs file;
    file.path = chunk.name;
    file.logits = Rows(target_.logits).take(rows);
    if (target_.labels) file.labels = at_rows(*target_.labels, rows);
    if (target_.ids) file.ids = at_rows(*target_.ids, rows);
    if (pair(source_, file, before_.classes, classes, Paired::automatic).paired)
      agree(found, source_.logits, before_.classes, file.logits, classes);
  }

  void agree(TimelineChunk& found, const Array& clean, std::span<const std::int32_t> clean_classes,
             const Array& shifted, std::span<const std::int32_t> shifted_classes) const {
    const agreement::Agreement all = agreement::posterior_agreement(
        clean, shifted, {},
        {.level = task_.level, .seed = task_.seed, .clean_name = source_.path, .shifted_name = target_.path});
    found.paired = true;
    found.pa = measured(all.pa, all.pa_interval);
    found.afr_pred = share_of_equal(clean_classes, shifted_classes, task_.level);
  }

  void add_estimates(TimelineChunk& found, const Array& logits) const {
    if (!estimates_) return;
    const auto [error, likely] = estimates_->answer({target_.path, logits, {}, {}});
    const Interval sampling =
        error_bound::sampling_interval(error, found.n, estimates_->source_error(), known_.n(), task_.level);
    found.likely_error = {{error, sampling.low, sampling.high}, likely.low, likely.high};
  }

  void add_drift(TimelineChunk& found, const Chunk& chunk) {
    const std::vector<std::size_t> classes = code_counts(at_rows(after_.classes, chunk.rows), target_.k());
    tasks::ChunkDrift& drift = found.drift;
    drift.classes = {"predicted class", pooled_p(source_classes_, classes), 1,
                     total_variation(source_classes_, classes).value};
    const TwoSampleTest moved =
        kolmogorov_smirnov(source_confidences_, at_rows(after_.confidences, chunk.rows));
    drift.confidence = {"confidence", moved.p, 1, moved.statistic};
    if (features_) {
      const TwoSampleTest test = features_->chunk(chunk.rows, spread_);
      drift.features = {"features", test.p, 1, {}};
    }
    for (const JointColumn& column : columns_) {
      tasks::ChunkTest test = group_test(column, chunk.rows);
      if (!drift.worst_group || test.p_alone < drift.worst_group->p_alone)
        drift.worst_group = std::move(test);
    }
  }

  static tasks::ChunkTest group_test(const JointColumn& column, std::span<const std::size_t> rows) {
    std::vector<double> numbers;
    if (!column.source_numbers.empty() && !column.numbers.empty())
      for (const std::size_t row : rows) numbers.push_back(column.numbers[row]);
    if (std::vector<double> known = known_numbers(numbers); !known.empty()) {
      const TwoSampleTest moved = kolmogorov_smirnov(column.source_numbers, std::move(known));
      return {column.name, moved.p, 1, moved.statistic};
    }
    std::vector<std::size_t> counts(column.source_counts.size());
    for (const std::size_t row : rows) ++counts[column.places[static_cast<std::size_t>(column.codes[row])]];
    return {column.name, pooled_p(column.source_counts, counts), 1,
            total_variation(column.source_counts, counts).value};
  }

  void add_bounds(Progress* progress) {
    const std::size_t m = found_.chunks.size();
    if (!summary_.error_bound || m > most_bounds) return;
    const error_bound::Dis2Options critics{.restarts = 1,
                                           .delta = task_.options.delta / static_cast<double>(m),
                                           .seed = task_.seed,
                                           .progress = progress};
    for (std::size_t i = 0; i < m; ++i) {
      stop_if_asked(progress);
      if (found_.chunks[i].n < 2) continue;
      const Sample unknown{target_.path, Rows(target_.logits).take(chunks_.list[i].rows), {}, {}};
      try {
        found_.chunks[i].error_bound = error_bound::dis2_bound(known_, unknown, critics).bound;
      } catch (const Error&) {
        // refused for its rows: the chunk has no bound
      }
    }
  }

  // All tests of all chunks are one family. Of groups the least stands for all, so it counts as often as there are groups.
  void adjust() {
    std::vector<double> alone;
    std::vector<double*> adjusted;
    const auto groups = static_cast<double>(columns_.size());
    for (TimelineChunk& chunk : found_.chunks) {
      auto& [classes, confidence, worst_group, features, p_value] = chunk.drift;
      alone.push_back(classes.p_alone), adjusted.push_back(&classes.p_value);
      alone.push_back(confidence.p_alone), adjusted.push_back(&confidence.p_value);
      if (features) alone.push_back(features->p_alone), adjusted.push_back(&features->p_value);
      if (!worst_group) continue;
      alone.push_back(std::min(1., worst_group->p_alone * groups)), adjusted.push_back(&worst_group->p_value);
    }
    const std::vector<double> values = holm(alone);
    for (std::size_t i = 0; i < values.size(); ++i) *adjusted[i] = values[i];
    found_.tests = found_.chunks.size() * (2 + (features_ ? 1 : 0) + columns_.size());
    for (TimelineChunk& chunk : found_.chunks) {
      auto& [classes, confidence, worst_group, features, p_value] = chunk.drift;
      p_value = std::min({classes.p_value, confidence.p_value, worst_group ? worst_group->p_value : 1,
                          features ? features->p_value : 1});
    }
  }

  void add_bands() {
    const std::size_t m = found_.chunks.size();
    const double rest = found_.alarm_share() / static_cast<double>(m);
    const Moments confidences = moments_of(before_.confidences);
    const DrawnBands drawn = drawn_bands();
    std::size_t right = 0;  // of the source's rows
    for (std::size_t i = 0; i < known_.labels.size(); ++i)
      right += source_rows_.said.classes[i] == known_.labels[i] ? 1 : 0;
    parallel_for(m, [&](std::size_t i) {
      TimelineChunk& chunk = found_.chunks[i];
      tasks::ChunkBands& bands = chunk.bands;
      const auto set = [](tasks::TimelineBand& band, const Interval& range, double value) {
        constexpr double rounding = 1e-9;
        band = {range.low, range.high, value<range.low - rounding, value> range.high + rounding};
      };
      if (summary_.source_accuracy.value && chunk.accuracy.value)
        set(bands.accuracy, share_band(right, known_.labels.size(), labelled_in(chunks_.list[i]), rest),
            *chunk.accuracy.value);
      set(bands.confidence, within(mean_band(confidences, chunk.n, rest)), chunk.confidence.shifted_mean);
      set(bands.classes, within(drawn.distance_band(0, chunk.n, rest)), *chunk.drift.classes.distance);
      if (chunk.likely_error)
        set(bands.likely_error, within(drawn.band(1, chunk.n, rest)), *chunk.likely_error->error.value);
    });
  }

  [[nodiscard]] std::size_t labelled_in(const Chunk& chunk) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(chunk.rows, [&](std::size_t row) { return labels_[row] != no_label; }));
  }

  static Interval within(const Interval& band) {
    return {std::clamp(band.low, 0., 1.), std::clamp(band.high, 0., 1.)};
  }

  // Of the distance of predicted classes and, if there is one, of the estimated error.
  [[nodiscard]] DrawnBands drawn_bands() const {
    std::vector<std::size_t> sizes;
    for (const Chunk& chunk : chunks_.list) sizes.push_back(chunk.rows.size());
    const auto measures = [&](std::span<const std::size_t> rows) {
      const std::vector<std::int32_t> classes = at_rows(source_rows_.said.classes, rows);
      std::vector<double> values{total_variation(source_classes_, code_counts(classes, target_.k())).value};
      if (estimates_) values.push_back(estimates_->answer(known_, rows).error);
      return values;
    };
    const std::size_t scores = std::min(std::ranges::max(sizes), most_drawn) * target_.k();
    return DrawnBands(known_.n(), sizes, measures, std::clamp(drawn_scores / scores, least_draws, most_draws),
                      task_.seed);
  }

  void say_why() {
    const auto why = [&](const char* key) {
      const auto found = summary_.not_computed.find(key);
      return found == summary_.not_computed.end() ? std::string() : found->second;
    };
    const auto none = [&](const auto& has) { return std::ranges::none_of(found_.chunks, has); };
    if (labels_.empty()) found_.not_computed["accuracy"] = why("accuracy");
    if (!estimates_) found_.not_computed["likely_error"] = why("likely_error");
    if (none([](const TimelineChunk& chunk) { return chunk.paired; }))
      found_.not_computed["pa"] = found_.not_computed["afr_pred"] = why("pa");
    if (none([](const TimelineChunk& chunk) { return chunk.error_bound.has_value(); }))
      found_.not_computed["error_bound"] =
          summary_.error_bound && found_.chunks.size() > most_bounds
              ? fmt::format("chunks have error bounds only if there are at most {} chunks", most_bounds)
              : why("error_bound");
  }

  const Outputs& source_;
  const Predictions& before_;
  const Outputs& target_;
  const Predictions after_;
  const Summary& summary_;
  const Task& task_;
  const std::vector<std::int64_t> labels_;
  const LabelledRows source_rows_;
  const std::vector<JointColumn> columns_;
  const Sample known_;
  std::vector<double> source_confidences_;  // ascending
  std::vector<std::size_t> source_classes_;
  std::optional<error_bound::SourceEstimates> estimates_;
  std::optional<agreement::FeatureSets> features_;
  agreement::FeatureSets::Spread spread_;
  Chunks chunks_;
  tasks::AssessTimeline found_;
};

}  // namespace

tasks::AssessTimeline timeline_of(const AnalysedSource& source, const Target& target, const Summary& summary,
                                  const Task& task, Progress* progress) {
  if (task.options.chunk && !target.outputs.times)
    refuse(target.outputs.path, "times of its rows, because --chunk is given", "none");
  return Timeline(source, target, summary, task).run(progress);
}

}  // namespace leeway::assess
