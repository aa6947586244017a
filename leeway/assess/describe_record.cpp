#include "leeway/assess/describe_record.h"

#include <string>

namespace leeway::assess {
namespace {

using conds::ColumnShift;
using conds::Measure;

void add(Json& to, const std::string& name, const Measure& measure) {
  to[name] = json_number(measure.value);
  to[name + "_low"] = json_number(measure.interval.low);
  to[name + "_high"] = json_number(measure.interval.high);
}

void add(Json& to, const std::string& name, const std::optional<Measure>& measure) {
  if (measure) return add(to, name, *measure);
  for (const char* end : {"", "_low", "_high"}) to[name + end] = nullptr;
}

void add(Json& to, const conds::Test& test) {
  to["p"] = test.p;
  to["p_holm"] = test.adjusted;
}

Json to_json(const conds::Correlation& correlation) {
  Json result = Json::object();
  add(result, "cramers_v", correlation.v);
  add(result, "mutual_information", correlation.information);
  result["p"] = correlation.p;
  return result;
}

Json to_json(const ColumnShift& column) {
  Json result = {{"name", column.name},
                 {"is_label", column.is_label},
                 {"values", column.values},
                 {"source_counts", column.source_counts},
                 {"target_counts", column.target_counts}};
  Json sc, ldd, uds;
  if (column.source) {
    sc = {{"source", to_json(*column.source)}, {"target", column.target ? to_json(*column.target) : Json()}};
    add(sc, "change", column.change);
    add(sc, *column.sc);
    sc["change_p_holm"] = column.change_test ? Json(column.change_test->adjusted) : Json();
  }
  if (column.drift) {
    const conds::Drift& drift = *column.drift;
    ldd = Json::object();
    add(ldd, "distance", drift.distance);
    add(ldd, drift.test);
    ldd["source_imbalance"] = drift.source_imbalance;
    ldd["target_imbalance"] = drift.target_imbalance ? Json(*drift.target_imbalance) : Json();
    ldd["value"] = column.values[drift.value];
    ldd["source_share"] = drift.source_share;
    ldd["target_share"] = drift.target_share;
  }
  if (column.unseen) {
    uds = Json::object();
    add(uds, "mass", column.unseen->mass);
    add(uds, column.unseen->test);
    Json values = Json::array();
    for (const std::size_t value : column.unseen->values) values.push_back(column.values[value]);
    uds["values"] = std::move(values);
  }
  result["sc"] = std::move(sc);
  result["ldd"] = std::move(ldd);
  result["uds"] = std::move(uds);
  return result;
}

Json values_of(const AttributeTable& table, const Cells& cells, std::size_t cell) {
  const auto codes = cells.codes(cell);
  Json values = Json::array({table.label.values[codes[0]]});
  for (std::size_t i = 1; i < codes.size(); ++i) values.push_back(table.attributes[i - 1].values[codes[i]]);
  return values;
}

}  // namespace

Json to_json(const Described& described, double level) {
  const conds::Description& said = described.description;
  Json columns = Json::array(), findings = Json::array(), cell_list = Json::array(), accuracy;
  for (const ColumnShift& column : said.columns) columns.push_back(to_json(column));
  for (const conds::Finding& finding : said.findings)
    findings.push_back({{"kind", conds::name_of(finding.kind)},
                        {"column", said.columns[finding.column].name},
                        {"strength", finding.strength},
                        {"text", finding.text}});
  const Cells cells(described.source);
  const auto before = cells.counts(described.source);
  std::vector<std::size_t> after(cells.size());
  if (described.target) after = cells.counts(*described.target);
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (before[i] + after[i] > 0)
      cell_list.push_back({{"values", values_of(described.source, cells, i)},
                           {"n_source", before[i]},
                           {"n_target", described.target ? Json(after[i]) : Json()}});
  if (described.accuracy) {
    Json list = Json::array();
    std::size_t n = 0, correct = 0;
    for (const conds::CellAccuracy& cell : described.accuracy->cells) {
      n += cell.n;
      correct += cell.correct;
      list.push_back({{"values", values_of(described.source, cells, cell.cell)},
                      {"n", cell.n},
                      {"accuracy", cell.accuracy},
                      {"accuracy_low", cell.interval.low},
                      {"accuracy_high", cell.interval.high}});
    }
    const Interval interval = clopper_pearson(correct, n, level);
    accuracy = {{"n", n},
                {"accuracy", static_cast<double>(correct) / static_cast<double>(n)},
                {"accuracy_low", interval.low},
                {"accuracy_high", interval.high},
                {"p", described.accuracy->p},
                {"cells", std::move(list)}};
  }
  Json result = {{"n_source", said.n_source},
                 {"n_target", said.n_target ? Json(*said.n_target) : Json()},
                 {"tests", said.tests},
                 {"findings", std::move(findings)},
                 {"columns", std::move(columns)}};
  add(result, "unseen_cells", said.unseen_cells);
  result["cells"] = std::move(cell_list);
  result["accuracy"] = std::move(accuracy);
  return result;
}

}  // namespace leeway::assess
