#include "leeway/report/average_case_view.h"

#include <fmt/format.h>

#include <algorithm>

namespace leeway::report {

using record::mean_of;
using record::survival_words;

RobustnessView::RobustnessView(const record::Robustness& robustness)
    : found(robustness),
      sigmas(robustness.sigmas()),
      comparisons(robustness.class_bias),
      rankings(robustness.ranking) {
  for (const record::Survival& result : found.results)
    if (std::ranges::find(methods, result.method) == methods.end()) methods.push_back(result.method);
  const auto by_sigma = [](const auto& a, const auto& b) { return a.sigma < b.sigma; };
  std::ranges::stable_sort(comparisons, by_sigma);
  std::ranges::stable_sort(rankings, by_sigma);
}

std::vector<std::string> RobustnessView::of_kind(bool probabilities) const {
  std::vector<std::string> out;
  for (const std::string& method : methods)
    if (record::is_probability(found, method) == probabilities) out.push_back(method);
  return out;
}

std::string sigma_words(double sigma) { return fmt::format("{:g}", sigma); }

Chart spread_chart(const std::string& title, const std::string& note, const std::string& what,
                   const std::vector<SpreadRow>& rows) {
  Chart chart{"spread", title, note, title + ". "};
  Json list = Json::array();
  for (const SpreadRow& row : rows) {
    const Measured mean = mean_of(row.p);
    const auto& quantiles = row.p.quantiles;
    Json item = {
        {"group", row.group},        {"name", row.name},       {"slot", row.slot},        {"n", row.p.n},
        {"mean", brief(mean.value)}, {"low", brief(mean.low)}, {"high", brief(mean.high)}};
    constexpr std::array keys = {"q01", "q05", "q25", "q50", "q75", "q95", "q99"};
    for (std::size_t q = 0; q < keys.size(); ++q) item[keys[q]] = row.p.n > 0 ? brief(quantiles[q]) : Json();
    const auto at = [&](std::size_t q) { return survival_words(quantiles[q]); };
    item["words"] =
        row.p.n == 0
            ? row.name + "\nno sample"
            : fmt::format("{}\nmean {}\nmedian {}\nmiddle half {} to {}\nnine in ten {} to {}\nn = {}",
                          row.name, value_words(mean, true), at(median), at(quarter), at(three_quarters),
                          at(twentieth), at(nineteen_twentieths), count(row.p.n));
    if (mean.value) chart.description += fmt::format("{}: mean {}. ", row.name, percent(mean));
    list.push_back(std::move(item));
  }
  std::size_t longest = 0;
  for (const SpreadRow& row : rows) longest = std::max(longest, row.name.size());
  chart.data = {{"rows", std::move(list)}};
  chart.signals = {{"margin", std::min(120., 14 + 7. * static_cast<double>(longest))}};
  chart.numbers = {"rows",
                   {{"Chart", "group"},
                    {what, "name"},
                    {"n", "n"},
                    {"Mean", "mean"},
                    {"Low", "low"},
                    {"High", "high"},
                    {"1%", "q01"},
                    {"5%", "q05"},
                    {"25%", "q25"},
                    {"Median", "q50"},
                    {"75%", "q75"},
                    {"95%", "q95"},
                    {"99%", "q99"}}};
  return chart;
}

std::string spread_key(const std::string& set_off) {
  std::string out =
      "<ul class=\"key\"><li><span class=\"swatch nine-in-ten\"></span>nine in ten samples</li>"
      "<li><span class=\"swatch half\"></span>the middle half</li>"
      "<li><svg class=\"mark m0\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><use "
      "href=\"#shape0\"/></svg>median</li>"
      "<li><span class=\"swatch mean\"></span>mean</li>";
  if (!set_off.empty())
    out += fmt::format(
        "<li><svg class=\"mark m1\" viewBox=\"0 0 12 12\" aria-hidden=\"true\"><use "
        "href=\"#shape1\"/></svg>{}</li>",
        set_off);
  return out + "</ul>\n";
}

}  // namespace leeway::report
