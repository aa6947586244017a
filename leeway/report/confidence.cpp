#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "leeway/report/chart.h"
#include "leeway/report/sections.h"

namespace leeway::report {
namespace {

std::vector<double> shares(const std::vector<std::size_t>& counts) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
  std::vector<double> out;
  for (const std::size_t value : counts) out.push_back(total > 0 ? static_cast<double>(value) / total : 0);
  return out;
}

double tallest(const Record& record) {
  double top = 0;
  for (const Result& result : record.results)
    for (const auto& counts : {result.confidence.clean, result.confidence.shifted})
      for (const double value : shares(counts)) top = std::max(top, value);
  return std::max(.1, std::ceil(top * 10 - 1e-9) / 10);
}

std::string means(const Result& result) {
  const record::AssessConfidence& confidence = result.confidence;
  const std::string right = result.accuracy.value ? ", right " + percent(*result.accuracy.value) : "";
  return fmt::format("{} → {}{}", percent(confidence.clean_mean), percent(confidence.shifted_mean), right);
}

Chart histogram(const Record& record, const Result& result, double top) {
  const record::AssessConfidence& confidence = result.confidence;
  Chart chart{"confidence", result.target, means(result), ""};
  chart.description = "Histogram of the confidence of " + subject(record, result) +
                      ", before and after the shift; " + chart.note;
  const auto clean = shares(confidence.clean), shifted = shares(confidence.shifted);
  Json bins = Json::array();
  for (std::size_t b = 0; b < clean.size(); ++b)
    bins.push_back({{"model", result.model},
                    {"from", brief(confidence.edges[b])},
                    {"to", brief(confidence.edges[b + 1])},
                    {"clean", brief(clean[b])},
                    {"shifted", brief(shifted[b])}});
  chart.data = {{"bins", bins}};
  chart.signals = {{"top", brief(top)}, {"slot", record.model_index(result.model) % series}};
  chart.numbers = {
      "bins",
      {{"Model", "model"}, {"From", "from"}, {"To", "to"}, {"Clean", "clean"}, {"Shifted", "shifted"}}};
  return chart;
}

// How much surer the model is, on average, than it is right.
double overconfidence(const Result& result) {
  if (!result.accuracy.value) return -1;
  return result.confidence.shifted_mean - *result.accuracy.value;
}

std::string heading(const Record& record) {
  const auto most = std::max_element(
      record.results.begin(), record.results.end(),
      [](const Result& a, const Result& b) { return overconfidence(a) < overconfidence(b); });
  if (overconfidence(*most) > .05)
    return fmt::format("{} is {} sure on average and right on {}", escape(subject(record, *most)),
                       percent(most->confidence.shifted_mean), percent(*most->accuracy.value));
  if (overconfidence(*most) > -1) return "No model is much surer than it is right";
  const Result& first = record.results.front();
  return fmt::format("{}: mean confidence goes from {} to {}", escape(subject(record, first)),
                     percent(first.confidence.clean_mean), percent(first.confidence.shifted_mean));
}

}  // namespace

Section confidence_section(const Record& record) {
  Section section{"confidence", "Confidence", "", ""};
  const double top = tallest(record);
  for (const std::string& model : record.models) {
    std::vector<Chart> charts;
    for (const std::string& target : record.targets) {
      const Result* result = record.find(model, target);
      if (result != nullptr && !result->confidence.clean.empty())
        charts.push_back(histogram(record, *result, top));
    }
    if (charts.empty()) continue;
    if (record.models.size() > 1) section.body += "<h3>" + escape(model) + "</h3>\n";
    section.body += panels_html(charts);
  }
  if (section.body.empty()) return section;
  section.heading = heading(record);
  section.body =
      paragraph(
          "Confidence is the largest probability the model gives to any class. A model that knows its "
          "limits loses confidence as it loses accuracy; one that stays sure while it is wrong gives no "
          "warning. The figures: mean confidence before and after, and the share that is right; the height: "
          "share of samples.") +
      std::string(
          "<ul class=\"key\"><li><span class=\"swatch\"></span>on the source</li><li><span class=\"swatch "
          "shifted\"></span>under the shift</li></ul>\n") +
      section.body;
  return section;
}

}  // namespace leeway::report
