#include "apps/leeway/conds_draw_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using conds::CellPlan;
using conds::ConDSPlan;

constexpr std::size_t most_lines = 81;  // of cells, where the split is written

const Attribute& column(const AttributeTable& table, std::size_t i) {
  return i == 0 ? table.label : table.attributes[i - 1];
}

std::string value_of(const AttributeTable& table, std::size_t i, std::size_t code) {
  return column(table, i).values[code];
}

// "SC on color, LDD on size"; "UNIFORM".
std::string shifts_text(const ConDSPlan& plan, const AttributeTable& table) {
  std::string text;
  for (const auto& [shift, attribute] : {std::pair("SC", plan.shifts.sc), std::pair("LDD", plan.shifts.ldd),
                                         std::pair("UDS", plan.shifts.uds)})
    if (attribute)
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", shift,
                          printable(table.attributes[*attribute].name));
  return text.empty() ? "UNIFORM" : text;
}

std::string cells_text(const CondsCase& one, const AttributeTable& table, const Cells& cells) {
  const std::size_t columns = table.attributes.size() + 1;
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns; ++i) {
    std::size_t width = printable(column(table, i).name).size();
    for (const std::string& value : column(table, i).values) width = std::max(width, printable(value).size());
    widths.push_back(width);
  }
  std::string text;
  for (std::size_t i = 0; i < columns; ++i)
    text += fmt::format("{:<{}}  ", printable(column(table, i).name), widths[i]);
  text += fmt::format("{:>9} {:>8} {:>6} {:>6}\n", "available", "train", "val", "test");
  const std::size_t shown = one.out.empty() ? cells.size() : std::min(most_lines, cells.size());
  for (std::size_t c = 0; c < shown; ++c) {
    const CellPlan& cell = one.plan.cells[c];
    const auto codes = cells.codes(c);
    for (std::size_t i = 0; i < columns; ++i)
      text += fmt::format("{:<{}}  ", printable(value_of(table, i, codes[i])), widths[i]);
    const std::string train =
        cell.train == 0 ? "-" : fmt::format("{}{}", cell.train, cell.counterexamples > 0 ? "*" : "");
    text += fmt::format("{:>9} {:>8} {:>6} {:>6}{}\n", cell.available, train,
                        cell.validation == 0 ? "-" : std::to_string(cell.validation), cell.test,
                        cell.lacks() > 0 ? fmt::format("  lacks {}", cell.lacks()) : "");
  }
  if (shown < cells.size())
    text += fmt::format("... and {} more cells (--plan and --json have all)\n", cells.size() - shown);
  if (one.plan.total.counterexamples > 0) text += "* counterexamples: they break the correlation\n";
  return text;
}

std::string outcome(const CondsCase& one) {
  const std::size_t lacking = one.plan.lacking().size();
  if (!one.out.empty()) return "written to " + one.out;
  if (lacking == 0) return "the data have enough rows in every cell";
  return fmt::format("{} of {} cells have too few rows", lacking, one.plan.cells.size());
}

}  // namespace

Json conds_json(const CondsCase& one, const AttributeTable& table, const Cells& cells,
                const conds::ConDSOptions& options) {
  const ConDSPlan& plan = one.plan;
  const std::size_t kind = plan.shifts.kind();
  Json shifts = Json::object(), cell_list = Json::array();
  for (const auto& [shift, attribute] : {std::pair("SC", plan.shifts.sc), std::pair("LDD", plan.shifts.ldd),
                                         std::pair("UDS", plan.shifts.uds)})
    if (attribute) shifts[shift] = table.attributes[*attribute].name;
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    const CellPlan& cell = plan.cells[c];
    Json values = Json::array();
    const auto codes = cells.codes(c);
    for (std::size_t i = 0; i < codes.size(); ++i) values.push_back(value_of(table, i, codes[i]));
    cell_list.push_back({{"values", std::move(values)},
                         {"available", cell.available},
                         {"train", cell.train},
                         {"val", cell.validation},
                         {"test", cell.test},
                         {"counterexamples", cell.counterexamples},
                         {"lacks", cell.lacks()}});
  }
  const bool drawn = !one.drawn.empty();
  return {{"name", one.name},
          {"kind", conds::kind_name(kind)},
          {"shifts", std::move(shifts)},
          {"train_per_cell", options.counts.train[kind]},
          {"val_per_cell", options.counts.validation[kind]},
          {"test_per_cell", options.counts.test},
          {"n_train", drawn ? one.drawn[0] : plan.total.train},
          {"n_val", drawn ? one.drawn[1] : plan.total.validation},
          {"n_test", drawn ? one.drawn[2] : plan.total.test},
          {"n_counterexamples", plan.total.counterexamples},
          {"cells_lacking", plan.lacking().size()},
          {"out", drawn ? Json(one.out) : Json()},
          {"xxh3_128", one.digest.empty() ? Json() : Json(one.digest)},
          {"cells", std::move(cell_list)}};
}

Json conds_json(const AttributeTable& table, const conds::ConDSOptions& options) {
  const auto described = [](const Attribute& attribute) {
    return Json{{"name", attribute.name}, {"values", attribute.values}};
  };
  Json attributes = Json::array();
  for (const Attribute& attribute : table.attributes) attributes.push_back(described(attribute));
  return {{"n", table.n()},
          {"label", described(table.label)},
          {"attributes", std::move(attributes)},
          {"ldd_ratio", options.ldd_ratio},
          {"counterexamples", options.counterexamples},
          {"resample", options.resample}};
}

std::string conds_text(const std::vector<CondsCase>& cases, const AttributeTable& table, const Cells& cells,
                       std::uint64_t seed) {
  const auto totals = [](const CondsCase& one) {
    const conds::CellPlan& total = one.plan.total;
    return one.drawn.empty() ? std::vector<std::size_t>{total.train, total.validation, total.test}
                             : one.drawn;
  };
  if (cases.size() == 1) {
    const auto n = totals(cases.front());
    return fmt::format("{}; seed {}: {} train, {} validation, {} test of {} rows\n{}{}\n",
                       shifts_text(cases.front().plan, table), seed, n[0], n[1], n[2], table.n(),
                       cells_text(cases.front(), table, cells), outcome(cases.front()));
  }
  std::string text = fmt::format("seed {}, {} rows in {} cells\n{:<14} {:>8} {:>8} {:>8}  {:<}\n", seed,
                                 table.n(), cells.size(), "case", "train", "val", "test", "shifts");
  for (const CondsCase& one : cases) {
    const auto n = totals(one);
    const std::size_t lacking = one.plan.lacking().size();
    text += fmt::format("{:<14} {:>8} {:>8} {:>8}  {}{}\n", one.name, n[0], n[1], n[2],
                        shifts_text(one.plan, table),
                        lacking == 0 ? "" : fmt::format("; {} cells have too few rows", lacking));
  }
  return text;
}

}  // namespace leeway::app
