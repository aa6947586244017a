// The sections on shifts of labels and attributes (record/conds.h).
#pragma once

#include <string>

#include "leeway/record/conds.h"
#include "leeway/report/html.h"

namespace leeway::report {

// The shifts but the strongest, which is the headline, and the table of all measures, in HTML.
[[nodiscard]] std::string shift_measures(const record::DescribedShifts& shifts);
// Maps of the label against every attribute, and accuracy by cell. Empty bodies where there are none.
[[nodiscard]] Section maps_section(const record::DescribedShifts& shifts);
[[nodiscard]] Section cell_accuracy_section(const record::DescribedShifts& shifts);

}  // namespace leeway::report
