// leeway average-case: the probability that predictions survive noise.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "apps/leeway/average_case_record.h"
#include "apps/leeway/average_case_state.h"
#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/model_options.h"
#include "apps/leeway/options.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/class_names.h"
#include "leeway/core/family.h"
#include "leeway/core/file.h"
#include "leeway/core/instruction_set.h"
#include "leeway/core/message.h"
#include "leeway/core/npz.h"
#include "leeway/core/outputs.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

using average_case::AverageCase;
using average_case::AverageCaseOptions;
using average_case::Noise;

struct AverageCaseFlags {
  ModelFlags model;
  std::string data, logits, jacobian, gram, noise = "gaussian", covariance, labels, report;
  std::vector<std::string> methods;
  std::size_t rows = 0;
  bool convergence = false, copies_as_published = false;
  double level = .95;
  Scores as = Scores::automatic;
  AverageCaseOptions options;
};

std::optional<Array> covariance_of(Context& context, const AverageCaseFlags& flags) {
  if (flags.covariance.empty()) return std::nullopt;
  return only_array(context, flags.covariance);
}

average_case::NoiseKind noise_kind(const std::string& name) {
  return find_member(average_case::noises(), "noise", name).kind;
}

// Of all that decides the result: a state of another plan is no use.
std::string whole_plan(const AverageCaseFlags& flags, const AverageCaseOptions& options, std::size_t n) {
  const auto digest = [](const std::string& path) {
    return path.empty() || path.find(':') != std::string::npos ? path : digest_file(path);
  };
  Json plan = plan_of(options);
  plan.update({{"instruction_set", name_of(instruction_set)},
               {"rows", n},
               {"noise", flags.noise},
               {"covariance", digest(flags.covariance)},
               {"model", digest(flags.model.model)},
               {"architecture", flags.model.architecture},
               {"scale", flags.model.scale.value_or(0)},
               {"mean", flags.model.mean},
               {"std", flags.model.std},
               {"binary", static_cast<int>(flags.model.binary)},
               {"data", digest(flags.data)}});
  return plan.dump();
}

// Passes of one range of rows as a part of those of all rows, from `before` to `n`.
class RangeProgress : public Progress {
 public:
  RangeProgress(Progress& whole, std::size_t before, std::size_t n) : whole_(whole), before_(before), n_(n) {}
  void set_range(std::size_t begin, std::size_t end) { begin_ = begin, end_ = end; }

  void update(std::string_view task, std::size_t done, std::size_t total, std::string_view note) override {
    const std::size_t rows = std::max<std::size_t>(1, end_ - begin_);
    whole_.update(task, (begin_ - before_) * total / rows + done, (n_ - before_) * total / rows, note);
  }
  [[nodiscard]] bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
  std::size_t before_, n_, begin_ = 0, end_ = 0;
};

using Range = std::function<AverageCase(std::size_t begin, std::size_t end, Progress* progress)>;

// A pass of a large network may outlast the patience of who stops it.
AverageCase run_range(const Context& context, const Range& range, std::size_t begin, std::size_t end,
                      Progress& progress) {
  const HardStop stop(context.out.empty() ? "average-case: stopped; nothing was saved"
                                          : "average-case: stopped within a pass; the same command goes on "
                                            "from the rows that were saved before");
  return range(begin, end, &progress);
}

// Rows in ranges; what is done is saved now and then, and taken over by a rerun.
AverageCase run_ranges(Context& context, const std::string& plan, std::size_t n, std::size_t classes,
                       const Range& range) {
  AverageCase all = load_state(context.out, plan, range(0, 0, nullptr));
  const std::size_t before = all.targets.size();
  if (before > 0)
    context.say(fmt::format("average-case: going on after {} of {} rows done before", before, n));
  auto saved = std::chrono::steady_clock::now();
  RangeProgress progress(*context.progress(), before, n);
  const std::size_t at_once = average_case::rows_at_once(classes);
  for (std::size_t begin = before; begin < n; begin += at_once) {
    const std::size_t end = std::min(n, begin + at_once);
    progress.set_range(begin, end);
    try {
      all.append(run_range(context, range, begin, end, progress));
    } catch (const Interrupted&) {
      if (context.out.empty()) throw Interrupted("average-case: stopped; nothing was saved");
      save_state(context.out, plan, all);
      throw Interrupted(
          fmt::format("average-case: stopped after {} of {} rows, which were saved; the same command "
                      "goes on from there",
                      all.targets.size(), n));
    }
    const auto now = std::chrono::steady_clock::now();
    if (context.out.empty() || end == n || now - saved < std::chrono::seconds(5)) continue;
    save_state(context.out, plan, all);
    saved = now;
  }
  return all;
}

std::vector<std::size_t> growing(std::initializer_list<std::size_t> counts, std::size_t most) {
  std::vector<std::size_t> result;
  for (const std::size_t count : counts)
    if (count < most) result.push_back(count);
  result.push_back(most);
  return result;
}

std::vector<average_case::ConvergencePoint> converge(const AverageCaseFlags& flags,
                                                     const Classifier& classifier, const Noise& noise,
                                                     const average_case::InputRow& input, std::size_t n,
                                                     const AverageCaseOptions& options) {
  if (!flags.convergence) return {};
  const HardStop stop("average-case: stopped while looking at the convergence; nothing was written");
  const auto wanted = [&](std::string_view method) {
    return std::ranges::find(options.methods, method) != options.methods.end();
  };
  const auto draws =
      wanted("mc") ? growing({10, 30, 100, 300, 1000, 3000}, options.draws) : std::vector<std::size_t>();
  const auto copies =
      wanted("mmse") ? growing({1, 2, 5, 10, 20, 50, 100}, options.copies) : std::vector<std::size_t>();
  return average_case::convergence(classifier, noise, input, n, options, draws, copies);
}

AverageCaseFindings from_model(Context& context, const AverageCaseFlags& flags,
                               const AverageCaseOptions& options) {
  const LoadedModel loaded = load_model_and_images(context, flags.model, flags.data);
  const Images& images = loaded.images;
  const Classifier classifier = loaded.model->classifier(nn::shape_of(images));
  const Noise noise(classifier.d, noise_kind(flags.noise), covariance_of(context, flags));
  const std::size_t n = flags.rows > 0 ? std::min(flags.rows, images.n()) : images.n();
  const average_case::InputRow input = [&](std::size_t row, std::span<float> out) {
    images.copy_row(row, out);
  };
  AverageCaseFindings findings;
  findings.variation = loaded.variation;
  findings.cases = run_ranges(context, whole_plan(flags, options, n), n, classifier.k,
                              [&](std::size_t begin, std::size_t end, Progress* progress) {
                                AverageCaseOptions own = options;
                                own.progress = progress;
                                return average_case::average_case(classifier, noise, input, begin, end, own);
                              });
  findings.classes = classifier.k;
  findings.class_names = class_names_of(flags.data, classifier.k);
  constexpr std::size_t most_rows = 100;
  findings.convergence_samples = std::min(n, most_rows);
  findings.convergence = converge(flags, classifier, noise, input, findings.convergence_samples, options);
  if (images.labels)
    findings.labels.emplace(images.labels->begin(), images.labels->begin() + static_cast<std::ptrdiff_t>(n));
  if (!flags.report.empty() && (images.channels() == 1 || images.channels() == 3)) findings.images = images;
  return findings;
}

// An outputs file, or one array alone.
Outputs logits_of(Context& context, const AverageCaseFlags& flags) {
  const std::string& path = flags.logits;
  const ArrayMap arrays = read_arrays(path);
  const auto named = [&](const std::string& name) {
    return arrays.contains(name) && (!name.empty() || arrays.at(name).shape.size() == 2);
  };
  if (named("") || named("logits") || named("probs") || named("pred_probs")) {
    const OutputsOptions reading{flags.model.binary, true, flags.as};
    const bool gradients = !(flags.jacobian.empty() && flags.gram.empty());
    const bool said = flags.as == Scores::probs || flags.model.binary == Binary::prob;
    if (gradients && !said && read_shards(path, reading).rest.from_probs)
      refuse(display_name(path),
             fmt::format("logits, whose gradients are in {} (--as logits, where they are)",
                         flags.jacobian.empty() ? flags.gram : flags.jacobian),
             "probabilities");
    return joined(open_shards(context, path, reading));
  }
  Outputs outputs;
  outputs.logits = only_array(context, path);
  return outputs;
}

AverageCaseFindings from_files(Context& context, const AverageCaseFlags& flags,
                               const AverageCaseOptions& options) {
  const Outputs outputs = logits_of(context, flags);
  average_case::MadeElsewhere files{display_name(flags.logits), outputs.logits, {}, {}};
  if (!flags.jacobian.empty()) files.jacobian = only_array(context, flags.jacobian);
  if (!flags.gram.empty()) files.gram = only_array(context, flags.gram);
  const std::size_t d = files.jacobian && files.jacobian->shape.size() == 3 ? files.jacobian->shape[2] : 1;
  if (!flags.covariance.empty() && !files.jacobian)
    throw UsageError(
        "--noise-covariance: expected --jacobian beside it; Gram matrices hold the noise already");
  const Noise noise(d, noise_kind(flags.noise), covariance_of(context, flags));
  AverageCaseFindings findings;
  {
    const HardStop stop("average-case: stopped; nothing was saved");
    findings.cases = average_case::average_case(files, noise, options);
  }
  findings.classes = files.logits.shape[1];
  findings.class_names = outputs.class_names;
  findings.labels = outputs.labels;
  return findings;
}

// Methods in the order of the family where none were named: those that the input permits.
std::vector<std::string_view> methods_of(const AverageCaseFlags& flags) {
  std::vector<std::string_view> methods(flags.methods.begin(), flags.methods.end());
  const bool gradients = !flags.model.model.empty() || !flags.jacobian.empty() || !flags.gram.empty();
  if (methods.empty())
    for (const auto& member : average_case::estimators())
      if (member.name != "mc" && (!member.model || !flags.model.model.empty()) &&
          (!member.gradients || gradients))
        methods.push_back(member.name);
  return methods;
}

int run_average_case(Context& context, const AverageCaseFlags& flags) {
  const bool model = !flags.model.model.empty(), files = !flags.logits.empty();
  if (model == files || model != !flags.data.empty())
    throw UsageError("average-case: expected --model and --data, or --logits with --jacobian or --gram");
  context.start_clock();
  AverageCaseOptions options = flags.options;
  options.methods = methods_of(flags);
  options.level = flags.level, options.seed = context.seed, options.progress = context.progress();
  if (flags.copies_as_published) options.copy_draws = average_case::CopyDraws::as_published;
  AverageCaseFindings findings =
      model ? from_model(context, flags, options) : from_files(context, flags, options);
  const std::size_t n = findings.cases.targets.size();
  if (!flags.labels.empty()) {
    findings.labels = read_labels(flags.labels, n, findings.classes);
    context.add_input(flags.labels, {n});
  }
  findings.sigmas = options.sigmas, findings.level = flags.level, findings.seed = context.seed;
  findings.copies_as_published = flags.copies_as_published;
  if (!context.out.empty()) write_npz(context.out, average_case_arrays(findings));
  remove_state(context.out);
  context.stop_clock();
  Json body = average_case_json(findings);
  Json record = context.record("leeway.average-case/1", body["results"]);
  for (const auto& [key, value] : body.items())
    if (key != "results") record[key] = value;
  record["stochastic"] = variation_json(findings.variation);
  record["noise"] = flags.noise;
  record["copies_as_published"] = flags.copies_as_published;
  record["model"] = flags.model.model.empty() ? Json() : Json(flags.model.model);
  record["out"] = context.out.empty() ? Json() : Json(context.out);
  if (!flags.report.empty()) {
    const report::Pictures pictures =
        findings.images ? report::sample_pictures(record, *findings.images) : report::Pictures{};
    write_text(flags.report, report::html_report(record, pictures));
  }
  if (context.json)  // the table has them in its first line
    for (const std::string& warning : gradient_warnings(findings)) context.warn("leeway: " + warning);
  context.print(record, average_case_text(findings));
  const bool converged = std::ranges::all_of(findings.cases.columns,
                                             [](const auto& column) { return column.not_converged == 0; });
  return converged ? exit_ok : exit_incomplete;
}

void add_method_flags(CLI::App& command, AverageCaseFlags& flags) {
  AverageCaseOptions& options = flags.options;
  std::string help = "Which estimators (default: all that the input permits, but mc)";
  std::vector<std::string> names;
  for (const auto& member : average_case::estimators()) {
    help += fmt::format("{}{}: {}", names.empty() ? "\n" : ";\n", member.name, member.summary);
    names.emplace_back(member.name);
  }
  command
      .add_option("--sigma", options.sigmas,
                  "Standard deviations of the noise, pixels in [0,1]: 0.1 or 0.05,0.1")
      ->delimiter(',')
      ->check(within(0, 1e30))
      ->required();
  command.add_option("--methods", flags.methods, help)
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->type_name("NAMES");
  command.add_option("--draws", options.draws, "Noisy copies of each sample for mc")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 31))
      ->capture_default_str();
  command
      .add_option("--width", options.width, "Let mc stop where its interval is no wider than this (0: never)")
      ->check(within(0, 1))
      ->capture_default_str();
  command.add_option("--copies", options.copies, "Noisy copies of each sample for mmse")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 31))
      ->capture_default_str();
  command.add_flag("--copies-as-published", flags.copies_as_published,
                   "Draw mmse's copies independently, as the published estimator does, not centred and "
                   "widened: chance then moves every boundary, those of linear models too");
  command.add_option("--temperature", options.temperature, "Temperature of softmax")
      ->check(within(1e-30, 1e30))
      ->capture_default_str();
  command.add_option(
      "--classes", options.classes,
      "Take gradients of so many classes alone, the likeliest (0: all, or as many as can matter where "
      "there are more than 64)");
  command.add_option("--tolerance", options.mvn.tolerance, "Of the normal distribution function")
      ->check(within(1e-9, 1))
      ->capture_default_str();
}

void add_input_flags(CLI::App& command, AverageCaseFlags& flags) {
  app::add_model_flags(command, flags.model);
  command.get_option("--model")->required(false);
  command.add_option("--data", flags.data, "Images: .npz, .safetensors, IDX(.gz), or fashion-mnist:test");
  command.add_option("--rows", flags.rows, "The first so many images alone (0: all)");
  command.add_option("--logits", flags.logits,
                     "Instead of a model: logits (n,k) made elsewhere, .npy or an outputs file");
  add_as_flag(command, flags.as);
  auto* jacobian = command.add_option("--jacobian", flags.jacobian, "Their gradients by the input, (n,k,d)");
  command.add_option("--gram", flags.gram, "Or the products of these, J C J' of each sample, (n,k,k)")
      ->excludes(jacobian);
  command.add_option("--labels", flags.labels, "Labels to group samples by, where the data hold none");
  std::vector<std::string> names;
  for (const auto& member : average_case::noises()) names.emplace_back(member.name);
  command.add_option("--noise", flags.noise, "Distribution of the noise, coordinate by coordinate")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command.add_option("--noise-covariance", flags.covariance,
                     "Covariance of gaussian noise, times sigma^2: .npy of (d) variances or (d,d)");
}

}  // namespace

void add_average_case(CLI::App& root, Context& context, Run& run) {
  auto* command =
      root.add_subcommand("average-case", "The probability that predictions survive noise, sample by sample");
  const auto flags = std::make_shared<AverageCaseFlags>();
  add_input_flags(*command, *flags);
  add_method_flags(*command, *flags);
  command->add_flag("--convergence", flags->convergence,
                    "Also how mc and mmse settle as their copies grow, on the first 100 samples");
  command->add_option("--level", flags->level, "Confidence level of intervals")
      ->check(within(.5, .9999))
      ->capture_default_str();
  context.files.writes(command->add_option("--report", flags->report, "Write a page (.html)"), Written::page);
  context.add_common_flags(*command, "Per-sample file (.npz): one array (n, sigmas) a method", Written::file,
                           state_of);
  command->footer(
      "p = P(argmax f(x + e) = argmax f(x)), e noise of standard deviation sigma; inputs are not clipped. "
      "taylor, and\n"
      "mmse with two centred copies or more, are exact for linear models under gaussian noise. taylor takes "
      "k backward\n"
      "passes a sample, mmse as many for every copy and sigma, mc thousands of forward passes.\n"
      "taylor-mvs, mmse-mvs and softmax are scores: they rank samples.\n\n"
      "  leeway average-case --model cnn.safetensors --data fashion-mnist:test --sigma 0.1 --out p.npz\n"
      "  leeway average-case --model cnn.pt --data x.npz --sigma 0.05,0.1 --methods mc,taylor,mmse --rows "
      "200\n"
      "  leeway average-case --logits f.npy --jacobian J.npy --sigma 0.1 --json");
  command->callback(
      [&context, flags, &run] { run = [&context, flags] { return run_average_case(context, *flags); }; });
}

}  // namespace leeway::app
