#include "leeway/tasks/assess/assess.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "leeway/core/error.h"
#include "leeway/core/rows.h"
#include "leeway/io/columns.h"
#include "leeway/io/groups.h"
#include "leeway/tasks/assess/detail/bounds.h"
#include "leeway/tasks/assess/detail/shifts.h"
#include "leeway/tasks/assess/detail/summary.h"
#include "leeway/tasks/assess/detail/timeline.h"
#include "leeway/tasks/assess/detail/words.h"
#include "leeway/tasks/assess/gates.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::assess {
namespace {

const Source& source_of(const std::vector<Source>& sources, const Target& target) {
  for (const Source& source : sources)
    if (source.model == target.model) return source;
  throw Error(
      fmt::format("{}: expected a source for model \"{}\", found none", target.outputs.path, target.model));
}

void check_names(const std::vector<Source>& sources, const std::vector<Target>& targets) {
  if (targets.empty()) throw Error("assess: expected at least one target, found none");
  std::set<std::string> models;
  for (const Source& source : sources)
    if (!models.insert(source.model).second)
      throw Error(fmt::format("{}: expected one source per model, found a second one for \"{}\"",
                              source.outputs.path, source.model));
  std::set<std::pair<std::string, std::string>> names;
  for (const Target& target : targets)
    if (!names.insert({target.model, target.shift}).second)
      throw Error(fmt::format("{}: expected unique target names, found a second \"{}\" for model \"{}\"",
                              target.outputs.path, target.shift, target.model));
}

// Numbers the labels of all sets as they say together, puts their classes in the order of the first set that names them,
// and returns the names; "class 0", ... where none names them.
std::vector<std::string> align_sets(Task& task) {
  std::vector<Outputs*> all;
  for (Source& source : task.sources) all.push_back(&source.outputs);
  for (Target& target : task.targets) all.push_back(&target.outputs);
  std::vector<LabelCoding> codings;
  for (const Outputs* outputs : all) codings.push_back(outputs->coding);
  for (Outputs* outputs : all) {
    const Rows logits(outputs->logits);
    number_labels(*outputs, outputs->n(), codings, &logits);
  }
  const auto named = std::ranges::find_if(all, [](const Outputs* one) { return !one->class_names.empty(); });
  const Outputs& first = named == all.end() ? *all.front() : **named;
  for (Outputs* outputs : all) {
    if (named != all.end()) align_classes(columns_of(first), *outputs);
    require_same_classes(columns_of(first), columns_of(*outputs));
  }
  std::vector<std::string> names = first.class_names;
  for (std::size_t j = names.size(); j < first.k(); ++j) names.push_back(fmt::format("class {}", j));
  return names;
}

// The findings that say more than the headline does.
std::vector<std::string> beyond(const std::string& headline, std::vector<std::string> findings) {
  std::erase_if(findings, [&](const std::string& sentence) {
    return headline.starts_with(sentence.substr(0, sentence.size() - 1));
  });
  return findings;
}

std::vector<Summary> summaries_of(const Task& task, const std::vector<std::string>& class_names,
                                  Progress* progress) {
  std::vector<Summary> summaries;
  for (const Source& source : task.sources) {
    AnalysedSource analysed{&source, predict(source.outputs.logits, source.outputs.path)};
    if (source.outputs.labels) {
      const LabelledRows known = labelled_rows(source.outputs, *source.outputs.labels, analysed.predictions);
      analysed.quality = quality_of(known.logits, known.labels, known.said, task.level, class_names);
    }
    for (const Target& target : task.targets) {
      if (target.model != source.model) continue;
      stop_if_asked(progress);
      if (progress)
        progress->update("assess", summaries.size(), task.targets.size(),
                         target.model + " under " + target.shift);
      summaries.push_back(analyse(analysed, target, class_names, task, progress));
      if (task.options.chunk || target.files.size() > 1)
        summaries.back().timeline = timeline_of(analysed, target, summaries.back(), task, progress);
    }
  }
  if (progress) progress->update("assess", task.targets.size(), task.targets.size(), "");
  return summaries;
}

// Each warning once, with the results that it concerns.
std::vector<std::string> warnings_of(const std::vector<tasks::AssessResult>& results) {
  std::vector<std::string> order, lines;
  std::map<std::string, std::vector<std::string>> concerned;
  for (const tasks::AssessResult& result : results)
    for (const std::string& warning : result.warnings) {
      append_new(order, warning);
      concerned[warning].push_back(result.model + "/" + result.target);
    }
  for (const std::string& warning : order) {
    const auto& list = concerned[warning];
    lines.push_back(fmt::format("{}{}: {}", list.front(),
                                list.size() > 1 ? fmt::format(" and {} more", list.size() - 1) : "",
                                warning));
  }
  return lines;
}

// Puts the group columns of numbers in bins of the source's rows; the numbers stay beside them.
void bin_numbers(Source& source, std::vector<Target>& targets) {
  struct Sets {
    std::vector<GroupColumn*> columns;
    std::vector<tasks::AssessNumbers*> numbers;
  };
  std::map<std::string, Sets> sets;  // of columns of one name, the source's first
  const auto add = [&](Outputs& outputs, tasks::AssessNumbers& numbers) {
    for (GroupColumn& column : outputs.groups) {
      sets[column.name].columns.push_back(&column);
      sets[column.name].numbers.push_back(&numbers);
    }
  };
  add(source.outputs, source.numbers);
  for (Target& target : targets)
    if (target.model == source.model) add(target.outputs, target.numbers);
  for (const auto& [name, same] : sets) {
    std::vector<std::vector<double>> numbers = put_in_bins(same.columns);
    for (std::size_t s = 0; s < numbers.size(); ++s) (*same.numbers[s])[name] = std::move(numbers[s]);
  }
}

tasks::Assess record_of(Task& task, Progress* progress) {
  check_names(task.sources, task.targets);
  std::vector<tasks::AssessGate> gates;  // refused before the work
  for (const std::string& text : task.gates) gates.push_back(parse_gate(text));
  for (const Target& target : task.targets)
    require_same_scores(columns_of(source_of(task.sources, target).outputs), columns_of(target.outputs));
  tasks::Assess record;
  record.options = task.options;
  record.level = task.level;
  record.class_names = align_sets(task);
  for (Source& source : task.sources) bin_numbers(source, task.targets);
  for (Target& target : task.targets)
    if (const Outputs& source = source_of(task.sources, target).outputs;
        source.features && target.outputs.features)
      align_features(source, target.outputs);
  for (const tasks::AssessGate& gate : gates) check_threshold(gate, record.class_names.size());
  for (const Source& source : task.sources) record.models.push_back(source.model);
  for (const Target& target : task.targets) append_new(record.targets, target.shift);

  std::vector<Summary> summaries = summaries_of(task, record.class_names, progress);
  record.comparisons = compare_models(summaries, task.level);
  const WordsOptions words{task.options.unit.value_or("samples"), task.level};
  record.envelope.headline = headline(summaries, record.comparisons, words);
  record.envelope.findings = beyond(record.envelope.headline, findings(summaries, words));
  for (const Summary& summary : summaries)
    if (summary.timeline) record.timelines.push_back(*summary.timeline);
  for (const tasks::AssessTimeline& timeline : record.timelines) {
    const std::string sentence = timeline_words(timeline, record.models.size() > 1);
    if (record.timelines.size() == 1)
      record.envelope.headline += " " + sentence;
    else
      record.envelope.findings.push_back(sentence);
  }
  record.bounds = bounds_of(task.options);
  std::vector<Pairing> pairings;
  for (Summary& summary : summaries) {
    pairings.push_back(std::move(summary.pairs));
    record.results.push_back(std::move(static_cast<tasks::AssessResult&>(summary)));
  }
  record.shifts = shifts_of(task, pairings, record.class_names);
  record.seeds = over_seeds(record.results, task.level);
  record.envelope.warnings = warnings_of(record.results);
  for (tasks::AssessGate& gate : gates)
    record.gates.push_back(check_gate(std::move(gate), record.results, record.timelines));
  if (task.noise) record.average_case = task.noise();
  return record;
}

}  // namespace
}  // namespace leeway::assess

namespace leeway::tasks {

OutputsReading source_reading(const AssessOptions& options) {
  auto reading = static_cast<const OutputsReading&>(options);
  reading.time_column.reset();
  return reading;
}

OutputsReading target_reading(const AssessOptions& options) {
  if (options.time_column && !options.chunk)
    throw OptionError("--time-column requires --chunk, e.g. --chunk 1d");
  auto reading = static_cast<const OutputsReading&>(options);
  reading.times = options.chunk.has_value();
  return reading;
}

Assess assess(AssessTask task, Progress* progress) {
  const TaskClock clock;
  Assess record = leeway::assess::record_of(task, progress);
  clock.stamp(record.envelope, task.seed);
  return record;
}

}  // namespace leeway::tasks
