#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "leeway/report/chart.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

struct GroupName {
  const char* name;
  const char* meaning;
  const char* who;
};
constexpr GroupName group_names[] = {{"ERR", "right, and stays right", "that stay right"},
                                     {"MIS", "wrong, and stays the same", "that stay wrong"},
                                     {"ADV", "right, then changed", "that are right and then change"},
                                     {"rest", "wrong, then changed", "that are wrong and change"}};

// In the order of agreement::Decomposition::groups, as group_names.
std::span<const agreement::Contribution> groups_of(const record::PaSet& result) {
  if (!result.decomposition) return {};
  return result.decomposition->groups;
}

const GroupName& name_of(const record::PaSet& result, const agreement::Contribution& group) {
  return group_names[&group - groups_of(result).data()];
}

// What the group takes from log k, spread over all samples of the result, in nats.
std::optional<double> loss(const std::optional<double>& sum, std::size_t n) {
  if (!sum || n == 0) return std::nullopt;
  return 0 - *sum / static_cast<double>(n);
}

double total_loss(const record::PaSet& result) {
  double total = 0;
  for (const agreement::Contribution& group : groups_of(result))
    total += loss(group.sum, result.agreement.n).value_or(0);
  return total;
}

double widest(const PaView& record) {
  double top = 0;
  for (const record::PaSet& result : record.results)
    for (const agreement::Contribution& group : groups_of(result))
      for (const auto& sum : {std::optional(group.sum), group.approximation})
        if (const auto value = loss(sum, result.agreement.n); value && std::isfinite(*value))
          top = std::max(top, *value);
  return top > 0 ? top : 1;
}

Json bar(const record::PaSet& result, const agreement::Contribution& group, double top) {
  const GroupName& name = name_of(result, group);
  const std::optional<double> exact = loss(group.sum, result.agreement.n),
                              paper = loss(group.approximation, result.agreement.n);
  const double share =
      static_cast<double>(group.n) / static_cast<double>(std::max<std::size_t>(1, result.agreement.n));
  const std::string value = exact ? fixed(*exact, 3) : "–";
  std::string words = fmt::format("{}: {}\n{} samples, {}\n{} nats of every sample's agreement", name.name,
                                  name.meaning, count(group.n), percent(share, 1), value);
  if (exact && group.n > 0)
    words += fmt::format("\n{} of each of its own", fixed(-group.sum / static_cast<double>(group.n), 3));
  words += paper ? "\napproximation " + fixed(*paper, 3) : std::string("\napproximation unavailable");
  return {{"name", name.name},
          {"meaning", fmt::format("{} · {} of samples", name.meaning, percent(share, share < .1 ? 1 : 0))},
          {"n", group.n},
          {"exact", exact && std::isfinite(*exact) ? brief(*exact) : Json(exact ? top : 0)},
          {"paper", paper && std::isfinite(*paper) ? brief(*paper) : Json()},
          {"value", value},
          {"words", words}};
}

Chart bars(const PaView& record, const record::PaSet& result, double top) {
  Chart chart{"parts", subject(record, result), "", ""};
  chart.note = fmt::format("PA {} of {}, {} lost", fixed(result.agreement.pa, 2), fixed(result.log_k(), 2),
                           fixed(total_loss(result), 2));
  chart.description = "Agreement lost by each group of samples. ";
  Json rows = Json::array();
  for (const agreement::Contribution& group : groups_of(result)) {
    rows.push_back(bar(result, group, top));
    chart.description +=
        fmt::format("{}: {}. ", name_of(result, group).name, rows.back()["value"].get<std::string>());
  }
  chart.data = {{"bars", rows}};
  chart.signals = {{"top", brief(top)}, {"slot", record.slot(result)}};
  chart.numbers = {"bars",
                   {{"Group", "name"},
                    {"Samples", "n"},
                    {"Agreement lost, nats a sample", "exact"},
                    {"The paper's approximation", "paper"}}};
  return chart;
}

std::string heading(const PaView& record) {
  const record::PaSet* worst = nullptr;
  for (const record::PaSet& result : record.results)
    if (result.decomposition && (worst == nullptr || total_loss(result) > total_loss(*worst)))
      worst = &result;
  const double total = worst == nullptr ? 0 : total_loss(*worst);
  if (worst == nullptr || !(total > 0)) return "No group of samples costs any agreement";
  const agreement::Contribution& group = *std::max_element(
      groups_of(*worst).begin(), groups_of(*worst).end(),
      [&](const agreement::Contribution& a, const agreement::Contribution& b) {
        return loss(a.sum, worst->agreement.n).value_or(0) < loss(b.sum, worst->agreement.n).value_or(0);
      });
  const double n = static_cast<double>(std::max<std::size_t>(1, worst->agreement.n));
  const double part = loss(group.sum, worst->agreement.n).value_or(0);
  return fmt::format("{}: the {} of samples {} cost {} of the agreement lost",
                     escape(subject(record, *worst)), percent(static_cast<double>(group.n) / n),
                     name_of(*worst, group).who,
                     std::isfinite(part) && std::isfinite(total) ? percent(part / total) : "all");
}

}  // namespace

Section decomposition_section(const PaView& record) {
  Section section{"groups", "Who costs it", "", ""};
  const double top = widest(record);
  std::vector<Chart> charts;
  for (const std::string& shifted : record.shifted)
    for (const std::string& model : record.models)
      if (const record::PaSet* result = record.find(model, shifted);
          result != nullptr && result->decomposition)
        charts.push_back(bars(record, *result, top));
  if (charts.empty()) return section;
  section.heading = heading(record);
  section.body =
      paragraph(
          "Every sample takes something from the largest possible agreement, log k. A bar is what its group "
          "takes, in nats for each sample of the whole set; the four bars and PA make log k. The stroke is "
          "the "
          "paper's approximation from one mean confidence a group, where it exists.") +
      panels_html(charts);
  return section;
}

}  // namespace leeway::report
