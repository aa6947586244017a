#include "leeway/record/infer.h"

#include <fmt/format.h>

#include "leeway/core/numbers.h"
#include "leeway/record/json.h"

namespace leeway::record {

static void fields(InferredSplit& split, Fields& f) {
  f.choice("split", split.split, {{"train", ""}, {"val", ""}, {"test", ""}}, "which rows");
  f("n", split.n, "images");
  f.measured("accuracy", split.accuracy, split.accuracy_interval, share,
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
  f.measured("accuracy", set.accuracy, set.accuracy_interval, share,
             "share of images predicted as their label; null without labels");
  f("stochastic", set.stochastic,
    "null, or how a model that was taken with --stochastic answers differently in two passes of the same "
    "images");
  f.unless_empty("index", set.index, "CSV index,split; null: none");
  f.unless_empty("split", set.split, "the rows of --index that were taken; null: all");
  f("splits", set.splits, "the rows of --index apart, where all were taken: train, val, test");
}

void fields(Infer& record, Fields& f) {
  fields(record.envelope, infer_schema, f);
  f("options", record.options, "how the model's file was read");
  f("results", record.results, "one");
}

Json to_json(const Infer& record) {
  Infer copy = record;
  return written([&](Fields& f) { fields(copy, f); });
}

std::string headline_of(const Infer& record) {
  const InferredSet& set = record.results.at(0);
  if (!set.accuracy)
    return fmt::format("The model's logits of {} images for {} classes.", count(set.n), set.k);
  return fmt::format(
      "Of {} images in {} classes {} are predicted as their label.", count(set.n), set.k,
      value_words({set.accuracy, set.accuracy_interval->low, set.accuracy_interval->high}, true));
}

std::vector<std::string> findings_of(const Infer&) { return {}; }

}  // namespace leeway::record
