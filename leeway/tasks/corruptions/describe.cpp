#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "leeway/tasks/corruptions/corruptions.h"

namespace leeway::tasks {
namespace {

std::vector<Choice> groups() {
  return {{"noise", ""}, {"blur", ""}, {"weather", ""}, {"digital", ""}, {"extra", "not counted in means"}};
}

// "glass-blur at severity 5".
std::string name_of(const CorruptedSet& set) {
  return fmt::format("{} at severity {}", set.corruption, set.severity);
}

std::string times_100(const Measured& value) {
  return value.low ? fmt::format("{:.1f} ({:.1f} to {:.1f})", *value.value, *value.low, *value.high)
                   : fmt::format("{:.1f}", *value.value);
}

}  // namespace

void fields(CorruptionsOptions& options, Fields& f) {
  f("corruptions", options.corruptions, "corruptions (default: all 19, or all in --published)");
  f("severities", options.severities, from_to(1, 5), "severities of each corruption (default: 1 to 5)");
  fields(options.how, f);
  f("reference", options.reference,
    "reference for corruption errors: alexnet (published errors on ImageNet-C), or a record of this command");
  f("level", options.level, from_to(.5, .9999), "confidence level of intervals");
}

void fields(CorruptedAccuracy& judged, Fields& f) {
  f("n", judged.n, "number of images");
  measured(f, "accuracy", judged.accuracy, a_share,
           "share of images classified correctly; null without labels");
  measured(f, "error", judged.error, a_share, "1 - accuracy");
}

void fields(CorruptedSet& set, Fields& f) {
  f("corruption", set.corruption, "corruption, see `leeway list shifts`");
  f.choice("group", set.group, groups(), "group of the corruption");
  f("severity", set.severity, from_to(1, 5), "severity, from 1 to 5");
  f.unless_empty("left_out", set.left_out, "why the corruption was skipped; null: it was run");
  f("mean_change", set.mean_change, a_share,
    "mean absolute change of a pixel in [0,1]; null if images are not paired");
  fields(set.judged, f);
  measured(f, "pa", set.pa, at_least(0),
           "posterior agreement with the clean images; null if images are not paired");
  f("pa_normalized", set.pa_normalized, a_share, "pa / log k");
  f("beta", set.beta, at_least(0), "inverse temperature at the maximum");
  f("gap", set.gap, at_least(0), "certified gap: pa is at most this far below the supremum");
  measured(f, "afr_pred", set.afr_pred, a_share,
           "share of images predicted as the same class as the clean image");
}

static void fields(CorruptionErrorRow& row, Fields& f) {
  f("corruption", row.corruption, "corruption");
  f.choice("group", row.group, groups(), "group of the corruption");
  f("counted", row.of_benchmark, "whether it is one of the benchmark's 15 corruptions, which count in means");
  measured(f, "error", row.error, a_share, "mean over severities; the interval is over images");
  f("reference_error", row.reference_error, a_share, "error of the reference; null without a reference");
  measured(f, "ce", row.ce, at_least(0), "100 error / reference_error");
  measured(f, "relative_ce", row.relative_ce, {},
           "100 (error - clean error) / (reference_error - clean error of the reference); null if the "
           "denominator is not above 0");
}

static void fields(MeanCorruptionError& mean, Fields& f) {
  f("corruptions", mean.corruptions, "number of the benchmark's 15 corruptions that were run");
  f.choice("variant", mean.variant, {{"corrected", ""}, {"published", ""}, {"files", "published files"}},
           "variant of the corruptions");
  measured(f, "mean_error", mean.mean_error, a_share,
           "mean corruption error (unnormalized) over corruptions and severities");
  f.unless_empty("reference", mean.reference, "reference used for normalization; null: none");
  measured(f, "mce", mean.mce, at_least(0), "mean of ce; null if a counted corruption has no ce");
  measured(f, "relative_mce", mean.relative_mce, {},
           "mean of relative_ce; null if a counted corruption has no relative_ce");
  f("not_comparable", mean.not_comparable,
    "why results are not comparable with published tables; []: no known reason");
}

void fields(Corruptions& record, Fields& f) {
  common_fields(record, f);
  f.unless_empty("model", record.model, "model file");
  f.unless_empty("data", record.data, "clean images");
  f.unless_empty("published", record.published,
                 "folder of published corrupted images; null: images were corrupted by this command");
  f("reading", record.reading, "how the model file was read; null without a model");
  f("stochastic", record.stochastic,
    "with --stochastic: variation between two passes of the model; otherwise null");
  f("shape", record.shape, "shape of the images: n, channels, height, width");
  f("k", record.k, at_least(2), "number of classes; null without a model");
  f("use", record.use, "how images were corrupted; null: read from files");
  f("clean", record.clean, "accuracy on the clean images; null without a model");
  f("results", record.results, "one result for each corruption and severity");
  f("errors", record.errors, "corruption errors, one for each corruption; [] without labels");
  f("mean", record.mean, "mean corruption errors; null without labels");
}

const CorruptedSet* worst_of(const Corruptions& record) {
  return lowest(record.results, [](const CorruptedSet& set) { return set.judged.accuracy.value; });
}

std::string variant_text(const MeanCorruptionError& mean) {
  return mean.variant == "files" ? "published files" : mean.variant + " variant";
}

std::string headline_of(const Corruptions& record) {
  const auto run = static_cast<std::size_t>(
      std::ranges::count_if(record.results, [](const CorruptedSet& set) { return set.left_out.empty(); }));
  const std::string sets = fmt::format("{} set{} of corrupted images", run, run == 1 ? "" : "s");
  const CorruptedSet* const worst = worst_of(record);
  if (worst == nullptr || !record.clean || !record.clean->accuracy.value)
    return fmt::format("The model was evaluated on {}.", sets);
  const std::string words = fmt::format("Accuracy is {} on clean images and at worst {}, under {}",
                                        value_words(record.clean->accuracy, true),
                                        value_words(worst->judged.accuracy, true), name_of(*worst));
  if (!record.mean || !record.mean->mean_error.value) return words + ".";
  return fmt::format("{}; the mean error over {} corruption{} ({}) is {}.", words, record.mean->corruptions,
                     record.mean->corruptions == 1 ? "" : "s", variant_text(*record.mean),
                     value_words(record.mean->mean_error, true));
}

std::vector<std::string> findings_of(const Corruptions& record) {
  std::vector<std::string> findings;
  if (const auto* least = lowest(record.results, [](const CorruptedSet& set) { return set.pa.value; }))
    findings.push_back(
        fmt::format("Posterior agreement is lowest under {}: {} (maximum {:.3f}).", name_of(*least),
                    value_words(least->pa, false),
                    *least->pa_normalized > 0 ? *least->pa.value / *least->pa_normalized : 0.));
  if (record.mean && record.mean->mce.value) {
    const MeanCorruptionError& mean = *record.mean;
    std::string line =
        fmt::format("mCE ({}) {} relative to {}", variant_text(mean), times_100(mean.mce), mean.reference);
    if (mean.relative_mce.value) line += fmt::format(", relative mCE {}", times_100(mean.relative_mce));
    findings.push_back(line + ".");
  }
  if (record.mean && !record.mean->not_comparable.empty())
    findings.push_back(fmt::format("Not comparable with published tables: {}.",
                                   fmt::join(record.mean->not_comparable, "; ")));
  std::string before;
  for (const CorruptedSet& set : record.results)
    if (!set.left_out.empty() && set.corruption != before) {
      findings.push_back(fmt::format("{} was skipped: {}.", set.corruption, set.left_out));
      before = set.corruption;
    }
  return findings;
}

}  // namespace leeway::tasks
