#include <fmt/format.h>

#include "leeway/describe/json.h"
#include "leeway/tasks/conds_draw/conds_draw.h"

namespace leeway::tasks {

static void fields(CondsShifts& shifts, Fields& f) {
  f("sc", shifts.sc, "attribute correlated with the label in training: spurious correlation");
  f("ldd", shifts.ldd, "attribute whose last value is rare in training: low data drift");
  f("uds", shifts.uds, "attribute whose last value is missing in training: unseen data shift");
}

static void fields(CondsCounts& counts, Fields& f) {
  f("train", counts.train, from_to(0, 1e9),
    "training samples per cell (default: depends on the case, as for dSprites)");
  f("val", counts.validation, from_to(0, 1e9), "validation samples per cell (default: depends on the case)");
  f("test", counts.test, from_to(0, 1e9), "test samples per cell (default: 10)");
  f("ldd_ratio", counts.ldd_ratio, from_to(1, 1e9),
    "LDD: frequency of the other values divided by the frequency of the last value");
  f("counterexamples", counts.counterexamples, a_share,
    "SC: share of samples that break the correlation, relative to the others");
}

void fields(CondsDrawOptions& options, Fields& f) {
  f("label", options.label, "column of the labels");
  fields(options.shifts, f);
  f("all", options.all,
    "all cases: uniform, and all shifts on all attributes (33 cases for three attributes)");
  f("columns", options.columns, "attributes that define the cells (default: the shifted attributes)");
  f.choice("dataset", options.data_set, choices_of(conds::conds_data_sets()),
           "data set whose columns, value orders and counts the protocol defines");
  f("id", options.id, "column that identifies rows (default: the whole row)");
  f("plan", options.plan, "only print the rows available and missing in each cell; draw nothing");
  fields(options.counts, f);
}

static void fields(CondsCell& cell, Fields& f) {
  std::size_t lacks = cell.plan.lacks();
  f("values", cell.values, "value of the label, then values of the attributes");
  f("available", cell.plan.available, "number of rows available in the table");
  f("train", cell.plan.train, "rows for the training set, counterexamples included");
  f("val", cell.plan.validation, "rows for the validation set");
  f("test", cell.plan.test, "rows for the test set");
  f("counterexamples", cell.plan.counterexamples, "training rows that are counterexamples");
  f("lacks", lacks, "number of missing rows");
}

static void fields(CondsCase& one, Fields& f) {
  std::vector<Choice> kinds;
  for (std::size_t kind = 0; kind < 8; ++kind) kinds.push_back({conds::kind_name(kind), ""});
  f("name", one.name, "name of the case; with --all its split is NAME.csv");
  f.choice("kind", one.kind, std::move(kinds), "shifts of the case");
  f("shifts", one.shifts, "attribute of each shift; null without this shift");
  f("train_per_cell", one.train_per_cell, "training samples per cell that is not rare");
  f("val_per_cell", one.validation_per_cell, "validation samples per cell that is not rare");
  f("test_per_cell", one.test_per_cell, "test samples per cell");
  f("n_train", one.n_train, "training samples, planned or (with `out`) drawn");
  f("n_val", one.n_validation, "validation samples, planned or drawn");
  f("n_test", one.n_test, "test samples, planned or drawn");
  f("n_counterexamples", one.n_counterexamples, "counterexamples among n_train");
  f("cells_lacking", one.cells_lacking, "cells with too few rows");
  f("out", one.out, "split file; null: only planned");
  f("xxh3_128", one.xxh3_128, "digest of the split; null: only planned, or --no-digest");
  f("cells", one.cells, "all cells; the label varies slowest");
}

static void fields(CondsColumn& column, Fields& f) {
  f("name", column.name, "name of the column");
  f("values", column.values, "values in order; the last one is rare or unseen");
}

void fields(CondsDraw& record, Fields& f) {
  common_fields(record, f);
  f("n", record.n, "number of rows in the table");
  f("label", record.label, "column of the labels");
  f("attributes", record.attributes, "attributes that define the cells");
  f("results", record.results, "one result for each case");
}

std::string shifts_text(const CondsShifts& shifts) {
  std::string text;
  for (const auto& [shift, attribute] :
       {std::pair("SC", &shifts.sc), std::pair("LDD", &shifts.ldd), std::pair("UDS", &shifts.uds)})
    if (*attribute)
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", shift, printable(**attribute));
  return text.empty() ? "UNIFORM" : text;
}

std::string headline_of(const CondsDraw& record) {
  const CondsCase& first = record.results.front();
  const char* done = first.out ? "drawn" : "planned";
  if (record.results.size() > 1)
    return fmt::format("{} cases are {} from {} rows in {} cells.", record.results.size(), done, record.n,
                       first.cells.size());
  return fmt::format("{}: {} training, {} validation and {} test samples are {} from {} rows.",
                     shifts_text(first.shifts), first.n_train, first.n_validation, first.n_test, done,
                     record.n);
}

std::vector<std::string> findings_of(const CondsDraw& record) {
  std::vector<std::string> findings;
  for (const CondsCase& one : record.results)
    if (one.cells_lacking > 0)
      findings.push_back(
          fmt::format("{}: {} of {} cells have too few rows", one.name, one.cells_lacking, one.cells.size()));
  return findings;
}

}  // namespace leeway::tasks
