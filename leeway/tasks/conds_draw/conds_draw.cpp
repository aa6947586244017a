#include "leeway/tasks/conds_draw/conds_draw.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "leeway/core/message.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using conds::ConDSCase;

std::vector<ConDSCase> cases_of(const CondsDrawOptions& options, const AttributeTable& table) {
  if (options.all) return conds::all_cases(table.attributes.size());
  const auto position = [&](const std::optional<std::string>& attribute) {
    return attribute ? std::optional(table.find(*attribute)) : std::nullopt;
  };
  return {{position(options.shifts.sc), position(options.shifts.ldd), position(options.shifts.uds)}};
}

conds::ConDSOptions draw_options(const CondsDrawTask& task) {
  const CondsCounts& asked = task.options.counts;
  conds::ConDSOptions options;
  if (task.options.data_set) options.counts = conds::conds_data_set(*task.options.data_set).counts;
  if (asked.train) options.counts.train.fill(*asked.train);
  if (asked.validation) options.counts.validation.fill(*asked.validation);
  if (asked.test) options.counts.test = *asked.test;
  options.ldd_ratio = asked.ldd_ratio;
  options.counterexamples = asked.counterexamples;
  options.seed = task.seed;
  return options;
}

CondsCase planned(const std::string& name, const conds::ConDSPlan& plan, const AttributeTable& table,
                  const Cells& cells, const conds::ConDSOptions& options) {
  const std::size_t kind = plan.shifts.kind();
  CondsCase one;
  one.name = name;
  one.kind = conds::kind_name(kind);
  for (const auto& [attribute, position] :
       {std::pair(&one.shifts.sc, plan.shifts.sc), std::pair(&one.shifts.ldd, plan.shifts.ldd),
        std::pair(&one.shifts.uds, plan.shifts.uds)})
    if (position) *attribute = table.attributes[*position].name;
  one.train_per_cell = options.counts.train[kind];
  one.validation_per_cell = options.counts.validation[kind];
  one.test_per_cell = options.counts.test;
  one.n_train = plan.total.train;
  one.n_validation = plan.total.validation;
  one.n_test = plan.total.test;
  one.n_counterexamples = plan.total.counterexamples;
  one.cells_lacking = plan.lacking().size();
  for (std::size_t c = 0; c < plan.cells.size(); ++c) {
    const auto codes = cells.codes(c);
    std::vector<std::string> values{table.label.values[codes[0]]};
    for (std::size_t i = 1; i < codes.size(); ++i) values.push_back(table.attributes[i - 1].values[codes[i]]);
    one.cells.push_back({std::move(values), plan.cells[c]});
  }
  return one;
}

// Columns of a named data set, under the names that the table has for them.
TableColumns columns_of_set(const CondsDrawOptions& options) {
  const std::vector<std::string>& names = options.columns;
  const conds::ConDSDataSet& set = conds::conds_data_set(*options.data_set);
  TableColumns columns = conds::columns_of(set);
  if (!names.empty() && names.size() != columns.attributes.size())
    throw OptionError(fmt::format("--columns: expected {} names for {}, one for each of {}, found {}",
                                  columns.attributes.size(), set.name, fmt::join(columns.attributes, ", "),
                                  names.size()));
  const auto rename = [&](std::string& column, const std::string& as) {
    auto order = columns.orders.extract(column);
    order.key() = column = as;
    columns.orders.insert(std::move(order));
  };
  // Out of the way first, since a table may use a name of the set for another column.
  for (std::size_t i = 0; i < columns.attributes.size(); ++i)
    if (!names.empty()) rename(columns.attributes[i], fmt::format("\n{}", i));
  if (options.label) rename(columns.label, *options.label);
  for (std::size_t i = 0; i < names.size(); ++i) rename(columns.attributes[i], names[i]);
  return columns;
}

}  // namespace

TableColumns table_columns(const CondsDrawOptions& options,
                           const std::map<std::string, std::vector<std::string>>& orders) {
  const auto& [sc, ldd, uds] = options.shifts;
  if (options.all && (sc || ldd || uds))
    throw OptionError("--all cannot be combined with --sc, --ldd or --uds");
  TableColumns columns;
  if (options.data_set) {
    columns = columns_of_set(options);
  } else {
    if (!options.label) throw OptionError("--label is required: the column of the labels");
    columns.label = *options.label;
    columns.attributes = options.columns;
    for (const auto& attribute : {sc, ldd, uds})
      if (attribute && options.columns.empty()) columns.attributes.push_back(*attribute);
    if (columns.attributes.empty())
      throw OptionError("--columns is required: the attributes, if no shift names one");
  }
  for (const auto& [name, values] : orders) columns.orders[name] = values;
  if (options.id) columns.id = *options.id;
  std::set<std::string> shifted;
  for (const auto& [option, attribute] : {std::pair("--sc", sc), {"--ldd", ldd}, {"--uds", uds}}) {
    if (!attribute) continue;
    if (std::ranges::find(columns.attributes, *attribute) == columns.attributes.end())
      throw OptionError(fmt::format("{}: expected one of {}, found {}", option,
                                    fmt::join(columns.attributes, ", "), in_quotes(*attribute)));
    if (!shifted.insert(*attribute).second)
      throw OptionError(fmt::format("--sc, --ldd, --uds: expected different attributes, found {} twice",
                                    in_quotes(*attribute)));
  }
  return columns;
}

std::vector<std::string> case_names(const CondsDrawOptions& options, const AttributeTable& table) {
  std::vector<std::string> names;
  std::map<std::size_t, std::size_t> number;
  for (const ConDSCase& one : cases_of(options, table)) {
    std::string name = conds::kind_name(one.kind());
    for (char& c : name) c = c == '+' ? '_' : static_cast<char>(c - 'A' + 'a');
    names.push_back(one.kind() == 0 ? name : fmt::format("{}-{}", name, number[one.kind()]++));
  }
  return names;
}

std::string split_text(const conds::ConDSSplit& split) {
  std::vector<std::pair<std::size_t, std::string_view>> rows;
  for (const auto& [set, name] : {std::pair(&split.train, "train"), std::pair(&split.validation, "val"),
                                  std::pair(&split.test, "test")})
    for (const std::size_t row : *set) rows.emplace_back(row, name);
  std::ranges::sort(rows);
  std::string text = "index,split\n";
  for (const auto& [row, name] : rows) text += fmt::format("{},{}\n", row, name);
  return text;
}

CondsDraw conds_draw(const CondsDrawTask& task) {
  const TaskClock clock;
  CondsDraw record;
  record.options = task.options;
  const AttributeTable& table = task.table;
  record.n = table.n();
  record.label = {table.label.name, table.label.values};
  for (const Attribute& attribute : table.attributes)
    record.attributes.push_back({attribute.name, attribute.values});
  const Cells cells(table);
  const auto available = cells.counts(table);
  const conds::ConDSOptions options = draw_options(task);
  const std::vector<std::string> names = case_names(task.options, table);
  std::vector<conds::ConDSPlan> plans;
  for (const ConDSCase& one : cases_of(task.options, table)) {
    plans.push_back(conds::plan_conds(table, cells, available, one, options));
    record.results.push_back(planned(names[record.results.size()], plans.back(), table, cells, options));
  }
  if (task.options.plan || !task.save) return clock.finished(std::move(record), task.seed);
  for (std::size_t i = 0; i < plans.size(); ++i)
    conds::require_rows(plans[i], cells,
                        task.options.all ? fmt::format("{}: {}", table.name, names[i]) : table.name);
  const conds::ConDSSampler sampler(table, cells, options.seed);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const conds::ConDSSplit split = sampler.draw(plans[i]);
    const SavedSplit saved = task.save(names[i], split);
    CondsCase& one = record.results[i];
    one.n_train = split.train.size();
    one.n_validation = split.validation.size();
    one.n_test = split.test.size();
    one.out = saved.path;
    if (!saved.xxh3_128.empty()) one.xxh3_128 = saved.xxh3_128;
  }
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
