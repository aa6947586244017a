#include "leeway/tasks/align/align.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"
#include "leeway/core/random.h"
#include "leeway/core/rows.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_projections = 1000;

const Array& features_of(const std::string& name, const OutputsShards& set) {
  if (!set.rest.features) refuse(display_name(name), "features to align", "none");
  return *set.rest.features;
}

std::string class_name(const OutputsShards& set, std::int64_t label) {
  const auto& names = set.rest.class_names;
  return static_cast<std::size_t>(label) < names.size() ? names[static_cast<std::size_t>(label)]
                                                        : std::to_string(label);
}

class Clean {
 public:
  Clean(const AlignTask& task, OutputsShards set) : task_(task), set_(std::move(set)) {
    features_ = features_of(task.clean.name, set_);
    rows_ = all_rows(set_.n());
    if (!task.options.sample || *task.options.sample >= rows_.size()) return;
    shuffle(rows_, task.seed, stream("align"));
    rows_.resize(*task.options.sample);
    std::ranges::sort(rows_);
  }

  [[nodiscard]] const OutputsShards& set() const { return set_; }

  [[nodiscard]] AlignSet with(const std::string& name, const OutputsShards& shifted) const {
    const Array& features = features_of(name, shifted);
    if (shifted.n() != set_.n())
      refuse(display_name(name), fmt::format("{} rows, as in {}", set_.n(), display_name(task_.clean.name)),
             shifted.n());
    const bool all = rows_.size() == set_.n();
    std::vector<std::int64_t> labels;
    if (set_.rest.labels) labels = at_rows(*set_.rest.labels, rows_);
    AlignSet set;
    set.shifted = name;
    set.n = rows_.size(), set.d = features.shape.at(1);
    set.found = agreement::feature_alignment(
        all ? features_ : Rows(features_).take(rows_), display_name(task_.clean.name),
        all ? features : Rows(features).take(rows_), display_name(name), labels,
        {task_.options.standardise, {.replicates = task_.options.replicates, .seed = task_.seed}});
    const std::size_t shown = std::min(most_projections, set.n);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t row = i * set.n / shown;
      for (auto* const direction : {&set.found.clean, &set.found.shifted})
        direction->projections[i] = direction->projections[row];
      if (!labels.empty()) set.projection_labels.push_back(class_name(set_, labels[row]));
    }
    set.found.clean.projections.resize(shown), set.found.shifted.projections.resize(shown);
    set.pairing = evidence_of({&set_.logits, &set_.rest, {}}, {&shifted.logits, &shifted.rest, {}});
    set.doubt = pair_doubt(set.pairing, task_.clean.name, name);
    return set;
  }

 private:
  const AlignTask& task_;
  const OutputsShards set_;
  Array features_;
  std::vector<std::size_t> rows_;
};

}  // namespace

Align align(const AlignTask& task, Progress* progress) {
  if (task.shifted.empty()) refuse("align", "at least one shifted set", "none");
  const TaskClock clock;
  Align record;
  record.options = task.options;
  std::vector<std::string>& warnings = record.envelope.warnings;
  OutputsShards first = task.clean.open();
  number_first(first, task.shifted, warnings);
  if (first.rest.labels && count_labels(*first.rest.labels) < first.n()) {
    warnings.push_back("the variance between classes is omitted because some rows have no label");
    first.rest.labels.reset();
  }
  const Clean clean(task, std::move(first));
  for (const NamedOutputs& named : task.shifted) {
    OutputsShards shifted = opened_like(clean.set(), named, warnings);
    record.results.push_back(clean.with(named.name, shifted));
    if (const std::string& doubt = record.results.back().doubt; !doubt.empty()) warnings.push_back(doubt);
    if (progress == nullptr) continue;
    progress->update("align", record.results.size(), task.shifted.size(), "");
    if (record.results.size() < task.shifted.size() && progress->stop_requested())
      throw Interrupted("align stopped: nothing was written");
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
