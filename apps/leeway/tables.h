// Records as text for a terminal and for Python: the headline, and tables about 100 columns wide. Numbers are
// right-aligned, brackets hold the interval, a dash means no value.
#pragma once

#include <string>

#include "leeway/record/align.h"
#include "leeway/record/assess.h"
#include "leeway/record/average_case.h"
#include "leeway/record/bound.h"
#include "leeway/record/bound_evaluate.h"
#include "leeway/record/conds_describe.h"
#include "leeway/record/conds_draw.h"
#include "leeway/record/distances.h"
#include "leeway/record/list.h"
#include "leeway/record/mvn_cdf.h"
#include "leeway/record/pa.h"
#include "leeway/record/select.h"
#include "leeway/record/shift.h"
#include "leeway/record/shift_text.h"
#include "leeway/record/sweep_report.h"

namespace leeway::app {

[[nodiscard]] std::string table_of(const record::Align& record);
[[nodiscard]] std::string table_of(const record::AverageCase& record);
[[nodiscard]] std::string table_of(const record::Bound& record);
[[nodiscard]] std::string table_of(const record::BoundEvaluation& record);
[[nodiscard]] std::string table_of(const record::CondsDescribe& record);
[[nodiscard]] std::string table_of(const record::CondsDraw& record);
[[nodiscard]] std::string table_of(const record::Distances& record);
[[nodiscard]] std::string table_of(const record::List& record);
[[nodiscard]] std::string table_of(const record::MvnCdf& record);
[[nodiscard]] std::string table_of(const record::Pa& record);
[[nodiscard]] std::string table_of(const record::Select& record);
[[nodiscard]] std::string table_of(const record::Shift& record);
[[nodiscard]] std::string table_of(const record::ShiftText& record);
[[nodiscard]] std::string table_of(const record::SweepReport& record);

// The assessment: the headline, a line for each result, bounds and estimates of the error, predictions under noise, chunks
// over time, and the reason for each dash. The column of models is left out where there is one model.
[[nodiscard]] std::string assess_text(const record::Assess& record);
// The part over time; empty without timelines.
[[nodiscard]] std::string timelines_text(const record::Assess& record);

// A name and its description in two columns; further lines of the description are indented.
[[nodiscard]] std::string beside(const std::string& name, const std::string& text);
// A member's name with its summary, needs, and parameters with ranges and defaults.
[[nodiscard]] std::string member_text(const record::ListedMember& member);

}  // namespace leeway::app
