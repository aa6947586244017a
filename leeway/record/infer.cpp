#include "leeway/record/infer.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"
#include "leeway/record/set_names.h"

namespace leeway::record {

static void fields(InferredSplit& split, Fields& f) {
  f.choice("split", split.split, {{"train", ""}, {"val", ""}, {"test", ""}}, "which rows");
  f("n", split.n, "images");
  measured(f, "accuracy", split.accuracy, share,
           "share of images predicted as their label; null without labels");
}

static void fields(InferredSet& set, Fields& f) {
  f.unless_empty("model", set.model, "the model's file");
  f.unless_empty("data", set.data, "the images");
  f.unless_empty("out", set.out, "the outputs file");
  f("n", set.n, at_least(1), "images");
  f("k", set.k, at_least(2), "classes");
  f("parameters", set.parameters, "numbers that the model holds");
  f("features", set.features, at_least(1), "their dimension; null: the model gives none");
  measured(f, "accuracy", set.accuracy, share,
           "share of images predicted as their label; null without labels");
  f("stochastic", set.stochastic,
    "null, or how a model that was taken with --stochastic answers differently in two passes of the same "
    "images");
  f.unless_empty("index", set.index, "CSV index,split; null: none");
  f.unless_empty("split", set.split, "the rows of --index that were taken; null: all");
  f("splits", set.splits, "the rows of --index apart, where all were taken: train, val, test");
}

void fields(Infer& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "how the model's file was read");
  f("results", record.results, "by model, by data");
}

static std::string headline_of(const InferredSet& set) {
  if (!set.accuracy.value)
    return fmt::format("The model's logits of {} images for {} classes.", count(set.n), set.k);
  return fmt::format("Of {} images in {} classes {} are predicted as their label.", count(set.n), set.k,
                     value_words(set.accuracy, true));
}

std::string headline_of(const Infer& record) {
  const auto value = [](const InferredSet& set) { return set.accuracy.value.value_or(2); };
  const InferredSet& set = *std::ranges::min_element(record.results, {}, value);
  if (record.results.size() == 1) return headline_of(set);
  const std::string name = SetNames(record.results).of_files(set);
  return fmt::format("Of {} sets of outputs {}{}: {}", record.results.size(),
                     set.accuracy.value ? "the least accurate is " : "the first is ", name, headline_of(set));
}

std::vector<std::string> findings_of(const Infer& record) {
  if (record.results.size() < 2) return {};
  std::vector<std::string> findings;
  const SetNames names(record.results);
  for (const InferredSet& set : record.results)
    if (set.accuracy.value)
      findings.push_back(fmt::format("{}: {} of {} are predicted as their label.", names.of_files(set),
                                     value_words(set.accuracy, true), count(set.n)));
  return findings;
}

}  // namespace leeway::record
