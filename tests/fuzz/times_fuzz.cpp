#include <cmath>
#include <string>
#include <vector>

#include "leeway/io/times.h"
#include "tests/fuzz/fuzz.h"

// Lines as the rows of a column: times are finite, in the calendar, and the second that their text names is read as itself.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    std::vector<std::string> rows(1);
    for (std::size_t i = 0; i < size; ++i)
      if (data[i] == '\n')
        rows.emplace_back();
      else
        rows.back() += static_cast<char>(data[i]);
    const leeway::Times times = leeway::times_of(rows, "file");
    if (times.values.size() != rows.size()) std::abort();
    for (const double value : times.values) {
      if (!std::isfinite(value)) std::abort();
      if (times.form == leeway::TimeForm::number) continue;
      if (!leeway::is_calendar_time(value)) std::abort();
      const auto again = leeway::parse_time(leeway::minute_text(value));
      if (!again || again->seconds != std::floor(value)) std::abort();
    }
  });
}
