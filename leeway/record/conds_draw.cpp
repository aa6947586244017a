#include "leeway/record/conds_draw.h"

#include <fmt/format.h>

#include "leeway/conds/protocol_sets.h"
#include "leeway/core/message.h"
#include "leeway/record/fields.h"
#include "leeway/record/json.h"

namespace leeway::record {

static void fields(CondsShifts& shifts, Fields& f) {
  f("sc", shifts.sc, "attribute that goes with the label in training: spurious correlation");
  f("ldd", shifts.ldd, "attribute whose last value is rare in training: low data drift");
  f("uds", shifts.uds, "attribute whose last value training never has: unseen data shift");
}

static void fields(CondsCounts& counts, Fields& f) {
  f("train", counts.train, from_to(0, 1e9),
    "training samples per cell (default: depends on the case, as for dSprites)");
  f("val", counts.validation, from_to(0, 1e9), "validation samples per cell (default: depends on the case)");
  f("test", counts.test, from_to(0, 1e9), "test samples per cell (default: 10)");
  f("ldd_ratio", counts.ldd_ratio, from_to(1, 1e9),
    "LDD: ratio of the frequency of the other values to that of the last value");
  f("counterexamples", counts.counterexamples, share,
    "SC: share of samples that break the correlation, relative to the others");
}

void fields(CondsDrawOptions& options, Fields& f) {
  f("label", options.label, "column of the labels");
  fields(options.shifts, f);
  f("all", options.all, "every case: uniform, and all shifts on all attributes (33 of three)");
  f("columns", options.columns, "all attributes that make the cells (default: those that shifts are on)");
  f.choice("dataset", options.data_set, choices_of(conds::conds_data_sets()),
           "columns, orders and counts of the protocol");
  f("id", options.id, "column that tells rows apart (default: the whole row)");
  f("plan", options.plan, "say what each cell would give and what the data lack; draw nothing");
  fields(options.counts, f);
}

static void fields(CondsCell& cell, Fields& f) {
  std::size_t lacks = cell.plan.lacks();
  f("values", cell.values, "of the label, then of the attributes");
  f("available", cell.plan.available, "rows of the table");
  f("train", cell.plan.train, "counterexamples included");
  f("val", cell.plan.validation, "rows for the validation set");
  f("test", cell.plan.test, "rows for the test set");
  f("counterexamples", cell.plan.counterexamples, "of train");
  f("lacks", lacks, "rows wanted beyond those available");
}

static void fields(CondsCase& one, Fields& f) {
  std::vector<Choice> kinds;
  for (std::size_t kind = 0; kind < 8; ++kind) kinds.push_back({conds::kind_name(kind), ""});
  f("name", one.name, "with --all NAME.csv is its split");
  f.choice("kind", one.kind, std::move(kinds), "the shifts there are");
  f("shifts", one.shifts, "the attribute that each is on; null where there is none");
  f("train_per_cell", one.train_per_cell, "of a cell that is not rare");
  f("val_per_cell", one.validation_per_cell, "likewise");
  f("test_per_cell", one.test_per_cell, "of every cell");
  f("n_train", one.n_train, "planned; drawn, where `out` says so");
  f("n_val", one.n_validation, "likewise");
  f("n_test", one.n_test, "likewise");
  f("n_counterexamples", one.n_counterexamples, "of n_train");
  f("cells_lacking", one.cells_lacking, "cells with too few rows");
  f("out", one.out, "the split; null: planned alone");
  f("xxh3_128", one.xxh3_128, "digest of that file; null: planned alone, or --no-digest");
  f("cells", one.cells, "label by attributes, the label slowest");
}

static void fields(CondsColumn& column, Fields& f) {
  f("name", column.name, "of the column");
  f("values", column.values, "in order: the last is the rare or unseen one");
}

void fields(CondsDraw& record, Fields& f) {
  common_fields(record, f);
  f("n", record.n, "rows of the table");
  f("label", record.label, "the column of the labels");
  f("attributes", record.attributes, "that make the cells");
  f("results", record.results, "one for each case");
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

}  // namespace leeway::record
