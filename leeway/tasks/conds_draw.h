// Plans and draws training, validation and test sets with concurrent distribution shifts (conds/conds.h).
//
// One case, or every case with CondsDrawOptions::all. All cases are planned first; if one lacks rows, none is
// drawn. The caller that opens the table applies the options for reading it (label, id, data_set); the data
// set's counts apply here.
// Errors (Error): a shift on an attribute that the table lacks; those of conds/conds.h and opening the table.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/attribute_table.h"
#include "leeway/record/conds_draw.h"

namespace leeway::tasks {

struct SavedSplit {
  std::string path, xxh3_128;  // the digest may be empty: not wanted
};

struct CondsDrawTask {
  std::function<AttributeTable()> open;
  // Is given the name of each case and the rows of its sets; not called where CondsDrawOptions::plan is set.
  std::function<SavedSplit(const std::string& name, const conds::ConDSSplit& split)> save = {};
  record::CondsDrawOptions options = {};
  std::uint64_t seed = 0;
};

[[nodiscard]] record::CondsDraw conds_draw(const CondsDrawTask& task);

// The columns to read: those that the options name, or their data set's under the table's names. `orders`:
// all values of an attribute, in order. OptionError: no label or attributes, another number of names than the
// data set has, a shift on no attribute or two on one.
[[nodiscard]] TableColumns table_columns(const record::CondsDrawOptions& options,
                                         const std::map<std::string, std::vector<std::string>>& orders = {});

// "sc_ldd-3": the kind of each case and its number, as the protocol's reference counts them.
[[nodiscard]] std::vector<std::string> case_names(const record::CondsDrawOptions& options,
                                                  const AttributeTable& table);

// The rows of a split as the text of a CSV file, index,split (data/training_data.h).
[[nodiscard]] std::string split_text(const conds::ConDSSplit& split);

}  // namespace leeway::tasks
