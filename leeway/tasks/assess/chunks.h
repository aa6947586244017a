// A target cut into chunks of time.
//
//   SIZE    1d, 12h, 1w, 30min, 90s: spans of time, from midnight UTC where a day is a multiple of the span, weeks from
//           Monday; other spans count from 1970-01-01T00:00Z. Times that are numbers count as seconds since then.
//           1000: so many rows, in order of time.
//
// Spans: the chunk of a row is floor((t - origin) / span). Spans without rows are no chunks and stay gaps; every span
// that has rows is a chunk, the partial ones at either end too, however few rows: their intervals and bands say how
// little they tell. Rows: chunk j holds the rows of ranks j SIZE to (j + 1) SIZE - 1; of the rest, less than half a
// chunk joins the one before it, and more is a chunk of its own. A single chunk takes all.
// Names: the start (2026-03-02 of whole days and where times are dates, else 2026-03-02T12:00), with " (2)" where an
// earlier chunk of rows starts at that time too; "1", "2", ... where times are numbers that rows are counted by; for
// files those of the files.
//
// Rows of one chunk stand by time, rows of one time by a hash of what they hold: logits, label, groups and, of pairs,
// the source's logits and label. So nothing depends on the order of a file's rows, ties that a chunk's end cuts through
// included, and among ties no row is nearer to an end for what it holds.
//
// Errors: OptionError of a text that is no size. Error: numbers that no calendar has (milliseconds, say) or that are
// dates without dashes (20260301) where spans are cut; more than `most_chunks`. Cost: n k to hash, a sort. Deterministic.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/outputs.h"
#include "leeway/tasks/assess/inputs.h"

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
