#include "leeway/report/average_case_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"

namespace leeway::report {
namespace {

double finite(const JsonView& item) {
  const auto number = item.number();
  if (!number || !std::isfinite(*number)) item.refuse("a finite number", number ? "none that is" : "none");
  return *number;
}

double share(const JsonView& item) {
  const auto value = item.share();
  if (!value) item.refuse("a number from 0 to 1", "none");
  return *value;
}

double noise_of(const JsonView& item) {
  const double sigma = finite(item["sigma"]);
  if (sigma < 0) item["sigma"].refuse("a number from 0");
  return sigma;
}

std::size_t whole(const JsonView& item) {
  const auto value = item.index();
  if (!value) item.refuse("a whole number from 0", "none");
  return *value;
}

Spread read_spread(const JsonView& item) {
  Spread out;
  out.n = whole(item["n"]);
  if (out.n == 0) return out;
  out.mean = {share(item["mean"]), item["low"].share(), item["high"].share()};
  constexpr std::array keys = {"0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99"};
  for (std::size_t q = 0; q < keys.size(); ++q) out.quantiles[q] = item["quantiles"][keys[q]].share();
  return out;
}

RobustnessResult read_result(const JsonView& item) {
  RobustnessResult out{item["method"].text(),          noise_of(item),
                       item["probability"].flag(),     read_spread(item),
                       item["not_converged"].index(),  item["draws"].index(),
                       item["left_out"].number(),      item["seconds"].number(),
                       item["model_seconds"].number(), item["zero_gradient"].share()};
  if (out.method.empty()) item["method"].refuse("a name", "none");
  return out;
}

MonteCarloError read_error(const JsonView& item) {
  return {item["method"].text(),
          noise_of(item),
          {share(item["mean_absolute_error"]), item["low"].share(), item["high"].share()},
          item["root_mean_square_error"].number(),
          item["largest_error"].number(),
          item["bias"].number(),
          item["monte_carlo_error"].number(),
          item["rank_correlation"].number()};
}

std::string name_of(const JsonView& item) {
  const std::string name = item["name"].text();
  return name.empty() ? std::to_string(whole(item["class"])) : name;
}

ClassComparison read_comparison(const JsonView& view) {
  ClassComparison out{view["method"].text(), noise_of(view), view["p_value"].share(), {}};
  for (const JsonView& item : view["classes"].items())
    out.classes.push_back({whole(item["class"]), name_of(item), read_spread(item),
                           item["difference"].number(), item["p_value"].share()});
  return out;
}

std::vector<RankedSample> read_samples(const JsonView& view) {
  std::vector<RankedSample> out;
  for (const JsonView& item : view.items())
    if (out.size() < most_ranked)
      out.push_back(
          {whole(item["row"]), whole(item["prediction"]), share(item["p"]), item["confidence"].share()});
  return out;
}

Ranking read_ranking(const JsonView& view) {
  Ranking out{view["method"].text(), noise_of(view), {}};
  for (const JsonView& item : view["classes"].items())
    out.classes.push_back(
        {whole(item["class"]), name_of(item), read_samples(item["least"]), read_samples(item["most"])});
  return out;
}

// A record that does not say whom it ranks by: the first probability, or the first method.
std::string leading_of(const JsonView& view, const AverageCaseRecord& record) {
  std::string said = view["leading"].text();
  if (!said.empty()) return said;
  if (!record.comparisons.empty()) return record.comparisons[0].method;
  for (const RobustnessResult& result : record.results)
    if (result.probability) return result.method;
  return record.results[0].method;
}

}  // namespace

const RobustnessResult* AverageCaseRecord::find(const std::string& method, double sigma) const {
  for (const RobustnessResult& result : results)
    if (result.method == method && result.sigma == sigma) return &result;
  return nullptr;
}

bool AverageCaseRecord::probability(const std::string& method) const {
  return std::ranges::any_of(
      results, [&](const RobustnessResult& result) { return result.method == method && result.probability; });
}

std::vector<std::string> AverageCaseRecord::of_kind(bool probabilities) const {
  std::vector<std::string> out;
  for (const std::string& method : methods)
    if (probability(method) == probabilities) out.push_back(method);
  return out;
}

std::string AverageCaseRecord::class_name(std::size_t c) const {
  for (const ClassComparison& comparison : comparisons)
    for (const ClassSpread& one : comparison.classes)
      if (one.label == c) return one.name;
  return std::to_string(c);
}

AverageCaseRecord read_average_case(const Json& json, const std::string& name) {
  const JsonView view(json, name);
  if (view["results"].items().empty()) refuse(name, "at least one result", "none");
  return read_average_case(view);
}

AverageCaseRecord read_average_case(const JsonView& view) {
  AverageCaseRecord out;
  for (const JsonView& item : view["results"].items()) out.results.push_back(read_result(item));
  if (out.results.empty()) view["results"].refuse("at least one result", "none");
  for (const RobustnessResult& result : out.results) {
    if (std::ranges::find(out.methods, result.method) == out.methods.end())
      out.methods.push_back(result.method);
    if (std::ranges::find(out.sigmas, result.sigma) == out.sigmas.end()) out.sigmas.push_back(result.sigma);
  }
  std::ranges::sort(out.sigmas);
  for (const JsonView& item : view["against_monte_carlo"].items()) out.errors.push_back(read_error(item));
  for (const JsonView& item : view["class_bias"].items()) out.comparisons.push_back(read_comparison(item));
  for (const JsonView& item : view["ranking"].items()) out.rankings.push_back(read_ranking(item));
  for (const JsonView& item : view["convergence"].items())
    out.convergence.push_back({item["method"].text(), noise_of(item), whole(item["copies"]),
                               item["n"].index(), share(item["mean_change"]), share(item["most_change"])});
  for (const JsonView& item : view["methods"].items())
    out.words.push_back(
        {item["method"].text(), item["summary"].text(), item["source"].text(), item["probability"].flag()});
  const auto by_sigma = [](const auto& a, const auto& b) { return a.sigma < b.sigma; };
  std::ranges::stable_sort(out.comparisons, by_sigma);
  std::ranges::stable_sort(out.rankings, by_sigma);
  out.leading = leading_of(view, out);
  for (const std::string& method : out.methods)  // one that has the strongest noise, which leads the page
    if (out.find(out.leading, out.sigmas.back()) == nullptr) out.leading = method;
  out.noise = view["noise"].text();
  out.model = view["model"].text();
  out.n = view["n"].index().value_or(out.results[0].p.n);
  out.k = view["k"].index().value_or(0);
  out.source_n = view["source_n"].index();
  out.warnings = view["warnings"].texts();
  out.labels = view["classes_are"].text() == "labels";
  out.level = view["level"].share().value_or(.95);
  return out;
}

std::string sigma_words(double sigma) { return fmt::format("{:g}", sigma); }

std::string survival(double p) { return p == 1 ? "100%" : sureness(p); }

std::string p_value_words(double p_value) {
  return p_value < 1e-4 ? "p < 0.0001" : "p = " + significant(p_value, 2);
}

Chart spread_chart(const std::string& title, const std::string& note, const std::string& what,
                   const std::vector<SpreadRow>& rows) {
  Chart chart{"spread", title, note, title + ". "};
  Json list = Json::array();
  for (const SpreadRow& row : rows) {
    Json item = {{"group", row.group},
                 {"name", row.name},
                 {"slot", row.slot},
                 {"n", row.p.n},
                 {"mean", brief(row.p.mean.value)},
                 {"low", brief(row.p.mean.low)},
                 {"high", brief(row.p.mean.high)}};
    constexpr std::array keys = {"q01", "q05", "q25", "q50", "q75", "q95", "q99"};
    for (std::size_t q = 0; q < keys.size(); ++q) item[keys[q]] = brief(row.p.quantiles[q]);
    const auto& quantiles = row.p.quantiles;
    const auto at = [&](std::size_t q) { return quantiles[q] ? survival(*quantiles[q]) : "not known"; };
    item["words"] =
        row.p.n == 0
            ? row.name + "\nno sample"
            : fmt::format("{}\nmean {}\nmedian {}\nmiddle half {} to {}\nnine in ten {} to {}\nn = {}",
                          row.name, value_words(row.p.mean, true), at(median), at(quarter),
                          at(three_quarters), at(twentieth), at(nineteen_twentieths), count(row.p.n));
    if (row.p.mean.value) chart.description += fmt::format("{}: mean {}. ", row.name, percent(row.p.mean));
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
