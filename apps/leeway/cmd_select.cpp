// leeway select: which of several checkpoints agreement and accuracy choose.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/options.h"
#include "leeway/agreement/selection.h"
#include "leeway/assess/record.h"
#include "leeway/core/columns.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"
#include "leeway/tasks/paired_rows.h"

namespace leeway::app {
namespace {

using agreement::Checkpoint;
using agreement::Estimate;
using agreement::Selection;

struct SelectFlags {
  std::vector<std::string> clean, shifted, names;
  std::string labels;
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
};

using Labels = std::optional<std::vector<std::int64_t>>;

// One validation pair for all checkpoints: their labels are those given, or the first that a file holds.
class Pairs {
 public:
  Pairs(Context& context, const SelectFlags& flags) : context_(context), flags_(flags) {}

  struct Pair {
    Outputs clean, shifted;
  };
  // Notes both files as inputs.
  [[nodiscard]] Pair open(std::size_t i) {
    Pair pair = read(i);
    expect_like_first(pair.clean);
    expect_like_first(pair.shifted);
    require_same_scores(columns_of(pair.clean), columns_of(pair.shifted));
    for (const Outputs* outputs : {&pair.clean, &pair.shifted}) {
      context_.add_input(outputs->path, outputs->logits.shape);
      for (const auto& warning : outputs->warnings) context_.warn(warning);
    }
    return pair;
  }
  [[nodiscard]] Pair read(std::size_t i) const {
    const OutputsOptions reading{flags_.binary, false, flags_.as};
    return {read_outputs(flags_.clean[i], reading), read_outputs(flags_.shifted[i], reading)};
  }

  // Looks for labels in every file, so that they serve also the checkpoints before.
  void find_labels() {
    if (!flags_.labels.empty()) {
      const Pair first = read(0);
      labels_ = read_labels(flags_.labels, first.clean.n(), first.clean.k());
      labels_from_ = flags_.labels;
      return;
    }
    for (std::size_t i = 0; i < flags_.clean.size() && !labels_; ++i) {
      Pair pair = read(i);
      for (Outputs* outputs : {&pair.clean, &pair.shifted})
        if (!labels_ && outputs->labels) {
          labels_ = std::move(outputs->labels);
          labels_from_ = outputs->path;
        }
    }
  }
  [[nodiscard]] std::span<const std::int64_t> labels() const {
    return labels_ ? std::span<const std::int64_t>(*labels_) : std::span<const std::int64_t>();
  }
  [[nodiscard]] std::span<const std::int64_t> labels_for(const Pair& pair) const {
    for (const Outputs* outputs : {&pair.clean, &pair.shifted})
      if (labels_ && outputs->labels && *outputs->labels != *labels_)
        context_.warn(
            fmt::format("leeway: {}: its labels differ from those used: are its rows in the order of {}?",
                        outputs->path, labels_from_));
    return labels();
  }

 private:
  void expect_like_first(const Outputs& outputs) {
    if (n_ == 0) n_ = outputs.n(), k_ = outputs.k(), first_ = display_name(outputs.path);
    if (class_names_.empty() && !outputs.class_names.empty())
      class_names_ = outputs.class_names, named_ = outputs.path;
    if (outputs.n() != n_ || outputs.k() != k_)
      refuse(display_name(outputs.path), fmt::format("{} rows of {} classes, as {} has", n_, k_, first_),
             fmt::format("{} of {}", outputs.n(), outputs.k()));
    require_same_classes({named_, k_, false, class_names_}, columns_of(outputs));
  }

  Context& context_;
  const SelectFlags& flags_;
  std::size_t n_ = 0, k_ = 0;
  std::string first_, named_, labels_from_;  // named_: the first that names its classes
  std::vector<std::string> class_names_;
  Labels labels_;
};

void add_estimate(Json& result, const std::string& name, const std::optional<Estimate>& estimate) {
  result[name] = estimate ? Json(estimate->value) : Json();
  result[name + "_low"] = estimate ? Json(estimate->interval.low) : Json();
  result[name + "_high"] = estimate ? Json(estimate->interval.high) : Json();
}

Json to_json(const std::string& name, const Checkpoint& checkpoint, const agreement::PairEvidence& evidence) {
  const agreement::Agreement& a = checkpoint.agreement;
  Json result = {{"checkpoint", name},
                 {"pairing", assess::pairing_json(evidence)},
                 {"n", a.n},
                 {"k", a.k},
                 {"pa", json_number(a.pa)},
                 {"pa_low", json_number(a.pa_interval.low)},
                 {"pa_high", json_number(a.pa_interval.high)},
                 {"beta", json_number(a.beta)},
                 {"gap", json_number(a.gap)},
                 {"converged", a.converged}};
  add_estimate(result, "accuracy", checkpoint.accuracy);
  add_estimate(result, "accuracy_shifted", checkpoint.accuracy_shifted);
  result["afr_pred"] = a.afr_pred;
  result["afr_pred_low"] = a.afr_pred_interval.low;
  result["afr_pred_high"] = a.afr_pred_interval.high;
  return result;
}

Json to_json(const Selection& selection, const std::optional<Estimate>& difference,
             const std::vector<std::string>& names) {
  const auto choice = [&](const std::optional<std::size_t>& index) {
    return index ? Json{{"index", *index}, {"checkpoint", names[*index]}} : Json();
  };
  Json selected = {{"pa", choice(selection.pa)},
                   {"accuracy", choice(selection.accuracy)},
                   {"accuracy_shifted", choice(selection.accuracy_shifted)},
                   {"pa_difference", nullptr}};
  if (difference)
    selected["pa_difference"] = {{"value", json_number(difference->value)},
                                 {"low", json_number(difference->interval.low)},
                                 {"high", json_number(difference->interval.high)}};
  return selected;
}

std::string sentence(const std::vector<std::string>& names, const std::vector<Checkpoint>& checkpoints,
                     const Selection& selection, const std::optional<Estimate>& difference) {
  const std::string& by_pa = names[selection.pa];
  if (!selection.accuracy)
    return fmt::format("Agreement chooses {}. Without labels there is no accuracy to set beside it.\n",
                       by_pa);
  const auto shifted = [&](std::size_t i) { return checkpoints[i].accuracy_shifted->value; };
  if (!difference)
    return fmt::format("Agreement and accuracy choose the same: {}, right on {:.4f} of the shifted set.\n",
                       by_pa, shifted(selection.pa));
  const auto& [low, high] = difference->interval;
  return fmt::format(
      "Agreement chooses {}, accuracy {}. The first has {:.4f} [{:.4f}, {:.4f}] more agreement: {}.\n"
      "On the shifted set {} is right on {:.4f}, {} on {:.4f}.\n",
      by_pa, names[*selection.accuracy], difference->value, low, high,
      low > 0 ? "the choice matters" : "these samples do not tell the two apart", by_pa,
      shifted(selection.pa), names[*selection.accuracy], shifted(*selection.accuracy));
}

std::string marks(std::size_t i, const Selection& selection) {
  std::vector<std::string> chosen_by;
  if (i == selection.pa) chosen_by.emplace_back("PA");
  if (i == selection.accuracy) chosen_by.emplace_back("accuracy");
  if (i == selection.accuracy_shifted) chosen_by.emplace_back("shifted accuracy");
  return chosen_by.empty() ? "" : fmt::format("  <- {}", fmt::join(chosen_by, ", "));
}

std::string table(const std::vector<std::string>& names, const std::vector<Checkpoint>& checkpoints,
                  const Selection& selection) {
  std::size_t width = 10;
  for (const auto& name : names) width = std::max(width, name.size());
  width = std::min<std::size_t>(width, 36);
  std::string text = fmt::format("{:<{}} {:>8}  {:<16} {:>9} {:>8} {:>8} {:>7}\n", "checkpoint", width, "PA",
                                 "[95% interval]", "beta", "accuracy", "shifted", "AFR(P)");
  const auto share = [](const std::optional<Estimate>& estimate) {
    return estimate ? fmt::format("{:.4f}", estimate->value) : "-";
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    const agreement::Agreement& a = checkpoints[i].agreement;
    std::string name = names[i];
    if (name.size() > width) name = "..." + name.substr(name.size() - width + 3);
    text += fmt::format("{:<{}} {:>8.4f}  {:<16} {:>9} {:>8} {:>8} {:>7.4f}{}\n", name, width, a.pa,
                        fmt::format("[{:.4f}, {:.4f}]", a.pa_interval.low, a.pa_interval.high),
                        std::isinf(a.beta) ? "inf" : fmt::format("{:.4g}", a.beta),
                        share(checkpoints[i].accuracy), share(checkpoints[i].accuracy_shifted), a.afr_pred,
                        marks(i, selection));
  }
  return text;
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

int run_select(Context& context, const SelectFlags& flags) {
  check_flags(flags);
  const std::vector<std::string>& names = flags.names.empty() ? flags.clean : flags.names;
  context.start_clock();
  Pairs pairs(context, flags);
  pairs.find_labels();
  std::vector<Checkpoint> checkpoints;
  Json results = Json::array();
  std::string doubts;
  bool converged = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    context.progress()->update("select", i, names.size(), names[i]);
    if (context.progress()->stop_requested()) throw Interrupted("select: stopped; nothing was written");
    const Pairs::Pair pair = pairs.open(i);
    agreement::Options options;
    options.clean_name = display_name(pair.clean.path);
    options.shifted_name = display_name(pair.shifted.path);
    checkpoints.push_back(agreement::measure_checkpoint(pair.clean.logits, pair.shifted.logits,
                                                        pairs.labels_for(pair), options));
    const Rows clean = pair.clean.logits, shifted = pair.shifted.logits;
    const auto evidence =
        tasks::evidence_of({&clean, &pair.clean, pairs.labels()}, {&shifted, &pair.shifted, {}}).value();
    if (const std::string doubt = tasks::pair_doubt(evidence, pair.clean.path, pair.shifted.path);
        !doubt.empty()) {
      doubts += doubt + "\n";
      if (evidence.differing_labels == 0) context.warn("leeway: " + doubt);
    }
    converged &= checkpoints.back().agreement.converged;
    results.push_back(to_json(names[i], checkpoints.back(), evidence));
  }
  if (!flags.labels.empty()) context.add_input(flags.labels, {checkpoints[0].agreement.n});
  const Selection selection = agreement::select_checkpoint(checkpoints);
  std::optional<Estimate> difference;
  if (selection.accuracy && *selection.accuracy != selection.pa) {
    const auto rows = [&](std::size_t i) {
      const Pairs::Pair pair = pairs.read(i);
      return agreement::agreement_per_row(pair.clean.logits, pair.shifted.logits,
                                          checkpoints[i].agreement.beta);
    };
    const auto pa = [&](std::size_t i) {
      return Estimate{checkpoints[i].agreement.pa, checkpoints[i].agreement.pa_interval};
    };
    const std::vector<double> first = rows(selection.pa), second = rows(*selection.accuracy);
    difference = agreement::pa_difference({pa(selection.pa), first}, {pa(*selection.accuracy), second});
  }
  context.stop_clock();
  Json record = context.record("leeway.select/1", std::move(results));
  record["selected"] = to_json(selection, difference, names);
  context.write_record(record);
  if (!converged)
    context.warn("leeway: the maximum of a checkpoint is not proved (converged in the record): exit code 5");
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(printable(name, std::string::npos));
  context.print(record, doubts + table(shown, checkpoints, selection) +
                            sentence(shown, checkpoints, selection, difference));
  return converged ? exit_ok : exit_incomplete;
}

}  // namespace

void add_select(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("select", "Which checkpoint agreement chooses, beside accuracy's choice");
  const auto flags = std::make_shared<SelectFlags>();
  command->add_option("--clean", flags->clean, "Outputs of each checkpoint on the clean validation samples")
      ->required();
  command
      ->add_option("--shifted", flags->shifted,
                   "Outputs of the same checkpoints on the same samples, shifted")
      ->required();
  command->add_option("--labels", flags->labels,
                      "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  command->add_option("--names", flags->names, "Names of the checkpoints (default: the files of --clean)");
  add_binary_flag(*command, flags->binary);
  add_as_flag(*command, flags->as);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
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
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_select(context, *flags); }; });
}

}  // namespace leeway::app
