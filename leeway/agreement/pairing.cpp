#include "leeway/agreement/pairing.h"

#include <fmt/format.h>

#include <optional>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/csv.h"

namespace leeway::agreement {
namespace {

std::optional<std::size_t> whole_number_below(std::string_view field, std::size_t limit) {
  const auto value = parse_number(field);
  if (!value || !(*value >= 0) || *value >= static_cast<double>(limit)) return std::nullopt;
  const auto index = static_cast<std::size_t>(*value);
  return static_cast<double>(index) == *value ? std::optional(index) : std::nullopt;
}

}  // namespace

// Each is defined in pairings/, in a file of its name.
Pairing given();
Pairing label();
Pairing label_resample();
Pairing nearest();
Pairing label_nearest();
Pairing cca();

std::span<const Pairing> pairings() {
  static const Pairing list[] = {given(), label(), label_resample(), nearest(), label_nearest(), cca()};
  return list;
}

const Pairing& pairing(std::string_view name) { return find_member(pairings(), "pairing", name); }

void write_pairs(const std::filesystem::path& path, std::span<const RowPair> pairs) {
  AtomicFile file(path);
  file.write(std::string_view("clean,shifted\n"));
  for (const RowPair& pair : pairs) file.write(fmt::format("{},{}\n", pair.clean, pair.shifted));
  file.commit();
}

std::vector<RowPair> read_pairs(const std::filesystem::path& path, std::size_t clean_rows,
                                std::size_t shifted_rows) {
  const std::string name = display_name(path);
  const CsvTable table = read_csv(path);
  if (table.header != std::vector<std::string>{"clean", "shifted"}) {
    std::string found;
    for (const auto& column : table.header) found += (found.empty() ? "" : ",") + printable(column);
    refuse(name, "the columns clean,shifted", found);
  }
  if (table.rows() == 0) refuse(name, "pairs of rows", "none");
  const std::size_t limits[] = {clean_rows, shifted_rows};
  std::vector<RowPair> pairs(table.rows());
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < table.rows(); ++i) {
      const std::string_view field = table.columns[c][i];
      const auto index = whole_number_below(field, limits[c]);
      if (!index)
        refuse(name, fmt::format("integers from 0 to {} in column {}", limits[c] - 1, table.header[c]),
               fmt::format("{} at row {}", in_quotes(field), i));
      (c == 0 ? pairs[i].clean : pairs[i].shifted) = *index;
    }
  return pairs;
}

}  // namespace leeway::agreement
