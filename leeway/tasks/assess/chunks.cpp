#include "leeway/tasks/assess/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/parallel.h"
#include "leeway/core/rows.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/assess/detail/predictions.h"

namespace leeway::assess {
namespace {

constexpr double day = 86400, week = 7 * day, first_monday = 4 * day;  // 1970-01-05
constexpr double least_seconds = 1e8;  // in 1973; smaller numbers count something else, such as Julian days
constexpr std::size_t rows_at_once = 4096;

std::uint64_t mixed(std::uint64_t state, std::uint64_t value) {
  return mixed_bits(state + value + 0x9e3779b97f4a7c15u);
}

void mix_row(std::uint64_t& hash, const Outputs& set, const Rows& logits, std::size_t row) {
  for (std::size_t j = 0; j < set.k(); ++j)
    hash = mixed(hash, std::bit_cast<std::uint64_t>(logits.at(row, j)));
  if (set.labels) hash = mixed(hash, static_cast<std::uint64_t>((*set.labels)[row]));
  for (const GroupColumn& group : set.groups)
    hash = mixed(hash, static_cast<std::uint64_t>(group.codes[row]));
}

std::vector<std::uint64_t> hashes_of(const Outputs& target, const Outputs* source) {
  std::vector<std::uint64_t> hashes(target.n(), 0);
  const Rows logits(target.logits), before(source == nullptr ? target.logits : source->logits);
  parallel_for((target.n() + rows_at_once - 1) / rows_at_once, [&](std::size_t block) {
    for (std::size_t i = block * rows_at_once; i < std::min(target.n(), (block + 1) * rows_at_once); ++i) {
      mix_row(hashes[i], target, logits, i);
      if (source != nullptr) mix_row(hashes[i], *source, before, i);
    }
  });
  return hashes;
}

// Like 20260301: a date that lost its dashes.
bool is_bare_date(double value) {
  if (value != std::floor(value) || value < 19000101 || value > 20991231) return false;
  const auto digits = static_cast<int>(value);
  return parse_time(fmt::format("{:04}-{:02}-{:02}", digits / 10000, digits / 100 % 100, digits % 100))
      .has_value();
}

// Numbers as seconds since 1970: years (2026) and months (202603) become their first days.
std::vector<double> calendar_times(const Outputs& target) {
  const std::vector<double>& values = target.times->values;
  for (const double months : {1., 100.}) {
    std::vector<double> starts;
    for (const double value : values) {
      const double year = std::floor(value / months), month = months == 1 ? 1 : value - months * year;
      if (value != std::floor(value) || year < 1900 || year > 2100) break;
      const auto start = parse_time(fmt::format("{:04.0f}-{:02.0f}-01", year, month));
      if (!start) break;
      starts.push_back(start->seconds);
    }
    if (starts.size() == values.size()) return starts;
  }
  const auto refuse_row = [&](std::string_view expected, std::size_t row, std::string_view hint) {
    refuse(target.path, expected, fmt::format("{} at row {}{}", values[row], row, hint));
  };
  for (std::size_t row = 0; row < values.size(); ++row)
    if (!is_calendar_time(values[row]))
      refuse_row("times in seconds since 1970, because --chunk is a span of time", row,
                 values[row] > 1e11 && values[row] < 1e19 ? " (milliseconds or finer?)" : "");
  if (std::ranges::all_of(values, is_bare_date))
    refuse_row("dates with dashes (2026-03-01) or seconds since 1970", 0, ", a date without dashes");
  if (std::ranges::all_of(values, [](double value) { return std::abs(value) < least_seconds; }))
    refuse_row(
        "dates (2026-03-01), years (2026), months (202603) or seconds since 1970, because --chunk is a span "
        "of time",
        0, " (as seconds, no row is later than 1973); a number of rows (--chunk 1000) allows any numbers");
  return values;
}

Chunks cut_spans(const std::vector<double>& times, const std::string& path,
                 const std::vector<std::size_t>& order, double span) {
  const double origin = std::fmod(span, week) == 0 ? first_monday : 0;
  const bool whole_days = std::fmod(span, day) == 0;
  Chunks chunks{{}, ChunkedBy::span, true, 0};
  double last = 0;
  for (const std::size_t row : order) {
    const double place = std::floor((times[row] - origin) / span);
    if (chunks.list.empty() || place != last) {
      if (chunks.list.size() == most_chunks)
        refuse(path, fmt::format("at most {} chunks", most_chunks), "more (use a longer --chunk)");
      if (!chunks.list.empty()) chunks.gaps += static_cast<std::size_t>(std::min(1e15, place - last - 1));
      const double start = origin + place * span;
      chunks.list.push_back({whole_days ? day_text(start) : minute_text(start), start, start + span, {}});
      last = place;
    }
    chunks.list.back().rows.push_back(row);
  }
  return chunks;
}

Chunks cut_counts(const Outputs& target, const std::vector<std::size_t>& order, std::size_t size) {
  const bool calendar = target.times->form != TimeForm::number;
  const bool dates = target.times->form == TimeForm::date;
  const std::size_t n = order.size(), rest = n % size;
  const std::size_t count = std::max<std::size_t>(1, n / size + (2 * rest >= size ? 1 : 0));
  if (count > most_chunks)
    refuse(target.path, fmt::format("at most {} chunks", most_chunks),
           fmt::format("{} (use --chunk {})", count, (n + most_chunks - 1) / most_chunks));
  Chunks chunks{{}, ChunkedBy::rows, calendar, 0};
  std::map<std::string, std::size_t> named;
  for (std::size_t j = 0; j < count; ++j) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(j * size),
               end = j + 1 == count ? order.end() : begin + static_cast<std::ptrdiff_t>(size);
    const double start = target.times->values[*begin], last = target.times->values[*(end - 1)];
    std::string name = !calendar ? std::to_string(j + 1) : dates ? day_text(start) : minute_text(start);
    if (const std::size_t before = named[name]++; before > 0) name += fmt::format(" ({})", before + 1);
    chunks.list.push_back({std::move(name), start, last, {begin, end}});
  }
  return chunks;
}

}  // namespace

ChunkSize parse_chunk_size(std::string_view text) {
  const auto wrong = [&] {
    return OptionError(fmt::format(
        "--chunk: expected a span of time (1d, 12h, 1w, 30min, 90s) or a number of rows (1000), found {}{}",
        in_quotes(text), text.ends_with('m') ? " (write min for minutes)" : ""));
  };
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = whole_number(text.substr(0, digits));
  if (!number || *number == 0) throw wrong();
  const std::string_view unit = text.substr(digits);
  if (unit.empty()) return {0, *number};
  for (const auto& [word, seconds] :
       {std::pair<std::string_view, double>{"s", 1}, {"min", 60}, {"h", 3600}, {"d", day}, {"w", week}})
    if (unit == word && static_cast<double>(*number) * seconds < 1e11)
      return {static_cast<double>(*number) * seconds, 0};
  throw wrong();
}

Chunks cut_by_time(const Outputs& target, const Outputs* source, const ChunkSize& size) {
  const std::vector<double>& times = target.times->values;
  // Spans leave equal times together; a hash makes their order that of no file.
  const std::vector<std::uint64_t> hashes =
      size.rows > 0 ? std::vector<std::uint64_t>(target.n(), 0) : hashes_of(target, source);
  std::vector<std::size_t> order = all_rows(target.n());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return std::tie(times[a], hashes[a], a) < std::tie(times[b], hashes[b], b);
  });
  if (size.rows > 0) return cut_counts(target, order, size.rows);
  return cut_spans(target.times->form == TimeForm::number ? calendar_times(target) : times, target.path,
                   order, size.seconds);
}

Chunks cut_by_files(const Outputs& target, const Outputs* source,
                    const std::vector<tasks::AssessFile>& files) {
  if (files.size() > most_chunks)
    refuse(target.path, fmt::format("at most {} files, one per chunk", most_chunks), files.size());
  const std::vector<std::uint64_t> hashes = hashes_of(target, source);
  Chunks chunks;
  std::size_t begin = 0;
  for (const tasks::AssessFile& file : files) {
    Chunk& chunk = chunks.list.emplace_back(Chunk{file.name, {}, {}, std::vector<std::size_t>(file.rows)});
    std::iota(chunk.rows.begin(), chunk.rows.end(), begin);
    std::ranges::sort(chunk.rows, [&](std::size_t a, std::size_t b) {
      return std::tie(hashes[a], a) < std::tie(hashes[b], b);
    });
    begin += file.rows;
  }
  return chunks;
}

}  // namespace leeway::assess
