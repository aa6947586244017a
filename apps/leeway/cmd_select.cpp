// leeway select: which of several checkpoints agreement and accuracy choose.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/option_flags.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"
#include "leeway/core/text.h"
#include "leeway/tasks/select.h"

namespace leeway::app {
namespace {

struct SelectFlags {
  std::vector<std::string> clean, shifted, names;
  std::string labels;
  record::SelectOptions options;
};

std::string marks(std::size_t i, const record::Selected& selected) {
  const auto is = [i](const std::optional<record::Chosen>& chosen) { return chosen && chosen->index == i; };
  std::vector<std::string> chosen_by;
  if (is(selected.pa)) chosen_by.emplace_back("PA");
  if (is(selected.accuracy)) chosen_by.emplace_back("accuracy");
  if (is(selected.accuracy_shifted)) chosen_by.emplace_back("shifted accuracy");
  return chosen_by.empty() ? "" : fmt::format("<- {}", fmt::join(chosen_by, ", "));
}

std::string table(const record::Select& record) {
  TextTable table({left("checkpoint", 10), right("PA", 8), left("[95% interval]", 16), right("beta", 9),
                   right("accuracy", 8), right("shifted", 8), right("AFR(P)", 7), left("")});
  const auto share = [](const std::optional<agreement::Estimate>& estimate) {
    return estimate ? four(estimate->value) : "-";
  };
  for (std::size_t i = 0; i < record.results.size(); ++i) {
    const auto& [a, accuracy, accuracy_shifted] = record.results[i].measured;
    table.add(cut_at_front(shown(record.results[i].checkpoint), 36), four(a.pa), interval_text(a.pa_interval),
              beta_text(a.beta), share(accuracy), share(accuracy_shifted), four(a.afr_pred),
              marks(i, record.selected));
  }
  return table.text();
}

std::string select_text(const record::Select& record) {
  std::string doubts;
  for (const record::SelectCheckpoint& result : record.results)
    if (!result.doubt.empty()) doubts += result.doubt + "\n";
  const std::string difference = difference_words(record);
  return doubts + wrapped(record.envelope.headline) + "\n" + table(record) +
         (difference.empty() ? "" : "\n" + wrapped(difference));
}

void check_flags(const SelectFlags& flags) {
  if (flags.clean.size() != flags.shifted.size())
    throw UsageError(
        fmt::format("--clean and --shifted: expected one of each for a checkpoint, found {} and {}",
                    flags.clean.size(), flags.shifted.size()));
  if (flags.names.empty()) return;
  if (flags.names.size() != flags.clean.size())
    throw UsageError(fmt::format("--names: expected {}, one for a checkpoint, found {}", flags.clean.size(),
                                 flags.names.size()));
  if (std::set(flags.names.begin(), flags.names.end()).size() != flags.names.size())
    throw UsageError("--names: expected each name once");
}

tasks::SelectTask task_of(Context& context, const SelectFlags& flags) {
  tasks::SelectTask task{.checkpoints = {}, .options = flags.options, .seed = context.seed};
  const std::vector<std::string>& names = flags.names.empty() ? flags.clean : flags.names;
  for (std::size_t i = 0; i < names.size(); ++i)
    task.checkpoints.push_back({names[i], named_outputs(context, flags.clean[i], flags.options),
                                named_outputs(context, flags.shifted[i], flags.options)});
  if (flags.labels.empty()) return task;
  task.labels_name = flags.labels;
  task.labels = [&flags](std::size_t n, std::size_t k) { return read_labels(flags.labels, n, k); };
  return task;
}

int run_select(Context& context, const SelectFlags& flags) {
  check_flags(flags);
  const record::Select result = tasks::select(task_of(context, flags), context.progress());
  if (!flags.labels.empty()) context.add_input(flags.labels, {result.results.front().measured.agreement.n});
  const std::vector<std::string> unproved = tasks::unproved_maxima(result);
  for (const std::string& line : unproved) context.warn(line + ", hence exit code 5");
  return context.finish(result, select_text, unproved.empty() ? exit_ok : exit_incomplete);
}

}  // namespace

void add_select(const Command& root, Context& context) {
  const Command command = root.add("select", "Which checkpoint agreement chooses, beside accuracy's choice");
  auto& flags = command.keep<SelectFlags>();
  command.option("--clean", flags.clean, "Outputs of each checkpoint on the clean validation samples")
      .required();
  command.option("--shifted", flags.shifted, "Outputs of the same checkpoints on the same samples, shifted")
      .required();
  command.option("--labels", flags.labels, "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  command.option("--names", flags.names, "Names of the checkpoints (default: the files of --clean)");
  add_option_flags(command, flags.options);
  context.add_common_flags(command);
  command.footer(
      "Checkpoints are epochs of one training, or models, run on the same validation samples. Chosen is the "
      "highest value, the\n"
      "earliest of equal ones. Posterior agreement needs no labels. Its difference between the two choices "
      "is "
      "paired, sample by\n"
      "sample; that they were chosen among many is not in its interval.\n\n"
      "  leeway select --clean epoch1-clean.npz epoch2-clean.npz --shifted epoch1-noisy.npz "
      "epoch2-noisy.npz\n"
      "  leeway select --clean a.npy b.npy --shifted a-blur.npy b-blur.npy --labels y.npy --names small "
      "large");
  command.runs([&context, &flags] { return run_select(context, flags); });
}

}  // namespace leeway::app
