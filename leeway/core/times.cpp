#include "leeway/core/times.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "leeway/core/csv.h"
#include "leeway/core/message.h"

namespace leeway {
namespace {

constexpr double day = 86400, first_second = -62135596800, end_of_calendar = 253402300800;  // years 1 to 9999

// Takes a text apart from its front.
class TimesReading {
 public:
  explicit TimesReading(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // Exactly `digits` of them.
  std::optional<int> number(std::size_t digits) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return std::nullopt;
      value = 10 * value + (rest_[i] - '0');
    }
    rest_.remove_prefix(digits);
    return value;
  }
  // One digit or more behind a mark.
  std::optional<double> fraction() {
    double value = 0, unit = 1;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
      unit /= 10, value += unit * (rest_[digits] - '0');
    rest_.remove_prefix(digits);
    return digits > 0 ? std::optional(value) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

std::optional<double> date_of(TimesReading& text) {
  const auto year = text.number(4);
  if (!year || !text.take('-')) return std::nullopt;
  const auto month = text.number(2);
  if (!month || !text.take('-')) return std::nullopt;
  const auto day_of_month = text.number(2);
  if (!day_of_month || *year == 0) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day_of_month))};
  if (!date.ok()) return std::nullopt;
  return day * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

struct Clock {
  double seconds = 0;   // of the day, whole
  double fraction = 0;  // of the next one
  bool leap = false;    // its second is 60
};

std::optional<Clock> clock_of(TimesReading& text) {
  const auto hour = text.number(2);
  if (!hour || *hour > 23 || !text.take(':')) return std::nullopt;
  const auto minute = text.number(2);
  if (!minute || *minute > 59) return std::nullopt;
  Clock clock{3600. * *hour + 60. * *minute};
  if (!text.take(':')) return clock;
  const auto second = text.number(2);
  if (!second || *second > 60) return std::nullopt;
  clock.leap = *second == 60;
  clock.seconds += clock.leap ? 59 : *second;
  if (text.take('.') || text.take(',')) {
    const auto fraction = text.fraction();
    if (!fraction) return std::nullopt;
    clock.fraction = *fraction;
  }
  return clock;
}

// Seconds that the zone is ahead of UTC; nothing where it is none.
std::optional<double> zone_of(TimesReading& text) {
  if (text.take('Z') || text.take('z')) return 0;
  const bool ahead = text.take('+');
  if (!ahead && !text.take('-')) return std::nullopt;
  const auto hours = text.number(2);
  if (!hours || *hours > 23) return std::nullopt;
  int minutes = 0;
  if (!text.done()) {
    text.take(':');
    const auto read = text.number(2);
    if (!read || *read > 59) return std::nullopt;
    minutes = *read;
  }
  return (ahead ? 1 : -1) * (3600. * *hours + 60. * minutes);
}

std::string_view words_of(TimeForm form) {
  constexpr std::string_view words[] = {"numbers", "dates", "date-times without a zone",
                                        "date-times with a zone"};
  return words[static_cast<std::size_t>(form)];
}

constexpr std::string_view forms =
    "dates or date-times (2026-03-01, 2026-03-01T14:05, 2026-03-01T14:05:09Z) or numbers";

[[noreturn]] void refuse_row(std::string_view name, std::string_view expected, std::string_view value,
                             std::size_t row) {
  refuse(name, expected, fmt::format("{} at row {}", value.empty() ? "nothing" : in_quotes(value), row));
}

}  // namespace

std::optional<ParsedTime> parse_time(std::string_view field) {
  TimesReading text(trimmed(field));
  const auto date = date_of(text);
  if (!date) return std::nullopt;
  ParsedTime parsed{*date, TimeForm::date};
  if (text.done()) return parsed;
  if (!text.take('T') && !text.take('t') && !text.take(' ')) return std::nullopt;
  const auto clock = clock_of(text);
  if (!clock) return std::nullopt;
  parsed.seconds += clock->seconds, parsed.form = TimeForm::local;
  if (!text.done()) {
    const auto zone = zone_of(text);
    if (!zone || !text.done()) return std::nullopt;
    parsed.seconds -= *zone, parsed.form = TimeForm::zoned;
  }
  const double within_day = parsed.seconds - day * std::floor(parsed.seconds / day);
  if (clock->leap && within_day != day - 1) return std::nullopt;
  // .999... is rounded down where it would be the next second.
  parsed.seconds =
      std::min(parsed.seconds + clock->fraction, std::nextafter(parsed.seconds + 1, first_second));
  return is_calendar_time(parsed.seconds) ? std::optional(parsed) : std::nullopt;
}

Times times_of(std::span<const std::string> texts, std::string_view name) {
  Times times;
  times.values.reserve(texts.size());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::string_view text = trimmed(texts[row]);
    const auto number = parse_number(text);
    const auto parsed = number ? std::optional(ParsedTime{*number, TimeForm::number}) : parse_time(text);
    if (!parsed || !std::isfinite(parsed->seconds)) refuse_row(name, forms, text, row);
    if (row == 0) times.form = parsed->form;
    if (parsed->form != times.form)
      refuse_row(name, fmt::format("{}, as at row 0", words_of(times.form)), text, row);
    times.values.push_back(parsed->seconds);
  }
  return times;
}

Times times_of(const Array& array, std::string_view name) {
  const bool vector = array.shape.size() == 1 || (array.shape.size() == 2 && array.shape[1] == 1);
  if (!vector) refuse(name, "shape (n), one time per sample", "shape " + array.shape_text());
  if (array.type == ElementType::text) return times_of(*array.texts, name);
  if (array.type == ElementType::boolean) refuse(name, forms, name_of(array.type));
  Times times{to_f64(array, name), TimeForm::number};
  for (std::size_t row = 0; row < times.values.size(); ++row)
    if (!std::isfinite(times.values[row]))
      refuse(name, "finite times", fmt::format("{} at row {}", times.values[row], row));
  return times;
}

bool is_calendar_time(double seconds) { return seconds >= first_second && seconds < end_of_calendar; }

std::string day_text(double seconds) {
  const auto days = static_cast<int>(std::floor(seconds / day));
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()));
}

std::string minute_text(double seconds) {
  const auto of_day = static_cast<int>(std::floor(seconds - day * std::floor(seconds / day)));
  const std::string text = day_text(seconds) + fmt::format("T{:02}:{:02}", of_day / 3600, of_day / 60 % 60);
  return of_day % 60 == 0 ? text : text + fmt::format(":{:02}", of_day % 60);
}

}  // namespace leeway
