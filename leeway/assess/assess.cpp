#include "leeway/assess/assess.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "leeway/assess/bounds.h"
#include "leeway/assess/record.h"
#include "leeway/assess/shifts.h"
#include "leeway/assess/summary.h"
#include "leeway/assess/words.h"
#include "leeway/core/columns.h"
#include "leeway/core/error.h"

namespace leeway::assess {
namespace {

const Source& source_of(const std::vector<Source>& sources, const Target& target) {
  for (const Source& source : sources)
    if (source.model == target.model) return source;
  throw Error(fmt::format("{}: expected a source for its model \"{}\", found none", target.outputs.path,
                          target.model));
}

void check_names(const std::vector<Source>& sources, const std::vector<Target>& targets) {
  if (targets.empty()) throw Error("assess: expected at least one target, found none");
  std::set<std::string> models;
  for (const Source& source : sources)
    if (!models.insert(source.model).second)
      throw Error(fmt::format("{}: expected one source a model, found a second one for \"{}\"",
                              source.outputs.path, source.model));
  std::set<std::pair<std::string, std::string>> names;
  for (const Target& target : targets)
    if (!names.insert({target.model, target.shift}).second)
      throw Error(fmt::format("{}: expected one target of a name, found a second \"{}\" for model \"{}\"",
                              target.outputs.path, target.shift, target.model));
}

std::vector<const Outputs*> all_outputs(const std::vector<Source>& sources,
                                        const std::vector<Target>& targets) {
  std::vector<const Outputs*> all;
  for (const Source& source : sources) all.push_back(&source.outputs);
  for (const Target& target : targets) all.push_back(&target.outputs);
  return all;
}

// The names that the inputs agree on; "class 0", ... where none names them.
std::vector<std::string> common_class_names(const std::vector<const Outputs*>& all) {
  const Outputs* named = nullptr;
  for (const Outputs* outputs : all) {
    require_same_classes(columns_of(named ? *named : *all.front()), columns_of(*outputs));
    if (!named && !outputs->class_names.empty()) named = outputs;
  }
  if (named) return named->class_names;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < all.front()->k(); ++j) names.push_back(fmt::format("class {}", j));
  return names;
}

std::vector<std::string> distinct_shifts(const std::vector<Target>& targets) {
  std::vector<std::string> shifts;
  for (const Target& target : targets)
    if (std::find(shifts.begin(), shifts.end(), target.shift) == shifts.end()) shifts.push_back(target.shift);
  return shifts;
}

std::vector<Pairing> pairings_of(const std::vector<Summary>& summaries) {
  std::vector<Pairing> pairings;
  for (const Summary& summary : summaries) pairings.push_back(summary.pairing);
  return pairings;
}

// The findings that say more than the headline does.
std::vector<std::string> beyond(const std::string& headline, std::vector<std::string> findings) {
  std::erase_if(findings, [&](const std::string& sentence) {
    return headline.starts_with(sentence.substr(0, sentence.size() - 1));
  });
  return findings;
}

}  // namespace

Json assess(const std::vector<Source>& sources, const std::vector<Target>& targets, const Options& options,
            Progress* progress) {
  check_names(sources, targets);
  for (const Target& target : targets)
    require_same_scores(columns_of(source_of(sources, target).outputs), columns_of(target.outputs));
  const std::vector<std::string> class_names = common_class_names(all_outputs(sources, targets));

  std::vector<Summary> summaries;
  Json models = Json::array();
  for (const Source& source : sources) {
    models.push_back(source.model);
    const AnalysedSource analysed{&source, predict(source.outputs.logits, source.outputs.path)};
    for (const Target& target : targets) {
      if (target.model != source.model) continue;
      if (progress && progress->stop_requested())
        throw Interrupted("interrupted before the result was complete");
      if (progress)
        progress->update("assess", summaries.size(), targets.size(), target.model + " under " + target.shift);
      summaries.push_back(analyse(analysed, target, class_names, options, progress));
    }
  }
  if (progress) progress->update("assess", targets.size(), targets.size(), "");

  const std::vector<Comparison> comparisons = compare_models(summaries, options.level);
  const WordsOptions words{options.unit, options.level};
  const std::string first = headline(summaries, comparisons, words);
  Json record = {{"headline", first},
                 {"findings", beyond(first, findings(summaries, words))},
                 {"models", std::move(models)},
                 {"targets", distinct_shifts(targets)},
                 {"class_names", class_names},
                 {"level", options.level},
                 {"bounds", bounds_json(options)},
                 {"comparisons", Json::array()},
                 {"results", Json::array()}};
  if (Json shifts = shifts_json(sources, targets, pairings_of(summaries), class_names, options);
      !shifts.empty())
    record["shifts"] = std::move(shifts);
  for (const Comparison& comparison : comparisons) record["comparisons"].push_back(to_json(comparison));
  for (const Summary& summary : summaries) record["results"].push_back(to_json(summary, class_names));
  return record;
}

}  // namespace leeway::assess
