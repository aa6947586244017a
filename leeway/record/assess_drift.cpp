#include "leeway/record/assess_drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "leeway/record/fields.h"

namespace leeway::record {

static void fields(MovedValue& value, Fields& f) {
  f("name", value.name, "of the class, or the value");
  f.choice("kind", value.kind, {{"new", ""}, {"vanished", ""}, {"grown", ""}, {"shrunk", ""}},
           "new: the source has none; vanished: the target has none");
  f("source_n", value.source_n, "samples of the source");
  f("n", value.n, "samples of the target");
  measured(f, "change", value.change, from_to(-1, 1),
           "share of the target minus share of the source; its interval holds for all values of the column "
           "at once");
}

static void fields(DriftTest& test, Fields& f) {
  f("name", test.name, "what is tested: predicted class, confidence, or the group");
  f.choice("test", test.test,
           {{"chi-square", ""}, {"permutation", ""}, {"Kolmogorov-Smirnov", ""}, {"none", ""}},
           "of homogeneity of counts, where few by tables drawn with the same margins; Kolmogorov-Smirnov of "
           "confidence and of columns of numbers; none: one value on both sides");
  f("statistic", test.statistic, at_least(0), "chi-square, or the largest gap of the distributions");
  f("p_alone", test.p_alone, share, "of this test alone");
  f("p_value", test.p_value, share, "adjusted by Holm's method over the result's tests");
  measured(
      f, "distance", test.distance, share,
      "total variation of the shares; of confidences and numbers the largest gap of their distributions");
  measured(f, "mean_change", test.mean_change, from_to(-1, 1), "of confidence; null of counts");
  f("moved", test.moved, "values whose share moved beyond chance");
  f("values", test.values,
    "those, the largest change first, at most 50; of numbers bins by the source's quartiles");
}

void fields(AssessDrift& drift, Fields& f) {
  std::optional<DriftTest> worst;
  if (const DriftTest* group = drift.worst_group()) worst = *group;
  f("p_value", drift.p_value, share,
    "the least of all tests, adjusted by Holm's method: where nothing moved, it is at most alpha with "
    "probability alpha at most");
  f("tests", drift.tests, "that it is adjusted for");
  f("classes", drift.classes, "the mix of predicted classes");
  f("confidence", drift.confidence, "how sure the model is");
  f("worst_group", worst, "the first of groups");
  f("groups", drift.groups, "the columns that both have, least p-value first");
  f("left_out", drift.left_out, "columns that only one of the two has");
}

std::string p_words(double p) { return p < 1e-4 ? "< 0.0001" : significant(p, 2); }

std::string moved_words(const DriftTest& test, std::size_t source_n, std::size_t n, std::size_t most) {
  const auto of_rows = [](std::size_t count, std::size_t of) {
    const double part = static_cast<double>(count) / static_cast<double>(of);
    return percent(part, count > 0 && part < .0095 ? 1 : 0);
  };
  std::string text;
  const std::size_t listed = std::min(most, test.values.size());
  for (std::size_t i = 0; i < listed; ++i) {
    const MovedValue& value = test.values[i];
    if (i > 0) text += ", ";
    if (value.kind == "new")
      text += fmt::format("{} new with {}", value.name, of_rows(value.n, n));
    else if (value.kind == "vanished")
      text += fmt::format("{} gone, {} before", value.name, of_rows(value.source_n, source_n));
    else
      text += fmt::format("{} {} to {}", value.name, of_rows(value.source_n, source_n), of_rows(value.n, n));
  }
  if (test.moved > listed) text += fmt::format(" and {} more", test.moved - listed);
  return text;
}

}  // namespace leeway::record
