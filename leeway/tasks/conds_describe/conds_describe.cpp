#include "leeway/tasks/conds_describe/conds_describe.h"

#include <fmt/format.h>

#include <map>

#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/columns.h"
#include "leeway/io/groups.h"
#include "leeway/tasks/assess/detail/predictions.h"
#include "leeway/tasks/assess/detail/shifts.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

struct Tables {
  AttributeTable source;
  std::optional<AttributeTable> target;
  std::vector<std::size_t> taken;  // rows of the whole that are the target, where a split chose them
  std::size_t whole = 0;

  [[nodiscard]] const AttributeTable* other() const { return target ? &*target : nullptr; }
  [[nodiscard]] const AttributeTable& tested() const { return target ? *target : source; }
};

// Groups of an outputs file as a table, with labels where there are any; numbers in bins of the source's rows.
AttributeTable table_of(const Outputs& outputs, const std::optional<data::RowSplit>& split) {
  const std::string name = display_name(outputs.path);
  if (outputs.groups.empty()) refuse(name, "groups, or a table as well", "none");
  std::vector<std::string> classes = outputs.class_names;
  for (std::size_t i = classes.size(); i < outputs.k(); ++i) classes.push_back(std::to_string(i));
  if (outputs.labels && count_labels(*outputs.labels) < outputs.n())
    refuse(name, "a label in every row (cells combine label and groups)",
           fmt::format("{} rows without one", outputs.n() - count_labels(*outputs.labels)));
  std::vector<GroupColumn> groups = outputs.groups;
  put_in_bins(groups, split ? std::span<const std::size_t>(split->train) : std::span<const std::size_t>());
  return assess::attribute_table(name, outputs.labels ? *outputs.labels : std::vector<std::int64_t>{}, groups,
                                 classes);
}

Tables tables_of(CondsDescribeInputs& inputs) {
  Tables tables;
  if (!inputs.source) {
    if (!inputs.outputs) refuse("conds describe", "a table or outputs", "neither");
    inputs.source = table_of(*inputs.outputs, inputs.split);
  }
  if (inputs.split) {
    const data::RowSplit& split = *inputs.split;
    for (const auto& [rows, what] : {std::pair(&split.train, "train"), std::pair(&split.test, "test")})
      if (rows->empty()) refuse(inputs.split_name, fmt::format("rows of {}", what), "none");
    tables.source = take(*inputs.source, split.train);
    tables.target = take(*inputs.source, split.test);
    tables.taken = split.test;
    tables.whole = inputs.source->n();
  } else {
    tables.source = *std::move(inputs.source);
    tables.target = std::move(inputs.target);
  }
  put_in_bins(tables.source, tables.target ? &*tables.target : nullptr);
  if (tables.target) align(tables.source, *tables.target);
  return tables;
}

// A label of the table must be one class of the outputs, or their rows are not the same samples.
void check_same_rows(const AttributeTable& table, const Outputs& outputs, const std::string& name) {
  std::map<std::uint16_t, std::int64_t> class_of;
  for (std::size_t i = 0; i < table.n(); ++i) {
    const std::int64_t label = (*outputs.labels)[i];
    const auto [entry, is_new] = class_of.try_emplace(table.label.codes[i], label);
    if (entry->second != label)
      refuse(name, fmt::format("the rows of {}, with one class for each label", table.name),
             fmt::format("classes {} and {} for {} at row {}", entry->second, label,
                         in_quotes(table.label.values[table.label.codes[i]]), i));
  }
}

// Right or wrong on every row of the table that was tested.
std::vector<std::uint8_t> correct_rows(const Outputs& outputs, const Tables& tables) {
  const AttributeTable& table = tables.tested();
  const std::vector<std::size_t>& taken = tables.taken;
  const std::string name = display_name(outputs.path);
  if (!outputs.labels) refuse(name, "labels", "none");
  const bool all_rows = !taken.empty() && outputs.n() == tables.whole && tables.whole != taken.size();
  if (!all_rows && outputs.n() != table.n())
    refuse(name,
           taken.empty()
               ? fmt::format("{} rows, as in {}", table.n(), table.name)
               : fmt::format("{} rows (the test set of the split) or {} (all rows)", table.n(), tables.whole),
           outputs.n());
  Outputs shown = outputs;
  if (all_rows)
    for (std::size_t i = 0; i < taken.size(); ++i) (*shown.labels)[i] = (*outputs.labels)[taken[i]];
  if (table.has_label()) check_same_rows(table, shown, name);
  const auto predicted = assess::predict(outputs.logits, name).classes;
  std::vector<std::uint8_t> correct(table.n());
  for (std::size_t i = 0; i < table.n(); ++i) {
    const std::size_t row = all_rows ? taken[i] : i;
    correct[i] = predicted[row] == (*outputs.labels)[row];
  }
  return correct;
}

}  // namespace

TableColumns described_columns(const CondsDescribeOptions& options) {
  const Encoding encoding = reading_of(options.reading).columns.encoding;
  return {options.label.value_or(""), options.columns, {}, {}, encoding};
}

CondsDescribe conds_describe(const CondsDescribeTask& task) {
  const TaskClock clock;
  CondsDescribe record;
  record.options = task.options;
  CondsDescribeInputs inputs = task.inputs;
  if (inputs.outputs) {
    const Rows logits(inputs.outputs->logits);
    number_labels(*inputs.outputs, inputs.outputs->n(), {}, &logits);
    record.envelope.warnings = inputs.outputs->warnings;
  }
  const bool has_table = inputs.source.has_value();
  const Tables tables = tables_of(inputs);
  const conds::DescribeOptions options{task.options.level, task.options.permutations, task.options.bootstrap,
                                       task.seed};
  const conds::Description description = conds::describe(tables.source, tables.other(), options);
  std::optional<conds::AccuracyOfCells> accuracy;
  if (inputs.outputs && (has_table || inputs.outputs->labels))
    accuracy = conds::accuracy_of_cells(tables.tested(), Cells(tables.tested()),
                                        correct_rows(*inputs.outputs, tables), options);
  record.results = {
      described(tables.source, tables.other(), description, accuracy ? &*accuracy : nullptr, options.level)};
  return clock.finished(std::move(record), task.seed);
}

}  // namespace leeway::tasks
