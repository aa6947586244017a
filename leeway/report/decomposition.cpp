#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/chart.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

struct GroupName {
  const char* key;
  const char* name;
  const char* meaning;
};
constexpr GroupName group_names[] = {{"err", "ERR", "right, and stays right"},
                                     {"mis", "MIS", "wrong, and stays the same"},
                                     {"adv", "ADV", "right, then changed"},
                                     {"rest", "rest", "wrong, then changed"}};

const GroupName& name_of(const PaGroup& group) {
  const auto* found = std::find_if(std::begin(group_names), std::end(group_names) - 1,
                                   [&](const GroupName& name) { return name.key == group.key; });
  return *found;  // the last, where it is none of the others
}

// What the group takes from log k, spread over all samples of the result, in nats.
std::optional<double> loss(const std::optional<double>& sum, std::size_t n) {
  if (!sum || n == 0) return std::nullopt;
  return 0 - *sum / static_cast<double>(n);
}

double total_loss(const PaResult& result) {
  double total = 0;
  for (const PaGroup& group : result.groups) total += loss(group.sum, result.n).value_or(0);
  return total;
}

double widest(const PaRecord& record) {
  double top = 0;
  for (const PaResult& result : record.results)
    for (const PaGroup& group : result.groups)
      for (const auto& sum : {group.sum, group.approximation})
        if (const auto value = loss(sum, result.n); value && std::isfinite(*value))
          top = std::max(top, *value);
  return top > 0 ? top : 1;
}

Json bar(const PaResult& result, const PaGroup& group, double top) {
  const GroupName& name = name_of(group);
  const auto exact = loss(group.sum, result.n), paper = loss(group.approximation, result.n);
  const double share = static_cast<double>(group.n) / static_cast<double>(std::max<std::size_t>(1, result.n));
  const std::string value = exact ? fixed(*exact, 3) : "–";
  std::string words = fmt::format("{}: {}\n{} samples, {}\n{} nats of every sample's agreement", name.name,
                                  name.meaning, count(group.n), percent(share, 1), value);
  if (exact && group.n > 0)
    words += fmt::format("\n{} of each of its own", fixed(-*group.sum / static_cast<double>(group.n), 3));
  words += paper ? "\napproximation " + fixed(*paper, 3) : std::string("\napproximation unavailable");
  return {{"name", name.name},
          {"meaning", fmt::format("{} · {} of samples", name.meaning, percent(share, share < .1 ? 1 : 0))},
          {"n", group.n},
          {"exact", exact && std::isfinite(*exact) ? brief(*exact) : Json(exact ? top : 0)},
          {"paper", paper && std::isfinite(*paper) ? brief(*paper) : Json()},
          {"value", value},
          {"words", words}};
}

Chart bars(const PaRecord& record, const PaResult& result, double top) {
  Chart chart{"parts", subject(record, result), "", ""};
  if (result.pa.value)
    chart.note = fmt::format("PA {} of {}, {} lost", fixed(*result.pa.value, 2), fixed(result.log_k(), 2),
                             fixed(total_loss(result), 2));
  chart.description = "Agreement lost by each group of samples. ";
  Json rows = Json::array();
  for (const PaGroup& group : result.groups) {
    rows.push_back(bar(result, group, top));
    chart.description +=
        fmt::format("{}: {}. ", name_of(group).name, rows.back()["value"].get<std::string>());
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

std::string heading(const PaRecord& record) {
  const PaResult* worst = nullptr;
  for (const PaResult& result : record.results)
    if (!result.groups.empty() && (worst == nullptr || total_loss(result) > total_loss(*worst)))
      worst = &result;
  const double total = worst == nullptr ? 0 : total_loss(*worst);
  if (worst == nullptr || !(total > 0)) return "No group of samples costs any agreement";
  const PaGroup& group =
      *std::max_element(worst->groups.begin(), worst->groups.end(), [&](const PaGroup& a, const PaGroup& b) {
        return loss(a.sum, worst->n).value_or(0) < loss(b.sum, worst->n).value_or(0);
      });
  const double n = static_cast<double>(std::max<std::size_t>(1, worst->n));
  const double part = loss(group.sum, worst->n).value_or(0);
  const std::string who = group.key == "adv"   ? "that are right and then change"
                          : group.key == "err" ? "that stay right"
                          : group.key == "mis" ? "that stay wrong"
                                               : "that are wrong and change";
  return fmt::format("{}: the {} of samples {} cost {} of the agreement lost",
                     escape(subject(record, *worst)), percent(static_cast<double>(group.n) / n), who,
                     std::isfinite(part) && std::isfinite(total) ? percent(part / total) : "all");
}

}  // namespace

Section decomposition_section(const PaRecord& record) {
  Section section{"groups", "Who costs it", "", ""};
  const double top = widest(record);
  std::vector<Chart> charts;
  for (const std::string& shifted : record.shifted)
    for (const std::string& model : record.models)
      if (const PaResult* result = record.find(model, shifted); result != nullptr && !result->groups.empty())
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
