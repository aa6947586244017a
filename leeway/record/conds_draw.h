// The record of leeway conds draw: training, validation and test sets with concurrent distribution shifts (conds/conds.h),
// planned or drawn. docs/schema/conds-draw.md lists the keys.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/conds/conds.h"
#include "leeway/record/envelope.h"

namespace leeway::record {

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

}  // namespace leeway::record
