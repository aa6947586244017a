#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "leeway/describe/fields.h"
#include "leeway/tasks/assess/drift.h"

namespace leeway::tasks {

static void fields(MovedValue& value, Fields& f) {
  f("name", value.name, "name of the class, or the value");
  f.choice("kind", value.kind, {{"new", ""}, {"vanished", ""}, {"grown", ""}, {"shrunk", ""}},
           "new: not in the source; vanished: not in the target");
  f("source_n", value.source_n, "samples of the source");
  f("n", value.n, "samples of the target");
  measured(f, "change", value.change, from_to(-1, 1),
           "target share minus source share; the interval holds for all values of the column together");
}

static void fields(DriftTest& test, Fields& f) {
  f("name", test.name, "what is tested: predicted class, confidence, or the group");
  f.choice("test", test.test,
           {{"chi-square", ""}, {"permutation", ""}, {"Kolmogorov-Smirnov", ""}, {"none", ""}},
           "homogeneity test of counts, permutation test if counts are small; Kolmogorov-Smirnov test of "
           "confidence and numbers; none: a single value on both sides");
  f("statistic", test.statistic, at_least(0), "chi-square, or the largest gap of the distributions");
  f("p_alone", test.p_alone, a_share, "p-value of this test alone");
  f("p_value", test.p_value, a_share, "p-value adjusted by Holm's method over all tests of the result");
  measured(
      f, "distance", test.distance, a_share,
      "total variation distance of the shares; for confidence and numbers the Kolmogorov-Smirnov distance");
  measured(f, "mean_change", test.mean_change, from_to(-1, 1),
           "change of the mean confidence; null for counts");
  f("moved", test.moved, "number of values whose share changed significantly");
  f("values", test.values,
    "these values, largest change first, at most 50; for numbers, bins by the source's quartiles");
}

void fields(AssessDrift& drift, Fields& f) {
  std::optional<DriftTest> worst;
  if (const DriftTest* group = drift.worst_group()) worst = *group;
  f("p_value", drift.p_value, a_share,
    "smallest p-value of all tests, adjusted by Holm's method: without drift it is at most alpha with "
    "probability at most alpha");
  f("tests", drift.tests, "number of tests in the adjustment");
  f("classes", drift.classes, "test of the mix of predicted classes");
  f("confidence", drift.confidence, "test of the confidence");
  f("worst_group", worst, "first element of groups");
  f("groups", drift.groups, "tests of the columns of both sets, smallest p-value first");
  f("left_out", drift.left_out, "columns of only one of the two sets");
}

std::string p_words(double p) { return p < 1e-4 ? "< 0.0001" : significant(p, 2); }
std::string p_sentence(double p) { return (p < 1e-4 ? "p " : "p = ") + p_words(p); }

std::string moved_words(const DriftTest& test, std::size_t source_n, std::size_t n, std::size_t most) {
  const auto of_rows = [](std::size_t count, std::size_t of) {
    const double part = static_cast<double>(count) / static_cast<double>(of);
    return percent(part, count > 0 && part < .0095 ? 1 : 0);
  };
  std::vector<std::string> words;
  for (const MovedValue& value : std::span(test.values).first(std::min(most, test.values.size()))) {
    const std::string before = of_rows(value.source_n, source_n), now = of_rows(value.n, n);
    words.push_back(value.name + (value.kind == "new"        ? " new with " + now
                                  : value.kind == "vanished" ? " gone, " + before + " before"
                                                             : " " + before + " to " + now));
  }
  const std::size_t more = test.moved - words.size();
  return fmt::format("{}{}", fmt::join(words, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace leeway::tasks
