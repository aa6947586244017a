// leeway bound: the error on a target without labels, bounded and estimated.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "apps/leeway/bound_dis2.h"
#include "apps/leeway/bound_evaluate.h"
#include "apps/leeway/command.h"
#include "apps/leeway/inputs.h"
#include "apps/leeway/options.h"
#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/report/report.h"

namespace leeway::app {
namespace {

using error_bound::Estimates;
using error_bound::Sample;

struct BoundFlags {
  std::string source, target, labels, report, temperature = "on";
  Binary binary = Binary::refuse;
  Scores as = Scores::automatic;
  std::vector<std::string> methods;
  std::size_t bootstrap = 200;
  double level = .95;
  std::shared_ptr<Dis2Flags> dis2 = std::make_shared<Dis2Flags>();
};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  names.emplace_back("dis2");
  for (const auto& member : error_bound::estimators()) names.emplace_back(member.name);
  return names;
}

Sample sample_of(const std::string& path, OutputsShards shards) {
  Sample sample{path, std::move(shards.logits), {}, std::move(shards.rest.features)};
  if (shards.rest.labels) sample.labels = std::move(*shards.rest.labels);
  return sample;
}

struct Row {
  std::string method, summary, assumes, fails;
  double error;
  std::optional<double> lower, upper;
  bool is_bound;
};

std::vector<Row> rows_of(const Estimates& estimates) {
  std::vector<Row> rows;
  for (const auto& [estimator, error, interval] : estimates.estimates) {
    rows.push_back({std::string(estimator->name), std::string(estimator->summary),
                    std::string(estimator->assumes), std::string(estimator->fails), error, std::nullopt,
                    std::nullopt, false});
    if (interval) rows.back().lower = interval->low, rows.back().upper = interval->high;
  }
  return rows;
}

std::vector<Row> rows_of_dis2(const Dis2Result& result, const Dis2Flags& flags) {
  const error_bound::Dis2& dis2 = result.bound;
  const auto [assumes, fails] = error_bound::dis2_assumption(result.representation);
  return {{"dis2", fmt::format("upper bound with probability {:g}", 1 - flags.options.delta), assumes, fails,
           dis2.bound, std::nullopt, dis2.bound, true},
          {"dis2-estimate", "dis2 without its term for chance", assumes, fails, dis2.estimate, std::nullopt,
           std::nullopt, false}};
}

// Share of the target's rows that are wrong, where it has labels.
std::optional<double> true_error(const Sample& target) {
  if (target.labels.empty()) return std::nullopt;
  return 1 - error_bound::collect(target, target, {}).source_accuracy;
}

Json to_json(const std::vector<Row>& rows) {
  const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json results = Json::array();
  for (const Row& row : rows)
    results.push_back({{"method", row.method},
                       {"error", row.error},
                       {"lower", or_null(row.lower)},
                       {"upper", or_null(row.upper)},
                       {"is_bound", row.is_bound},
                       {"assumes", row.assumes},
                       {"fails", row.fails}});
  return results;
}

// "atc-conf, atc-ne: right if ...", a line for each assumption.
std::string assumptions(const std::vector<Row>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto same = [&](const Row& row) {
      return row.assumes == rows[i].assumes && row.fails == rows[i].fails;
    };
    if (std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    std::vector<std::string> names;
    for (const Row& row : rows)
      if (same(row)) names.push_back(row.method);
    text += fmt::format("{}: right if {}.\n  It is too low if {}.\n", fmt::join(names, ", "), rows[i].assumes,
                        rows[i].fails);
  }
  return text;
}

std::string table(const std::vector<Row>& rows, const Estimates& estimates, double level,
                  std::optional<double> truth) {
  const auto line = [](std::string_view method, double error, std::string_view interval,
                       std::string_view what) {
    return fmt::format("{:<15} {:>7.4f}  {:<16}  {}\n", method, error, interval, what);
  };
  const auto range = [](double low, double high) { return fmt::format("[{:.4f}, {:.4f}]", low, high); };
  std::string text =
      fmt::format("{:<15} {:>7}  {:<16}\n", "method", "error", fmt::format("[{:g}% interval]", 100 * level));
  for (const Row& row : rows) {
    std::string interval = row.is_bound ? "upper bound" : "-";
    if (!row.is_bound && row.lower && row.upper) interval = range(*row.lower, *row.upper);
    text += line(row.method, row.error, interval, row.summary);
  }
  const Interval& source = estimates.source_error_interval;
  text += line("source", estimates.source_error, range(source.low, source.high),
               "error on the source, by its labels");
  if (truth) text += line("target", *truth, "-", "error by the target's labels, which no method saw");
  return text + "\n" + assumptions(rows) +
         "An estimate is no bound. Its interval tells how far the rows there are settle it, not whether what "
         "it assumes is true.\n";
}

int run_bound(Context& context, const BoundFlags& flags) {
  if (flags.source.empty() || flags.target.empty())
    throw UsageError("bound: expected --source and --target (or bound evaluate TABLE.csv)");
  context.start_clock();
  // check() looks at every logit anyway and names the row that is not finite.
  const OutputsOptions reading{flags.binary, false, flags.as};
  OutputsShards known = open_shards(context, flags.source, reading);
  OutputsShards unknown = open_beside(context, known, flags.target, reading);
  Sample source = sample_of(flags.source, std::move(known));
  if (!flags.labels.empty()) source.labels = read_labels(flags.labels, source.n(), source.k());
  const Sample target = sample_of(flags.target, std::move(unknown));
  if (!flags.labels.empty()) context.add_input(flags.labels, {source.n()});
  error_bound::check(source, target);

  const std::vector<std::string> methods = flags.methods.empty() ? method_names() : flags.methods;
  error_bound::EstimateOptions options;
  for (const std::string& method : methods)
    if (method != "dis2") options.methods.emplace_back(method);
  options.temperature = flags.temperature == "on";
  options.bootstrap = flags.bootstrap;
  options.level = flags.level;
  options.seed = context.seed;
  options.progress = context.progress();
  const bool any = !options.methods.empty();
  if (!any) options.methods = {"ac"}, options.bootstrap = 0;  // for the error on the source
  Estimates estimates = error_bound::estimate_error(source, target, options);
  if (!any) estimates.estimates.clear();
  std::vector<Row> rows = rows_of(estimates);

  Json dis2;
  std::string terms;
  if (std::ranges::find(methods, "dis2") != methods.end()) {
    const auto bound = run_dis2(context, *flags.dis2, source, target);
    const std::vector<Row> both = rows_of_dis2(bound, *flags.dis2);
    rows.insert(rows.begin(), both.begin(), both.end());
    dis2 = to_json(bound, *flags.dis2);
    terms = table(bound, *flags.dis2);
  }
  const std::optional<double> truth = true_error(target);
  context.stop_clock();
  Json record = context.record("leeway.bound/1", to_json(rows));
  record["source"] = {{"n", source.n()},
                      {"k", source.k()},
                      {"error", estimates.source_error},
                      {"error_low", estimates.source_error_interval.low},
                      {"error_high", estimates.source_error_interval.high}};
  record["target"] = {{"n", target.n()}, {"error", truth ? Json(*truth) : Json()}};
  record["inverse_temperature"] = json_number(estimates.inverse_temperature);
  record["level"] = flags.level;
  record["dis2"] = std::move(dis2);
  if (!flags.report.empty()) write_text(flags.report, report::html_report(record));
  context.write_record(record);
  context.print(record, table(rows, estimates, flags.level, truth) + terms);
  return exit_ok;
}

}  // namespace

void add_bound(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand(
      "bound", "The error on a target without labels: an upper bound, and estimates beside it");
  auto flags = std::make_shared<BoundFlags>();
  command->add_option("--source", flags->source,
                      "Labelled outputs: .npz, .safetensors, .csv, .npy with --labels");
  command->add_option("--target", flags->target, "Outputs without labels, of the same classifier");
  command->add_option("--labels", flags->labels, "Labels of the source, where its outputs hold none");
  command
      ->add_option("--methods", flags->methods,
                   fmt::format("Some of {} (default: all)", fmt::join(method_names(), ",")))
      ->delimiter(',')
      ->check(CLI::IsMember(method_names()))
      ->type_name("NAMES");
  command
      ->add_option("--temperature", flags->temperature,
                   "on: estimates use confidences calibrated on the source; off: as they are")
      ->check(CLI::IsMember({"on", "off"}))
      ->type_name("on|off")
      ->capture_default_str();
  command->add_option("--bootstrap", flags->bootstrap, "Replicates of the estimates' intervals; 0: none")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--level", flags->level, "Confidence level of intervals")
      ->check(within(.5, .9999))
      ->capture_default_str();
  context.files.writes(command->add_option("--report", flags->report, "Write one self-contained HTML page"),
                       Written::page);
  add_binary_flag(*command, flags->binary);
  add_as_flag(*command, flags->as);
  add_dis2_flags(*command, flags->dis2);
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "  leeway bound --source validation.npz --target production.npz\n"
      "  leeway bound --source validation.npz --target production.npz --methods ac,cot --json\n"
      "  leeway bound evaluate shifts.csv --delta 0.01");
  auto evaluation = std::make_shared<EvaluateFlags>();
  const CLI::App* evaluate = add_evaluate(*command, context, evaluation);
  command->callback([&context, flags, evaluate, evaluation, &run] {
    if (evaluate->parsed())
      run = [&context, evaluation] { return run_evaluate(context, *evaluation); };
    else
      run = [&context, flags] { return run_bound(context, *flags); };
  });
}

}  // namespace leeway::app
