// leeway shift: a shifted copy of a set of images.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <map>
#include <utility>

#include "apps/leeway/command.h"
#include "leeway/core/family.h"
#include "leeway/core/images.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/shift/shift.h"

namespace leeway::app {
namespace {

struct ShiftFlags {
  std::string name, data;
  std::optional<double> strength;
  std::vector<std::int64_t> classes;
};

const shift::Member& chosen(const ShiftFlags& flags) {
  for (const auto& member : shift::members()) {
    if (member.name != flags.name) continue;
    if (!member.selects_rows && !flags.classes.empty())
      throw UsageError(fmt::format("--classes: {} does not look at classes", member.name));
    if (member.needs_classes && flags.classes.empty())
      throw UsageError(fmt::format("--classes is required: the classes that {} keeps", member.name));
    const double strength = flags.strength.value_or(member.default_strength);
    if (strength >= member.low && strength <= member.high) return member;
    throw UsageError(member.low == member.high ? fmt::format("--strength: {} has none", member.name)
                                               : fmt::format("--strength: expected {} to {} for {}, found {}",
                                                             member.low, member.high, member.name, strength));
  }
  throw UsageError(
      fmt::format("NAME: expected one of {}, found {}", names_of(shift::members()), in_quotes(flags.name)));
}

// Mean |x' - x| over all pixels.
double mean_change(const Images& before, const Images& after) {
  std::vector<float> was(before.pixels_per_image()), is(was.size());
  double sum = 0;
  for (std::size_t row = 0; row < before.n(); ++row) {
    before.copy_row(row, was);
    after.copy_row(row, is);
    for (std::size_t i = 0; i < was.size(); ++i) sum += std::abs(static_cast<double>(is[i]) - was[i]);
  }
  return sum / static_cast<double>(before.n() * was.size());
}

std::map<std::int64_t, std::size_t> count_classes(const std::vector<std::int64_t>& labels) {
  std::map<std::int64_t, std::size_t> counts;
  for (const auto label : labels) ++counts[label];
  return counts;
}

void write_shifted(const std::string& out, const shift::Member& member, const shift::Shifted& shifted) {
  if (!member.selects_rows) return write_images(out, shifted.images);
  const std::size_t n = shifted.images.n();
  write_npz(out, {{"x", shifted.images.pixels},
                  {"y", make_array(std::vector<std::size_t>{n}, *shifted.images.labels)},
                  {"rows", make_array(std::vector<std::size_t>{n},
                                      std::vector<std::int64_t>(shifted.rows.begin(), shifted.rows.end()))}});
}

Json describe(const ShiftFlags& flags, const shift::Member& member, const Images& images,
              const shift::Shifted& shifted) {
  Json result = {{"shift", member.name}};
  if (member.low < member.high) {
    result["strength"] = flags.strength.value_or(member.default_strength);
    result["strength_means"] = member.strength;
  }
  if (!flags.classes.empty()) result["classes"] = flags.classes;
  result["n"] = shifted.images.n();
  result["n_source"] = images.n();
  result["shape"] = shifted.images.pixels.shape;
  if (member.selects_rows) {
    const auto before = count_classes(*images.labels), after = count_classes(*shifted.images.labels);
    Json rows = Json::array();
    for (const auto& [label, count] : before)
      rows.push_back(
          {{"class", label}, {"n_source", count}, {"n", after.contains(label) ? after.at(label) : 0}});
    result["rows_of_class"] = std::move(rows);
  } else {
    result["mean_change"] = json_number(mean_change(images, shifted.images));
  }
  return result;
}

std::string table(const Json& result, std::uint64_t seed) {
  std::string text =
      fmt::format("{}, seed {}: {} of {} images, shape {}\n", result["shift"].get<std::string>(), seed,
                  result["n"].get<std::size_t>(), result["n_source"].get<std::size_t>(),
                  fmt::join(result["shape"].get<std::vector<std::size_t>>(), " x "));
  if (result.contains("strength"))
    text += fmt::format("strength {} ({})\n", result["strength"].get<double>(),
                        result["strength_means"].get<std::string>());
  if (result.contains("mean_change"))
    text += fmt::format("mean change of a pixel {:.4f}\n", result["mean_change"].get<double>());
  if (!result.contains("rows_of_class")) return text;
  text += fmt::format("{:>8} {:>10} {:>10}\n", "class", "rows kept", "of");
  for (const auto& row : result["rows_of_class"])
    text += fmt::format("{:>8} {:>10} {:>10}\n", row["class"].get<std::int64_t>(),
                        row["n"].get<std::size_t>(), row["n_source"].get<std::size_t>());
  return text;
}

int run_shift(Context& context, const ShiftFlags& flags) {
  if (flags.name.empty()) throw UsageError("NAME is required (see leeway shift --help)");
  if (flags.data.empty()) throw UsageError("--data is required: the images");
  const shift::Member& member = chosen(flags);
  if (context.out.empty()) throw UsageError("--out is required: the .npz to write");
  context.start_clock();
  const Images images = read_images(flags.data);
  context.add_input(flags.data, images.pixels.shape);
  const shift::Options options{flags.strength.value_or(member.default_strength), context.seed, flags.classes};
  const shift::Shifted shifted = member.apply(images, options, context.progress());
  write_shifted(context.out, member, shifted);
  Json result = describe(flags, member, images, shifted);
  result["out"] = context.out;
  context.stop_clock();
  const std::string text = table(result, context.seed);
  context.print(context.record("leeway.shift/1", Json::array({std::move(result)})), text);
  return exit_ok;
}

std::string list_of_members() {
  std::string text = "NAME             what it does; strength (range, default)\n";
  for (const auto& member : shift::members()) {
    text += fmt::format("{:<16} {}\n", member.name, member.summary);
    if (member.low < member.high)
      text += fmt::format("{:<16}   strength: {} ({:g} to {:g}, default {:g})\n", "", member.strength,
                          member.low, member.high, member.default_strength);
  }
  return text;
}

// Whatever follows the name of a command that has moved, the new name is all there is to say.
void refer_to_new_names(CLI::App& shift) {
  for (const auto& [old_name, new_name] : {std::pair("conds", "conds draw"),
                                           {"describe", "conds describe"},
                                           {"render", "data render"},
                                           {"load", "data load"}})
    shift.add_subcommand(old_name)->group("")->prefix_command()->callback([old_name, new_name] {
      throw UsageError(fmt::format("shift {}: expected leeway {}, its name now", old_name, new_name));
    });
}

}  // namespace

void add_shift(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("shift", "A shifted copy of a set of images");
  auto flags = std::make_shared<ShiftFlags>();
  command->add_option("NAME", flags->name, "The shift; see the list below");
  command->add_option(
      "--data", flags->data,
      "Images: .npz or .safetensors with x (n,c,h,w) and y, IDX(.gz), fashion-mnist:train or :test");
  command->add_option("--strength", flags->strength, "How far; its meaning and default depend on the shift");
  command
      ->add_option(
          "--classes", flags->classes,
          "label-subset: the classes kept. imbalance: all classes, most frequent first (default: ascending)")
      ->delimiter(',');
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
