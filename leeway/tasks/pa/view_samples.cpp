// Which samples cost agreement, and how sure a model is of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "leeway/describe/lines.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

using agreement::ConfidenceAt;
using agreement::ConfidenceSummary;
using agreement::Contribution;
using agreement::EntropyAt;

struct GroupName {
  const char* name;
  const char* meaning;
  const char* who;
};
constexpr GroupName group_names[] = {
    {"ERR", "correct, and remains correct", "that remain correct"},
    {"MIS", "wrong, and remains the same", "that remain wrong"},
    {"ADV", "correct, then changed", "that are correct first and then change"},
    {"rest", "wrong, then changed", "that are wrong and change"}};

// In the order of agreement::Decomposition::groups, as group_names.
std::span<const Contribution> groups_of(const PaSet& result) {
  if (!result.decomposition) return {};
  return result.decomposition->groups;
}

const GroupName& name_of(const PaSet& result, const Contribution& group) {
  return group_names[&group - groups_of(result).data()];
}

double share_of(const Contribution& group, const PaSet& result) {
  return static_cast<double>(group.n) / static_cast<double>(std::max<std::size_t>(1, result.agreement.n));
}

// What the group takes from log k, spread over all samples of the result, in nats.
std::optional<double> loss(const std::optional<double>& sum, const PaSet& result) {
  if (!sum || result.agreement.n == 0) return std::nullopt;
  return 0 - *sum / static_cast<double>(result.agreement.n);
}

double total_loss(const PaSet& result) {
  double total = 0;
  for (const Contribution& group : groups_of(result)) total += loss(group.sum, result).value_or(0);
  return total;
}

double widest(const PaView& record) {
  double top = 0;
  for (const PaSet& result : record.results)
    for (const Contribution& group : groups_of(result))
      for (const auto& sum : {std::optional(group.sum), group.approximation})
        if (const auto value = loss(sum, result); value && std::isfinite(*value)) top = std::max(top, *value);
  return top > 0 ? top : 1;
}

Json bar(const PaSet& result, const Contribution& group, double top) {
  const GroupName& name = name_of(result, group);
  const std::optional<double> exact = loss(group.sum, result), paper = loss(group.approximation, result);
  const double share = share_of(group, result);
  const std::string value = exact ? fixed(*exact, 3) : "–";
  std::string words = fmt::format("{}: {}\n{} samples, {}\n{} nats per sample of the whole set", name.name,
                                  name.meaning, count(group.n), percent(share, 1), value);
  if (exact && group.n > 0)
    words +=
        fmt::format("\n{} nats per sample of the group", fixed(-group.sum / static_cast<double>(group.n), 3));
  words += "\napproximation " + (paper ? fixed(*paper, 3) : "unavailable");
  return {{"name", name.name},
          {"meaning", fmt::format("{} · {} of samples", name.meaning, percent(share, share < .1 ? 1 : 0))},
          {"n", group.n},
          {"exact", exact && std::isfinite(*exact) ? brief(*exact) : Json(exact ? top : 0)},
          {"paper", paper && std::isfinite(*paper) ? brief(*paper) : Json()},
          {"value", value},
          {"words", words}};
}

Chart bars(const PaView& record, const PaSet& result, double top) {
  Chart chart{"parts", subject(record, result),
              fmt::format("PA {} (maximum {}), {} lost", fixed(result.agreement.pa, 2),
                          fixed(result.log_k(), 2), fixed(total_loss(result), 2)),
              "Agreement lost by each group of samples. "};
  Json rows =
      json_rows(groups_of(result), [&](const Contribution& group) { return bar(result, group, top); });
  for (const Json& row : rows)
    chart.description +=
        fmt::format("{}: {}. ", row["name"].get<std::string>(), row["value"].get<std::string>());
  chart.data = {{"bars", std::move(rows)}};
  chart.signals = {{"top", brief(top)}, {"slot", record.slot(result)}};
  return chart;
}

std::string decomposition_heading(const PaView& record) {
  const PaSet* worst = lowest(record.results, [](const PaSet& result) {
    return result.decomposition ? std::optional(-total_loss(result)) : std::nullopt;
  });
  const char* const none = "No group of samples reduces the agreement";
  if (worst == nullptr) return none;
  const double total = total_loss(*worst);
  if (!(total > 0)) return none;
  const auto own = [&](const Contribution& group) { return loss(group.sum, *worst).value_or(0); };
  const Contribution& group = *std::ranges::max_element(groups_of(*worst), {}, own);
  return fmt::format("{}: the {} of samples {} cause {} of the lost agreement", subject(record, *worst),
                     percent(share_of(group, *worst)), name_of(*worst, group).who,
                     std::isfinite(own(group)) && std::isfinite(total) ? percent(own(group) / total) : "all");
}

// -- Entropy and confidence

template <class At>
const At* at_beta(const std::vector<At>& list, double beta) {
  const auto found = std::ranges::find(list, beta, &At::beta);
  return found == list.end() ? nullptr : &*found;
}

// Of no samples where it was not asked for, or there are no labels.
ConfidenceSummary clean_right(const PaSet& result) {
  return result.confidence ? result.confidence->clean_right.value_or(ConfidenceSummary{})
                           : ConfidenceSummary{};
}

ConfidenceSummary moved(const PaSet& result) {
  return result.confidence ? result.confidence->moved : ConfidenceSummary{};
}

// A set at one of the betas that its entropy and its confidence were measured at.
struct PaSamplesRow {
  const PaSet* set;
  double beta;
};

std::vector<PaSamplesRow> rows_of(const PaView& record) {
  std::vector<PaSamplesRow> rows;
  for (const PaSet& set : record.results) {
    if (!set.entropy && !set.confidence) continue;
    rows.push_back({&set, 1});
    if (set.agreement.beta != 1) rows.push_back({&set, set.agreement.beta});
  }
  return rows;
}

Cell confidence_cell(const ConfidenceSummary& summary, double beta, const char* none) {
  const ConfidenceAt* at = at_beta(summary.at, beta);
  if (at == nullptr || std::isnan(at->mean)) return dash_cell(summary.n == 0 ? none : "not computed");
  if (!std::isfinite(at->standard_error)) return percent_cell(at->mean, 1);
  const int decimals = decimals_for(100 * at->standard_error, 1);
  Cell cell = percent_cell(at->mean, decimals);
  cell.beside = "± " + fixed(100 * at->standard_error, decimals);
  cell.title = "mean and standard error of " + count(summary.n) + " samples";
  return cell;
}

Blocks posteriors_table(const PaView& record) {
  const auto bits = [](double EntropyAt::*member) {
    return [member](const PaSamplesRow& row) {
      const EntropyAt* at = row.set->entropy ? at_beta(row.set->entropy->at, row.beta) : nullptr;
      return at == nullptr || std::isnan(at->*member) ? dash_cell("not computed")
                                                      : fixed_cell(at->*member, 2);
    };
  };
  const char *sorted = "Entropy in bits of the mean posterior, each row sorted before averaging",
             *plain = "Entropy in bits of the mean posterior, rows not sorted (measures class balance)";
  const std::vector<ColumnOf<PaSamplesRow>> columns = {
      {number_column("β", "Inverse temperature: 1 (scores of the model), and the β of PA"),
       [](const PaSamplesRow& row) { return significant_cell(row.beta, 3); }},
      {number_column("Entropy, clean", sorted), bits(&EntropyAt::clean)},
      {number_column("shifted", sorted), bits(&EntropyAt::shifted)},
      {number_column("Unsorted, clean", plain), bits(&EntropyAt::clean_plain)},
      {number_column("shifted", plain), bits(&EntropyAt::shifted_plain)},
      {number_column("Confidence of correct predictions",
                     "Mean confidence of clean samples predicted right, ± its standard error"),
       [](const PaSamplesRow& row) {
         return confidence_cell(clean_right(*row.set), row.beta, "no sample is right");
       }},
      {number_column("Confidence of changed predictions",
                     "Mean confidence, after the shift, of samples whose prediction changes"),
       [](const PaSamplesRow& row) {
         return confidence_cell(moved(*row.set), row.beta, "no prediction changes");
       }}};
  return table_of_sets(record, "Entropy and confidence", columns, rows_of(record),
                       [](const PaSamplesRow& row) -> const PaSet& { return *row.set; });
}

// Mean confidence where it matters: as the model gives it, or at the first beta there is; NaN where there is none.
double as_given(const ConfidenceSummary& summary) {
  const ConfidenceAt* at = at_beta(summary.at, 1);
  if (at != nullptr) return at->mean;
  return summary.at.empty() ? NAN : summary.at.front().mean;
}

std::string posteriors_heading(const PaView& record) {
  const PaSet* surest = nullptr;
  double most = -1;
  for (const PaSet& result : record.results)
    if (const double mean = as_given(moved(result)); mean > most) surest = &result, most = mean;
  if (surest == nullptr) return "Entropy of the outputs, clean and shifted";
  const double right = as_given(clean_right(*surest));
  return fmt::format(
      "{}: mean confidence is {} where the prediction changes{}", subject(record, *surest), percent(most),
      std::isnan(right) ? "" : fmt::format(", and {} where the model was right", percent(right)));
}

ChartChoice rank_charts(const PaView& record, const char* name,
                        std::optional<agreement::Responses> PaDecomposition::*at) {
  ChartChoice choice{name, {}};
  for (const PaSet& set : record.results)
    if (set.decomposition && (*set.decomposition).*at)
      choice.charts.push_back(rank_chart(subject(record, set), *((*set.decomposition).*at)));
  return choice;
}

}  // namespace

Chart rank_chart(const std::string& title, const agreement::Responses& at) {
  using Named = std::pair<const char*, const agreement::Response*>;
  std::vector<Line> lines;
  std::size_t ranks = 1;
  for (const auto& [name, group] : {Named{"right", at.right ? &*at.right : nullptr},
                                    {"wrong", at.wrong ? &*at.wrong : nullptr},
                                    {"changed", &at.moved}}) {
    Line line{name, lines.size(), {}};
    if (group != nullptr)
      for (const double share : group->by_rank) {
        const std::size_t rank = line.points.size() + 1;
        line.points.push_back({static_cast<double>(rank),
                               {share},
                               std::to_string(rank),
                               fmt::format("rank {}: {}\nn = {}", rank, percent(share, 1), count(group->n))});
      }
    ranks = std::max(ranks, line.points.size());
    lines.push_back(std::move(line));
  }
  std::erase_if(lines, [](const Line& line) { return line.points.empty(); });
  LineAxes axes = counted_axes(ranks, "rank of the class");
  axes.percent = true;
  return line_chart(title, "mean posterior at β = " + significant(at.beta, 3), lines, axes);
}

Section decomposition_section(const PaView& record) {
  const double top = widest(record);
  std::vector<Chart> charts;
  for (const std::string& shifted : record.shifted)
    for (const std::string& model : record.models) {
      const auto found = std::ranges::find_if(record.results, [&](const PaSet& result) {
        return result.model == model && result.shift_name() == shifted;
      });
      if (found != record.results.end() && found->decomposition) charts.push_back(bars(record, *found, top));
    }
  if (charts.empty()) return {};
  return {
      "groups", "Lost agreement", decomposition_heading(record),
      paragraph(
          "Every sample reduces the largest possible agreement, log k. Each bar is the loss due to one "
          "group, in nats per sample of the whole set; the four bars and PA add up to log k. The vertical "
          "mark shows the paper's approximation from one mean confidence per group, if it exists.") +
          chart_grid(charts)};
}

Section suspects_section(const PaView& record) {
  struct Row {
    const PaSet* set;
    std::size_t rank;
  };
  std::vector<Row> rows;
  std::string heading;
  for (const PaSet& set : record.results) {
    if (!set.suspects) continue;
    if (heading.empty())
      heading = fmt::format("{}: confident learning flags {} of {} labels as possibly wrong",
                            subject(record, set), count(set.suspects->suspects), count(set.suspects->n));
    for (std::size_t i = 0; i < set.suspects->by_margin.size(); ++i) rows.push_back({&set, i});
  }
  if (rows.empty()) return {};
  const auto cell = [](std::vector<SuspectRow> PaSuspects::*list, Cell (*of)(const SuspectRow&)) {
    return [list, of](const Row& row) { return of(((*row.set->suspects).*list)[row.rank]); };
  };
  const auto number = [](const SuspectRow& one) { return text_cell(std::to_string(one.row)); };
  const auto label = [](const SuspectRow& one) { return text_cell(std::to_string(one.label)); };
  const auto by_margin = &PaSuspects::by_margin, by_agreement = &PaSuspects::by_agreement;
  const std::vector<ColumnOf<Row>> columns = {
      {number_column("Rank"), [](const Row& row) { return count_cell(row.rank + 1); }},
      {number_column("Row by margin", "Ranked by confident learning"), cell(by_margin, number)},
      {number_column("Label"), cell(by_margin, label)},
      {number_column("Suggested"), cell(by_margin,
                                        [](const SuspectRow& one) {
                                          return one.suggested ? text_cell(std::to_string(*one.suggested))
                                                               : dash_cell("no suspect");
                                        })},
      {number_column("Margin", "Posterior of the label minus the largest other posterior"),
       cell(by_margin, [](const SuspectRow& one) { return fixed_cell(one.margin, 3); })},
      {number_column("Row by agreement"), cell(by_agreement, number)},
      {number_column("Label"), cell(by_agreement, label)},
      {number_column("Agreement", "Log agreement of the pair at the best β"),
       cell(by_agreement, [](const SuspectRow& one) { return significant_cell(one.agreement, 3); })}};
  return {"suspects", "Labels", heading,
          in_both(table_of_sets(record, "Rows whose label may be wrong", columns, rows,
                                [](const Row& row) -> const PaSet& { return *row.set; }))};
}

Section posteriors_section(const PaView& record) {
  Blocks table = in_both(posteriors_table(record));
  if (table.empty()) return {};
  const bool of_right = std::ranges::any_of(
      record.results, [](const PaSet& result) { return result.entropy && result.entropy->right_only; });
  return {"posteriors", "Confidence", posteriors_heading(record),
          paragraph(fmt::format("Entropy measures how many classes the outputs leave open: 0 bits is one "
                                "class, 1 bit two equally likely classes. It is averaged over {}. A "
                                "well-calibrated model is less confident where its prediction changes.",
                                of_right ? "the samples predicted right on the clean set" : "all samples")) +
              table +
              chart_grids({rank_charts(record, "at β = 1", &PaDecomposition::initial),
                           rank_charts(record, "at the best β", &PaDecomposition::optimal)})};
}

}  // namespace leeway::tasks
