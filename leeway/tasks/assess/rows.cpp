#include "leeway/tasks/assess/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "leeway/core/parallel.h"
#include "leeway/io/csv.h"

namespace leeway::assess {
namespace {

constexpr std::size_t block_rows = 8192, blocks_at_once = 32;  // about 20 MB of text in memory

void append_row(fmt::memory_buffer& text, const std::string& prefix, const TargetRows& rows, std::size_t i) {
  const auto out = std::back_inserter(text);
  const bool paired = !rows.clean_classes.empty();
  fmt::format_to(out, "{}{},", prefix, i);
  if (!rows.labels.empty() && rows.labels[i] != no_label) fmt::format_to(out, "{}", rows.labels[i]);
  if (paired)
    fmt::format_to(out, ",{},{},{},{},{},{}\n", rows.clean_classes[i], rows.shifted_classes[i],
                   rows.clean_confidences[i], rows.shifted_confidences[i], rows.agreements[i],
                   rows.clean_classes[i] != rows.shifted_classes[i] ? 1 : 0);
  else
    fmt::format_to(out, ",,{},,{},,\n", rows.shifted_classes[i], rows.shifted_confidences[i]);
}

}  // namespace

RowsFile::RowsFile(const std::filesystem::path& path) : file_(path) {
  file_.write(
      std::string_view("model,target,row,label,clean_pred,shifted_pred,clean_confidence,shifted_confidence,"
                       "agreement,flipped\n"));
}

void RowsFile::write(const TargetRows& rows) {
  const std::string prefix = csv_name(rows.model) + "," + csv_name(rows.target) + ",";
  const std::size_t n = rows.shifted_classes.size();
  for (std::size_t start = 0; start < n; start += block_rows * blocks_at_once) {
    const std::size_t blocks = std::min(blocks_at_once, (n - start + block_rows - 1) / block_rows);
    std::vector<fmt::memory_buffer> texts(blocks);
    parallel_for(blocks, [&](std::size_t b) {
      const std::size_t begin = start + b * block_rows;
      for (std::size_t i = begin; i < std::min(n, begin + block_rows); ++i)
        append_row(texts[b], prefix, rows, i);
    });
    for (const fmt::memory_buffer& text : texts) file_.write(std::string_view(text.data(), text.size()));
  }
}

void RowsFile::commit() { file_.commit(); }

}  // namespace leeway::assess
