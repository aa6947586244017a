#include "apps/leeway/average_case_record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "leeway/average_case/summary.h"

namespace leeway::app {
namespace {

using average_case::AgainstMonteCarlo;
using average_case::Column;
using average_case::Distribution;

constexpr std::size_t ranked = 6;  // samples at each end of a class

Json interval_json(const std::optional<Interval>& interval, double Interval::*end) {
  return interval ? Json((*interval).*end) : Json();
}

void add_distribution(Json& to, const Distribution& of) {
  to["n"] = of.n;
  if (of.n == 0) return;
  to["mean"] = of.mean;
  to["low"] = interval_json(of.interval, &Interval::low);
  to["high"] = interval_json(of.interval, &Interval::high);
  Json quantiles = Json::object();
  for (std::size_t q = 0; q < average_case::quantile_levels.size(); ++q)
    quantiles[fmt::format("{:g}", average_case::quantile_levels[q])] = of.quantiles[q];
  to["quantiles"] = std::move(quantiles);
}

const Column* monte_carlo_of(const AverageCaseFindings& findings, double sigma) {
  for (const Column& column : findings.cases.columns)
    if (column.estimator->name == "mc" && column.sigma == sigma) return &column;
  return nullptr;
}

double zero_gradient(const Column& column) {
  return static_cast<double>(column.zero_gradients) /
         static_cast<double>(std::max<std::size_t>(column.p.size(), 1));
}

Json result_json(const AverageCaseFindings& findings, const Column& column) {
  Json result{{"method", column.estimator->name},
              {"sigma", column.sigma},
              {"probability", column.estimator->probability}};
  add_distribution(result, average_case::distribution(column.p, findings.level));
  if (!column.error.empty()) {
    result["error"] = *std::ranges::max_element(column.error);
    result["not_converged"] = column.not_converged;
  }
  if (column.estimator->gradients) {
    result["left_out"] = column.left_out;
    result["zero_gradient"] = zero_gradient(column);
  }
  if (!column.draws.empty())
    result["draws"] = std::accumulate(column.draws.begin(), column.draws.end(), std::size_t{0});
  result["seconds"] = column.seconds;
  result["model_seconds"] = column.model_seconds;
  return result;
}

Json against_json(const Column& column, const AgainstMonteCarlo& found) {
  return {{"method", column.estimator->name},
          {"sigma", column.sigma},
          {"mean_absolute_error", found.mean_absolute},
          {"low", found.interval.low},
          {"high", found.interval.high},
          {"root_mean_square_error", found.root_mean_square},
          {"largest_error", found.largest},
          {"bias", found.bias},
          {"monte_carlo_error", found.floor},
          {"rank_correlation", found.rank ? Json(*found.rank) : Json()}};
}

std::vector<std::int64_t> classes_of(const AverageCaseFindings& findings) {
  if (findings.labels) return *findings.labels;
  return {findings.cases.targets.begin(), findings.cases.targets.end()};
}

std::string class_name(const AverageCaseFindings& findings, std::size_t c) {
  return findings.class_names.empty() ? fmt::format("{}", c) : findings.class_names[c];
}

Json class_json(const AverageCaseFindings& findings, const Column& column) {
  const auto bias =
      average_case::class_bias(column.p, classes_of(findings), findings.classes, findings.level);
  Json classes = Json::array();
  for (const auto& one : bias.classes) {
    Json entry{{"class", one.label}, {"name", class_name(findings, static_cast<std::size_t>(one.label))}};
    add_distribution(entry, one.distribution);
    entry["difference"] = one.p_value ? Json(one.difference) : Json();
    entry["p_value"] = one.p_value ? Json(*one.p_value) : Json();
    classes.push_back(std::move(entry));
  }
  return {{"method", column.estimator->name},
          {"sigma", column.sigma},
          {"p_value", bias.p_value ? Json(*bias.p_value) : Json()},
          {"classes", std::move(classes)}};
}

// The least and the most robust samples of every class; by row where tied.
Json ranking_json(const AverageCaseFindings& findings, const Column& column) {
  const std::vector<std::int64_t> labels = classes_of(findings);
  std::vector<std::size_t> order(column.p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return column.p[row]; });
  const auto entry = [&](std::size_t row) {
    return Json{{"row", row},
                {"p", column.p[row]},
                {"prediction", findings.cases.targets[row]},
                {"confidence", findings.cases.confidence[row]}};
  };
  Json classes = Json::array();
  for (std::size_t c = 0; c < findings.classes; ++c) {
    std::vector<std::size_t> rows;
    for (const std::size_t row : order)
      if (labels[row] == static_cast<std::int64_t>(c)) rows.push_back(row);
    if (rows.empty()) continue;
    Json least = Json::array(), most = Json::array();
    for (std::size_t i = 0; i < std::min(ranked, rows.size()); ++i) {
      least.push_back(entry(rows[i]));
      most.push_back(entry(rows[rows.size() - 1 - i]));
    }
    classes.push_back({{"class", c}, {"name", class_name(findings, c)}, {"least", least}, {"most", most}});
  }
  return {{"method", column.estimator->name}, {"sigma", column.sigma}, {"classes", std::move(classes)}};
}

// Whom to rank and compare classes by: a probability that is nearest to the truth among those computed. Monte Carlo where
// gradients are 0.
std::string_view leading(const AverageCaseFindings& findings) {
  const bool blind = !gradient_warnings(findings).empty();
  for (const std::string_view name :
       {blind ? "mc" : "mmse", "mmse", "taylor", "mc", "mmse-mvs", "taylor-mvs", "softmax"})
    if (std::ranges::any_of(findings.cases.columns,
                            [&](const Column& column) { return column.estimator->name == name; }))
      return name;
  return "";
}

std::string summary_of(const AverageCaseFindings& findings, const average_case::Estimator& estimator) {
  const bool published = findings.copies_as_published && estimator.name.starts_with("mmse");
  return std::string(estimator.summary) + (published ? "; copies drawn independently, as published" : "");
}

// What the methods that were asked for are, each once.
Json methods_json(const AverageCaseFindings& findings) {
  Json methods = Json::array();
  std::vector<const average_case::Estimator*> seen;
  for (const Column& column : findings.cases.columns) {
    if (std::ranges::find(seen, column.estimator) != seen.end()) continue;
    seen.push_back(column.estimator);
    methods.push_back({{"method", column.estimator->name},
                       {"summary", summary_of(findings, *column.estimator)},
                       {"source", column.estimator->source},
                       {"probability", column.estimator->probability}});
  }
  return methods;
}

}  // namespace

std::vector<std::string> gradient_warnings(const AverageCaseFindings& findings) {
  double most = 0;
  std::vector<std::string_view> methods;
  for (const Column& column : findings.cases.columns) {
    if (zero_gradient(column) <= average_case::most_zero_gradients) continue;
    most = std::max(most, zero_gradient(column));
    if (methods.empty() || methods.back() != column.estimator->name)
      methods.push_back(column.estimator->name);
  }
  if (methods.empty()) return {};
  return {fmt::format(
      "the gradient of {:.1f}% of {} samples is exactly 0, as behind sign, rounding or quantised "
      "layers: {} take{} them as surviving any noise; Monte Carlo (mc) needs no gradient",
      100 * most, findings.cases.targets.size(), fmt::join(methods, ", "), methods.size() == 1 ? "s" : "")};
}

Json average_case_json(const AverageCaseFindings& findings) {
  Json results = Json::array(), against = Json::array(), classes = Json::array(), rankings = Json::array();
  constexpr std::size_t most_classes = 100;
  for (const Column& column : findings.cases.columns) {
    results.push_back(result_json(findings, column));
    const Column* const truth = monte_carlo_of(findings, column.sigma);
    if (truth != nullptr && truth != &column)
      against.push_back(against_json(
          column, average_case::against_monte_carlo(column, *truth, findings.level, findings.seed)));
    if (column.estimator->name != leading(findings) || findings.classes > most_classes) continue;
    classes.push_back(class_json(findings, column));
    rankings.push_back(ranking_json(findings, column));
  }
  Json convergence = Json::array();
  for (const auto& point : findings.convergence)
    convergence.push_back({{"method", point.method},
                           {"sigma", point.sigma},
                           {"copies", point.copies},
                           {"n", findings.convergence_samples},
                           {"mean_change", point.mean_change},
                           {"most_change", point.most_change}});
  return {{"results", std::move(results)},
          {"n", findings.cases.targets.size()},
          {"k", findings.classes},
          {"classes_are", findings.labels ? "labels" : "predictions"},
          {"level", findings.level},
          {"methods", methods_json(findings)},
          {"leading", leading(findings)},
          {"against_monte_carlo", std::move(against)},
          {"class_bias", std::move(classes)},
          {"ranking", std::move(rankings)},
          {"convergence", std::move(convergence)},
          {"warnings", gradient_warnings(findings)},
          {"seconds_in_all", findings.cases.seconds},
          {"model_seconds_in_all", findings.cases.model_seconds}};
}

std::string average_case_text(const AverageCaseFindings& findings) {
  std::string text;
  for (const std::string& warning : gradient_warnings(findings)) text += "warning: " + warning + "\n";
  text += fmt::format("{:<11} {:>6}  {:>6}  {:<18} {:>7} {:>7}  {:>9}  {:>8}\n", "method", "sigma", "mean",
                      fmt::format("[{:g}% interval]", 100 * findings.level), "5%", "median", "MC error",
                      "seconds");
  for (const Column& column : findings.cases.columns) {
    const Distribution all = average_case::distribution(column.p, findings.level);
    const Column* const truth = monte_carlo_of(findings, column.sigma);
    const std::string error =
        truth == nullptr || truth == &column
            ? "-"
            : fmt::format("{:.4f}",
                          average_case::against_monte_carlo(column, *truth, findings.level).mean_absolute);
    text += fmt::format(
        "{:<11} {:>6g}  {:>6.4f}  {:<18} {:>7.4f} {:>7.4f}  {:>9}  {:>8.2f}{}\n", column.estimator->name,
        column.sigma, all.mean,
        all.interval ? fmt::format("[{:.4f}, {:.4f}]", all.interval->low, all.interval->high) : "-",
        all.quantiles[1], all.quantiles[3], error, column.seconds,
        column.estimator->probability ? "" : "  (score)");
  }
  text += fmt::format(
      "\nMean over {} samples of the probability that the prediction survives noise of that sigma. 5%: one "
      "in twenty\n"
      "samples is less robust. MC error: mean distance from Monte Carlo, its own chance included. Scores "
      "rank samples\n"
      "and are no probabilities.\n",
      findings.cases.targets.size());
  if (findings.copies_as_published)
    text += "mmse: copies drawn independently, as published; a linear model's p is then off by chance.\n";
  for (const Column& column : findings.cases.columns)
    if (column.not_converged > 0)
      text += fmt::format("{} at sigma {:g}: {} of {} samples not within the tolerance\n",
                          column.estimator->name, column.sigma, column.not_converged, column.p.size());
  return text;
}

ArrayMap average_case_arrays(const AverageCaseFindings& findings) {
  const std::size_t n = findings.cases.targets.size(), sigmas = findings.sigmas.size();
  ArrayMap arrays;
  const auto table = [&](std::string_view method, auto member) {
    using Value = typename std::remove_cvref_t<decltype(std::declval<Column>().*member)>::value_type;
    std::vector<Value> values(n * sigmas);
    for (std::size_t c = 0, s = 0; c < findings.cases.columns.size(); ++c) {
      const Column& column = findings.cases.columns[c];
      if (column.estimator->name != method) continue;
      for (std::size_t i = 0; i < n; ++i) values[i * sigmas + s] = (column.*member)[i];
      ++s;
    }
    return make_array<Value>({n, sigmas}, std::move(values));
  };
  for (const Column& column : findings.cases.columns) {
    const std::string name(column.estimator->name);
    if (arrays.contains(name)) continue;
    arrays[name] = table(name, &Column::p);
    if (column.draws.empty()) continue;
    arrays["mc_low"] = table(name, &Column::low), arrays["mc_high"] = table(name, &Column::high);
    arrays["mc_draws"] = table(name, &Column::draws);
  }
  arrays["sigmas"] = make_array<double>({sigmas}, findings.sigmas);
  arrays["targets"] = make_array<std::int32_t>({n}, findings.cases.targets);
  arrays["confidence"] = make_array<double>({n}, findings.cases.confidence);
  if (findings.labels) arrays["labels"] = make_array<std::int64_t>({n}, *findings.labels);
  return arrays;
}

}  // namespace leeway::app
