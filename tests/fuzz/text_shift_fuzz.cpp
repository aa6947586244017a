#include "leeway/io/csv.h"
#include "leeway/shift/text_table.h"
#include "tests/fuzz/fuzz.h"

using namespace leeway;

// Any table of texts under any shift: other columns come back unchanged, texts are UTF-8, and edits are as many as asked.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::guarded([&] {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const CsvTable table = parse_csv(text, "file");
    const auto members = shift::text_shifts();
    const shift::TextShift& member = members[size % members.size()];
    shift::TextOptions options;
    options.strength = member.needs.edits ? 2 : .5;
    options.placing = size % 3 == 0 ? shift::Placing::insert : shift::Placing::replace;
    shift::TextColumns columns;
    columns.text = table.header.front();
    columns.label = table.header.back();
    std::string out;
    const shift::TableChange change = shift::shift_table(
        text, "file", member, options, columns, 3, [&](std::string_view piece) { out += piece; }, nullptr);
    const CsvTable back = parse_csv(out, "again");
    if (change.n != table.rows() || back.rows() != table.rows() || back.header != table.header) std::abort();
    for (std::size_t j = 1; j < table.columns.size(); ++j)
      if (back.columns[j] != table.columns[j]) std::abort();
    if (member.name == "levenshtein" && change.distance > 4 * change.n) std::abort();
    for (const shift::ChangedText& one : change.sample) {
      const shift::TextPair pair = shift::excerpts(one.before, one.after, 40);
      static_cast<void>(shift::marked(pair.before, pair.after));
    }
  });
}
