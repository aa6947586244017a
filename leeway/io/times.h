// Times of the rows of a set: a column of a table, or an array.
//
// Text is ISO 8601 (as RFC 3339, pandas and NumPy write it), one form in all rows:
//   dates        2026-03-01
//   date-times   2026-03-01T14:05, 2026-03-01 14:05:09.250                 (taken as UTC)
//   with a zone  2026-03-01T14:05:09Z, ...+02:00, +0200, +02               (converted to UTC)
// Years 0001 to 9999, hours 00 to 23. Digits beyond float64 are rounded (2e-7 s in 2026). A leap second,
// 23:59:60 UTC, maps into the last second of its day. Not supported: week and ordinal dates, dates without
// dashes, 24:00, two-digit years. Numbers are kept: seconds since 1970-01-01T00:00Z for calendar use, else in
// the caller's unit.
//
// Errors (Error: row and value): empty, NaN, infinite, an impossible day or hour, a form that differs from
// the first row's. Cost: one pass.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/array.h"

namespace leeway {

enum class TimeForm { number, date, local, zoned };

// Numbers further from 0 are refused, so that differences of times are finite.
inline constexpr double largest_time = 1e300;

struct Times {
  std::vector<double> values;  // (n) seconds since 1970-01-01T00:00Z, or the numbers
  TimeForm form = TimeForm::number;
};

// Seconds and form of one text; nothing where it is none of the forms above.
struct ParsedTime {
  double seconds = 0;
  TimeForm form = TimeForm::date;
};
[[nodiscard]] std::optional<ParsedTime> parse_time(std::string_view text);

// `name` opens messages: "prod.csv: column 'time'".
[[nodiscard]] Times times_of(std::span<const std::string> texts, std::string_view name);
// Of an array (n) or (n,1) of text or numbers.
[[nodiscard]] Times times_of(const Array& array, std::string_view name);

// Whether a calendar with years 1 to 9999 has the time.
[[nodiscard]] bool is_calendar_time(double seconds);
// "2026-03-01"; "2026-03-01T14:05"; or to the second. Fractions are truncated. Requires is_calendar_time.
[[nodiscard]] std::string day_text(double seconds);
[[nodiscard]] std::string minute_text(double seconds);

}  // namespace leeway
