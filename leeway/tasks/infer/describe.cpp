#include <fmt/format.h>

#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/set_names.h"

namespace leeway::tasks {

static void fields(InferredSplit& split, Fields& f) {
  f.choice("split", split.split, {{"train", ""}, {"val", ""}, {"test", ""}}, "rows of --index");
  f("n", split.n, "number of images");
  measured(f, "accuracy", split.accuracy, a_share,
           "share of images classified correctly; null without labels");
}

static void fields(InferredSet& set, Fields& f) {
  f.unless_empty("model", set.model, "model file");
  f.unless_empty("data", set.data, "file of images");
  f.unless_empty("out", set.out, "outputs file");
  f("n", set.n, at_least(1), "number of images");
  f("k", set.k, at_least(2), "number of classes");
  f("parameters", set.parameters, "number of parameters of the model");
  f("features", set.features, at_least(1), "dimension of the features; null: the model returns none");
  measured(f, "accuracy", set.accuracy, a_share, "share of images classified correctly; null without labels");
  f("stochastic", set.stochastic,
    "with --stochastic: variation between two passes of the model; otherwise null");
  f.unless_empty("index", set.index, "CSV of index and split; null: none");
  f.unless_empty("split", set.split, "split of --index; null: all rows");
  f("splits", set.splits, "accuracy for each split of --index, if all rows were used: train, val, test");
}

void fields(Infer& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "how the model file was read");
  f("results", record.results, "results by model and data");
}

static std::string headline_of(const InferredSet& set) {
  if (!set.accuracy.value)
    return fmt::format("The outputs hold logits of {} images for {} classes.", count(set.n), set.k);
  return fmt::format("Of {} images in {} classes, {} are classified correctly.", count(set.n), set.k,
                     value_words(set.accuracy, true));
}

std::string headline_of(const Infer& record) {
  const auto value = [](const InferredSet& set) { return set.accuracy.value.value_or(2); };
  const InferredSet& set = *std::ranges::min_element(record.results, {}, value);
  if (record.results.size() == 1) return headline_of(set);
  const std::string name = SetNames(record.results).of_files(set);
  return fmt::format("Of {} sets of outputs, {}{}: {}", record.results.size(),
                     set.accuracy.value ? "the least accurate is " : "the first is ", name, headline_of(set));
}

}  // namespace leeway::tasks
