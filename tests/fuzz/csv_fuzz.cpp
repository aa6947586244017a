#include "leeway/io/csv.h"
#include "leeway/io/outputs_csv.h"
#include "tests/fuzz/fuzz.h"

// The table must be rectangular, and come back the same when it is written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return leeway::fuzz::guarded([&] {
    const leeway::CsvTable table = leeway::parse_csv({reinterpret_cast<const char*>(data), size}, "file");
    for (const auto& column : table.columns)
      if (column.size() != table.rows()) std::abort();
    if (table.header.size() > 1) {
      std::string text;
      for (std::size_t j = 0; j < table.header.size(); ++j)
        text += (j > 0 ? "," : "") + leeway::csv_field(table.header[j]);
      for (std::size_t i = 0; i < table.rows(); ++i) {
        text += '\n';
        for (std::size_t j = 0; j < table.header.size(); ++j)
          text += (j > 0 ? "," : "") + leeway::csv_field(table.columns[j][i]);
      }
      text += '\n';
      const leeway::CsvTable back = leeway::parse_csv(text, "again");
      if (back.header != table.header || back.columns != table.columns) std::abort();
    }
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& [name, array] : leeway::outputs_from_csv(text, "file").arrays)
      leeway::fuzz::touch(array);
  });
}
