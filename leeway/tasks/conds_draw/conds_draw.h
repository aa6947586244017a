// leeway conds draw: plans and draws training, validation and test sets with concurrent distribution shifts
// (conds/conds.h). Keys: leeway schema conds-draw.
//
// One case, or every case with CondsDrawOptions::all. All cases are planned first; if one lacks rows, none is
// drawn. The caller that opens the table applies the options for reading it (label, id, data_set); the data
// set's counts apply here.
// Errors (Error): a shift on an attribute that the table lacks; those of conds/conds.h and opening the table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/conds/conds.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/view.h"
#include "leeway/io/attribute_table.h"

namespace leeway::tasks {

inline constexpr std::string_view conds_draw_schema = "leeway.conds-draw/3";

// Attributes, by name, that each shift is on.
struct CondsShifts {
  std::optional<std::string> sc, ldd, uds;
};

// Samples a cell that is not rare; none: by case, of the data set.
struct CondsCounts {
  std::optional<std::size_t> train, validation, test;
  double ldd_ratio = 3, counterexamples = .01;
};

struct CondsDrawOptions {
  std::optional<std::string> label, data_set, id;
  std::vector<std::string> columns;
  CondsShifts shifts;
  bool all = false, plan = false;  // every case; draw nothing
  CondsCounts counts;
};

struct CondsCell {
  std::vector<std::string> values;  // of the label, then of the attributes
  conds::CellPlan plan;
};

struct CondsCase {
  std::string name;              // "sc_ldd-3"
  std::string kind = "UNIFORM";  // conds::kind_name
  CondsShifts shifts;
  std::size_t train_per_cell = 0, validation_per_cell = 0, test_per_cell = 0;
  std::size_t n_train = 0, n_validation = 0, n_test = 0;  // planned; drawn, where `out` says so
  std::size_t n_counterexamples = 0, cells_lacking = 0;
  std::optional<std::string> out, xxh3_128;  // the split's file and its digest
  std::vector<CondsCell> cells;
};

struct CondsColumn {
  std::string name;
  std::vector<std::string> values;  // in order: the last is the rare or unseen one
};

struct CondsDraw {
  Envelope envelope = envelope_of(conds_draw_schema);
  CondsDrawOptions options;
  std::size_t n = 0;  // rows of the table
  CondsColumn label;
  std::vector<CondsColumn> attributes;
  std::vector<CondsCase> results;
};

void fields(CondsDrawOptions& options, Fields& f);
void fields(CondsDraw& record, Fields& f);

// "SC on color, LDD on size"; "UNIFORM".
[[nodiscard]] std::string shifts_text(const CondsShifts& shifts);
// What was drawn or planned; cases that lack rows.
[[nodiscard]] std::string headline_of(const CondsDraw& record);
[[nodiscard]] std::vector<std::string> findings_of(const CondsDraw& record);

struct SavedSplit {
  std::string path, xxh3_128;  // the digest may be empty: not wanted
};

struct CondsDrawTask {
  AttributeTable table;
  // Is given the name of each case and the rows of its sets; not called where CondsDrawOptions::plan is set.
  std::function<SavedSplit(const std::string& name, const conds::ConDSSplit& split)> save = {};
  CondsDrawOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] CondsDraw conds_draw(const CondsDrawTask& task);

// The columns to read: those that the options name, or their data set's under the table's names. `orders`:
// all values of an attribute, in order. OptionError: no label or attributes, another number of names than the
// data set has, a shift on no attribute or two on one, or with --all.
[[nodiscard]] TableColumns table_columns(const CondsDrawOptions& options,
                                         const std::map<std::string, std::vector<std::string>>& orders = {});

// "sc_ldd-3": the kind of each case and its number, as the protocol's reference counts them.
[[nodiscard]] std::vector<std::string> case_names(const CondsDrawOptions& options,
                                                  const AttributeTable& table);

// The rows of a split as the text of a CSV file, index,split (data/training_data.h).
[[nodiscard]] std::string split_text(const conds::ConDSSplit& split);

[[nodiscard]] View view(const CondsDraw& record);

}  // namespace leeway::tasks
