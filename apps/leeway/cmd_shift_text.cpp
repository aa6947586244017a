// leeway shift text: a CSV file with one column of texts shifted.
#include <string>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/terminal.h"
#include "leeway/tasks/shift_text/shift_text.h"

namespace leeway::app {
namespace {

struct ShiftTextFlags {
  std::string name, data;
  tasks::ShiftTextOptions options;
};

int run_shift_text(Context& context, const ShiftTextFlags& flags) {
  if (flags.data.empty()) throw UsageError("--data is required: the CSV file");
  if (context.out.empty()) throw UsageError("--out is required: the CSV file to write");
  tasks::ShiftTextTask task{.shift = flags.name,
                            .data = flags.data,
                            .out = context.out,
                            .options = flags.options,
                            .seed = context.seed};
  task.was_read = [&context](const auto&... read) { context.add_input(read...); };
  tasks::ShiftText record;
  {  // the distance of texts of a million characters takes long
    const HardStop stop("shift text stopped; nothing was written");
    record = tasks::shift_text(task, context.progress());
  }
  return context.finish(std::move(record));
}

}  // namespace

void add_shift_text(const Command& room, Context& context) {
  const Command command = room.add("text", "Shift one column of texts of a CSV file");
  auto& flags = command.keep<ShiftTextFlags>();
  command.option("NAME", flags.name, "Shift (leeway list text-shifts)").required();
  command.option("--data", flags.data, "CSV with a header; the other columns are copied unchanged");
  add_option_flags(command, flags.options);
  command.reads({"--data"});
  context.add_common_flags(command, "CSV file to write", Written::file);
  command.footer(
      "leeway list text-shifts prints the names. Characters are Unicode code points; words are separated by "
      "whitespace. The same seed gives the same texts, and row i does not depend on the other rows. The "
      "edits of a smaller strength are the first edits, or a part of the edits, of a larger strength. "
      "docs/text-shifts.md shows how to compute a model's posterior agreement on the shifted texts.\n\n"
      "  leeway shift text typos --data reviews.csv --column text --strength 0.1 --out typos.csv --sheet\n"
      "  leeway shift text contradict --data reviews.csv --label sentiment --strength 3 --out against.csv");
  command.runs([&context, &flags] { return run_shift_text(context, flags); });
}

}  // namespace leeway::app
