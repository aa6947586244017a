// leeway shift: a shifted copy of a set of images.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/tables.h"
#include "leeway/core/family.h"
#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/record/reading.h"
#include "leeway/shift/corruption.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/shift.h"

namespace leeway::app {
namespace {

struct ShiftFlags {
  std::string name, data, sheet;
  record::OutputsReading rows;  // its index and split
  record::ShiftOptions options;
};

int run_shift(Context& context, const ShiftFlags& flags) {
  if (flags.name.empty()) throw UsageError("NAME is required (see leeway shift --help)");
  if (flags.data.empty()) throw UsageError("--data is required: the images");
  if (context.out.empty()) throw UsageError("--out is required: the .npz to write");
  const tasks::ShiftTask task{flags.name,   [&] { return open_images(context, flags.data, flags.rows); },
                              context.out,  flags.options,
                              context.seed, flags.sheet};
  for (const auto& [option, file] : tasks::files_of(task)) context.files.claim(option, file, Written::file);
  return context.show(tasks::shift_images(task, context.progress()), table_of);
}

std::string list_of_members() {
  std::string text = "NAME             what it does; strength (range, default)\n";
  for (const auto& member : shift::members()) {
    text += fmt::format("{:<16} {}\n", member.name, member.summary);
    for (const Parameter& one : member.parameters)
      text += fmt::format("{:<16}   {}: {} ({:g} to {:g}, default {:g})\n", "", one.name, one.meaning,
                          one.low, one.high, one.value);
  }
  text += "\nWith --severity, the common corruptions (Hendrycks and Dietterich, ICLR 2019):\n";
  for (const auto& member : shift::corruptions())
    text += fmt::format("{:<18} {}\n", member.name, member.summary);
  return text;
}

}  // namespace

void add_shift(const Command& root, Context& context) {
  const Command command = root.add("shift", "A shifted copy of a set of images");
  auto& flags = command.keep<ShiftFlags>();
  command.option("NAME", flags.name, "The shift, or several separated by commas; see the list below");
  command.option(
      "--data", flags.data,
      "Images: .npz or .safetensors with x (n,c,h,w) and y, IDX(.gz), fashion-mnist:train or :test");
  add_option_flags(command, [&](record::Fields& f) { row_fields(flags.rows, f); });
  add_option_flags(command, flags.options);
  context.add_common_flags(
      command, "The .npz to write: x, y, and for shifts that select rows `rows`, where each came from",
      Written::claimed);
  command
      .option("--sheet", flags.sheet,
              "A contact sheet to write (PNG): 30 of the images at random, before and after below each other")
      .writes(Written::claimed);
  command.footer([] {
    return list_of_members() +
           "\nShifts of pixels write float32 in [0,1], corruptions 8 bits; those that select rows keep the "
           "pixels as "
           "they are.\n"
           "The same seed gives the same images, and image i does not depend on the others. Several shifts "
           "or "
           "strengths make a file\n"
           "each, whose name says {shift}, {strength} or {severity}.\n\n"
           "  leeway shift gaussian-noise --data fashion-mnist:test --strength 0.3 --out noisy.npz\n"
           "  leeway shift gaussian-noise,gaussian-blur --data test.npz --strength 0.5:2:0.5 --out "
           "'{shift}-{strength}.npz'\n"
           "  leeway shift label-subset --data test.npz --classes 0,3,5 --out three.npz\n"
           "  leeway shift fog --severity 3 --data test.npz --out foggy.npz --sheet foggy.png";
  });
  add_shift_corrupt(command, context);
  for (const auto& [name, new_name] : {std::pair("conds", "conds draw"),
                                       {"describe", "conds describe"},
                                       {"render", "data render"},
                                       {"load", "data load"}})
    command.moved(name, new_name);
  add_shift_text(command, context);
  command.runs([&context, &flags] { return run_shift(context, flags); });
}

}  // namespace leeway::app
