// Cuts a target into chunks of time.
//
//   SIZE    1d, 12h, 1w, 30min, 90s: spans, from midnight UTC where a day is a multiple of the span, weeks
//           from Monday; others from 1970-01-01T00:00Z. Numeric times are seconds since then. 1000: rows, by
//           time.
//
// Spans: a row's chunk is floor((t - origin) / span). Every span with rows is a chunk, however small; others
// are gaps. Rows: chunk j holds ranks j SIZE to (j + 1) SIZE - 1; a rest below half a chunk joins the
// previous chunk. Names: the start (2026-03-02 for whole days and date-only times, else 2026-03-02T12:00),
// with " (2)" if an earlier chunk of rows has the same; "1", "2", ... for row counts with numeric times;
// files: their names.
//
// Whole numbers from 1900 to 2100 in all rows are years in spans, 190001 to 210012 months. Rows of one time
// keep the order of the file where chunks are of rows: no other order says which were earlier. Within spans
// and files, a hash of logits, label, groups and, of pairs, the source's logits and label sorts them, so that
// their order changes no bit.
//
// Errors: OptionError: an invalid size. Error: spans with numbers outside the calendar (milliseconds), dates
// without dashes (20260301), or other numbers that are all below 1e8 (1973); more than `most_chunks`.
// Cost: n k to hash, a sort. Deterministic.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/io/outputs.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {

inline constexpr std::size_t most_chunks = 2000;

// One of the two.
struct ChunkSize {
  double seconds = 0;
  std::size_t rows = 0;
};
[[nodiscard]] ChunkSize parse_chunk_size(std::string_view text);

struct Chunk {
  std::string name;
  std::optional<double> start, end;  // a span's ends, or the first and the last row's time; none of files
  std::vector<std::size_t> rows;
};

enum class ChunkedBy { span, rows, files };

struct Chunks {
  std::vector<Chunk> list;  // in order of time, none without rows
  ChunkedBy by = ChunkedBy::files;
  bool calendar = false;  // start and end are seconds since 1970-01-01T00:00Z
  std::size_t gaps = 0;   // spans between the first and the last chunk that have no rows
};

// `source`: where row i is a pair of the target's; null otherwise. The target has times.
[[nodiscard]] Chunks cut_by_time(const Outputs& target, const Outputs* source, const ChunkSize& size);

[[nodiscard]] Chunks cut_by_files(const Outputs& target, const Outputs* source,
                                  const std::vector<tasks::AssessFile>& files);

}  // namespace leeway::assess
