#include "leeway/io/times.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/io/csv.h"

namespace leeway {
namespace {

constexpr double day = 86400, first_second = -62135596800, end_of_calendar = 253402300800;  // years 1 to 9999

// The numbers at the zeros of `pattern`, such as "0000-00-00"; the pattern is taken from the front of `text`.
std::optional<std::array<int, 3>> take(std::string_view& text, std::string_view pattern) {
  if (text.size() < pattern.size()) return std::nullopt;
  std::array<int, 3> numbers{};
  auto* number = numbers.begin();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '0' ? !is_digit(text[i]) : text[i] != pattern[i]) return std::nullopt;
    if (pattern[i] == '0')
      *number = 10 * *number + (text[i] - '0');
    else
      ++number;
  }
  text.remove_prefix(pattern.size());
  return numbers;
}

// One of `characters`, or nothing, from the front of `text`.
bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == characters.npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<double> date_of(std::string_view& text) {
  const auto numbers = take(text, "0000-00-00");
  if (!numbers || numbers->front() == 0) return std::nullopt;
  const auto [year, month, day_of_month] = *numbers;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day_of_month))};
  if (!date.ok()) return std::nullopt;
  return day * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

struct Clock {
  double seconds = 0;   // of the day, whole
  double fraction = 0;  // of the next one
  bool leap = false;    // its second is 60
};

std::optional<Clock> clock_of(std::string_view& text) {
  const bool whole = text.size() > 5 && text[5] == ':';
  const auto numbers = take(text, whole ? "00:00:00" : "00:00");
  if (!numbers) return std::nullopt;
  const auto [hour, minute, second] = *numbers;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  Clock clock{3600. * hour + 60. * minute + std::min(second, 59), 0, second == 60};
  if (!whole || !take_one_of(text, ".,")) return clock;
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  for (double unit = .1; !text.empty() && is_digit(text.front()); unit /= 10, text.remove_prefix(1))
    clock.fraction += unit * (text.front() - '0');
  return clock;
}

// Seconds that a zone is ahead of UTC; nothing if the text is not a zone.
std::optional<double> zone_of(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  std::string digits(text.substr(1));
  if (digits.size() == 5 && digits[2] == ':') digits.erase(2, 1);
  if (digits.size() == 2) digits += "00";
  std::string_view rest = digits;
  const auto number = take(rest, "0000");
  if ((text[0] != '+' && text[0] != '-') || !number || !rest.empty()) return std::nullopt;
  const int hours = number->front() / 100, minutes = number->front() % 100;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (text[0] == '+' ? 1 : -1) * (3600. * hours + 60. * minutes);
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
  std::string_view text = trimmed(field);
  const auto date = date_of(text);
  if (!date) return std::nullopt;
  ParsedTime parsed{*date, TimeForm::date};
  if (text.empty()) return parsed;
  const auto clock = take_one_of(text, "Tt ") ? clock_of(text) : std::nullopt;
  if (!clock) return std::nullopt;
  parsed.seconds += clock->seconds, parsed.form = TimeForm::local;
  if (!text.empty()) {
    const auto zone = zone_of(text);
    if (!zone) return std::nullopt;
    parsed.seconds -= *zone, parsed.form = TimeForm::zoned;
  }
  const double within_day = parsed.seconds - day * std::floor(parsed.seconds / day);
  if (clock->leap && within_day != day - 1) return std::nullopt;
  // .999... is rounded down where it would be the next second.
  parsed.seconds =
      std::min(parsed.seconds + clock->fraction, std::nextafter(parsed.seconds + 1, first_second));
  return is_calendar_time(parsed.seconds) ? std::optional(parsed) : std::nullopt;
}

static bool is_finite_time(double time) { return std::abs(time) <= largest_time; }

Times times_of(std::span<const std::string> texts, std::string_view name) {
  Times times;
  times.values.reserve(texts.size());
  for (std::size_t row = 0; row < texts.size(); ++row) {
    const std::string_view text = trimmed(texts[row]);
    const auto number = parse_number(text);
    const auto parsed = number ? std::optional(ParsedTime{*number, TimeForm::number}) : parse_time(text);
    if (!parsed || !is_finite_time(parsed->seconds)) refuse_row(name, forms, text, row);
    if (row == 0) times.form = parsed->form;
    if (parsed->form != times.form)
      refuse_row(name, fmt::format("{}, as at row 0", words_of(times.form)), text, row);
    times.values.push_back(parsed->seconds);
  }
  return times;
}

Times times_of(const Array& array, std::string_view name) {
  if (!array.is_vector()) refuse(name, "shape (n), one time per sample", "shape " + array.shape_text());
  if (array.type == ElementType::text) return times_of(*array.texts, name);
  if (array.type == ElementType::boolean) refuse(name, forms, name_of(array.type));
  Times times{to_f64(array, name), TimeForm::number};
  for (std::size_t row = 0; row < times.values.size(); ++row)
    if (!is_finite_time(times.values[row]))
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
