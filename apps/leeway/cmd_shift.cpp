// leeway shift: a shifted copy of a set of images.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>

#include "apps/leeway/command.h"
#include "apps/leeway/option_flags.h"
#include "leeway/core/family.h"
#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/shift/shift.h"
#include "leeway/tasks/shift.h"

namespace leeway::app {
namespace {

struct ShiftFlags {
  std::string name, data;
  record::ShiftOptions options;
};

void check_member(const ShiftFlags& flags) {
  for (const auto& member : shift::members()) {
    if (member.name != flags.name) continue;
    if (!member.selects_rows && !flags.options.classes.empty())
      throw UsageError(fmt::format("--classes: {} does not look at classes", member.name));
    if (member.needs_classes && flags.options.classes.empty())
      throw UsageError(fmt::format("--classes is required: the classes that {} keeps", member.name));
    const Parameter legal = member.strength();
    const double strength = flags.options.strength.value_or(legal.value);
    if (strength >= legal.low && strength <= legal.high) return;
    throw UsageError(member.parameters.empty() ? fmt::format("--strength: {} has none", member.name)
                                               : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                             legal.low, legal.high, member.name, strength));
  }
  throw UsageError(
      fmt::format("NAME: expected one of {}, found {}", names_of(shift::members()), in_quotes(flags.name)));
}

std::string text_of(const record::Shift& record) {
  const record::ShiftedSet& set = record.results.front();
  std::string text = fmt::format("{}, seed {}: {} of {} images, shape {}\n", set.shift, record.envelope.seed,
                                 set.n, set.n_source, fmt::join(set.shape, " x "));
  if (set.strength) text += fmt::format("strength {} ({})\n", *set.strength, set.strength_means);
  if (set.mean_change) text += fmt::format("mean change of a pixel {:.4f}\n", *set.mean_change);
  if (set.rows_of_class.empty()) return text;
  text += fmt::format("{:>8} {:>10} {:>10}\n", "class", "rows kept", "of");
  for (const record::RowsOfClass& rows : set.rows_of_class)
    text += fmt::format("{:>8} {:>10} {:>10}\n", rows.label, rows.n, rows.n_source);
  return text;
}

int run_shift(Context& context, const ShiftFlags& flags) {
  if (flags.name.empty()) throw UsageError("NAME is required (see leeway shift --help)");
  if (flags.data.empty()) throw UsageError("--data is required: the images");
  check_member(flags);
  if (context.out.empty()) throw UsageError("--out is required: the .npz to write");
  const auto open = [&] {
    Images images = read_images(flags.data);
    context.add_input(flags.data, images.pixels.shape);
    return images;
  };
  const record::Shift result =
      tasks::shift_images({flags.name, open, context.out, flags.options, context.seed}, context.progress());
  context.print(context.complete(result), text_of(result));
  return exit_ok;
}

std::string list_of_members() {
  std::string text = "NAME             what it does; strength (range, default)\n";
  for (const auto& member : shift::members()) {
    text += fmt::format("{:<16} {}\n", member.name, member.summary);
    for (const Parameter& one : member.parameters)
      text += fmt::format("{:<16}   {}: {} ({:g} to {:g}, default {:g})\n", "", one.name, one.meaning,
                          one.low, one.high, one.value);
  }
  return text;
}

// Whatever follows the name of a command that has moved, the new name is all there is to say.
void refer_to_new_names(CLI::App& shift) {
  for (const auto& [old_name, new_name] : {std::pair("conds", "conds draw"),
                                           {"describe", "conds describe"},
                                           {"render", "data render"},
                                           {"load", "data load"}}) {
    CLI::App* moved = shift.add_subcommand(old_name)->group("")->prefix_command();
    moved->set_help_flag();
    moved->callback([old_name = old_name, new_name = new_name] {
      throw UsageError(fmt::format("shift {}: expected leeway {}, its name now", old_name, new_name));
    });
  }
}

}  // namespace

void add_shift(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("shift", "A shifted copy of a set of images");
  auto flags = std::make_shared<ShiftFlags>();
  command->add_option("NAME", flags->name, "The shift; see the list below");
  command->add_option(
      "--data", flags->data,
      "Images: .npz or .safetensors with x (n,c,h,w) and y, IDX(.gz), fashion-mnist:train or :test");
  add_option_flags(*command, [&](record::Fields& f) { fields(flags->options, f); });
  context.add_common_flags(
      *command, "The .npz to write: x, y, and for shifts that select rows `rows`, where each came from",
      Written::file);
  command->footer([] {
    return list_of_members() +
           "\nShifts of pixels write float32 in [0,1]; those that select rows keep the pixels as they are. "
           "The same seed\n"
           "gives the same images, and image i does not depend on the others.\n\n"
           "  leeway shift gaussian-noise --data fashion-mnist:test --strength 0.3 --out noisy.npz\n"
           "  leeway shift label-subset --data test.npz --classes 0,3,5 --out three.npz";
  });
  refer_to_new_names(*command);
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_shift(context, *flags); }; });
}

}  // namespace leeway::app
