// leeway pa: posterior agreement of shifted outputs with clean ones.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>

#include "apps/leeway/command.h"
#include "apps/leeway/options.h"
#include "leeway/agreement/agreement.h"
#include "leeway/agreement/decomposition.h"
#include "leeway/agreement/pairing.h"
#include "leeway/agreement/ratios.h"
#include "leeway/core/message.h"
#include "leeway/core/outputs.h"

namespace leeway::app {
namespace {

struct PaFlags {
  std::string clean, labels;
  std::vector<std::string> shifted;
  Binary binary = Binary::refuse;
  double level = .95;
  std::size_t bootstrap = 0, curve = 0;
  std::string ratios, pairing = "given", pairs, save_pairs;
};

// "0:1:0.1" (first, last, step) or "0,0.5,1".
std::vector<double> parse_ratios(const std::string& text) {
  const auto fail = [&] {
    throw CLI::ValidationError(
        "--ratios", fmt::format("expected FIRST:LAST:STEP or a list within 0 to 1, found {}", text));
  };
  const bool range = text.find(':') != std::string::npos;
  std::vector<double> numbers;
  for (const std::string& part : CLI::detail::split(text, range ? ':' : ',')) {
    double value = 0;
    if (!CLI::detail::lexical_cast(part, value) || !(value >= 0 && value <= 1)) fail();
    numbers.push_back(value);
  }
  if (!range) return numbers;
  if (numbers.size() != 3 || numbers[1] < numbers[0] || !(numbers[2] >= 1e-4)) fail();
  std::vector<double> ratios;
  for (int i = 0; numbers[0] + i * numbers[2] <= numbers[1] + 1e-9; ++i)
    ratios.push_back(std::min(1., numbers[0] + i * numbers[2]));
  return ratios;
}

Json to_json(const agreement::Decomposition& decomposition) {
  Json parts = Json::object();
  const auto or_null = [](const std::optional<double>& value) {
    return value ? json_number(*value) : Json();
  };
  for (const auto& group : decomposition.groups)
    parts[std::string(group.name)] = {{"n", group.n},
                                      {"sum", json_number(group.sum)},
                                      {"delta", or_null(group.delta)},
                                      {"approximation", or_null(group.approximation)}};
  return parts;
}

Json to_json(const std::vector<agreement::RatioPoint>& sweep) {
  Json list = Json::array();
  for (const auto& [ratio, shifted, a] : sweep)
    list.push_back({{"ratio", ratio},
                    {"shifted", shifted},
                    {"pa", json_number(a.pa)},
                    {"pa_low", json_number(a.pa_interval.low)},
                    {"pa_high", json_number(a.pa_interval.high)},
                    {"beta", json_number(a.beta)},
                    {"gap", json_number(a.gap)},
                    {"afr_pred", a.afr_pred},
                    {"afr_true", a.afr_true ? Json(*a.afr_true) : Json()}});
  return list;
}

std::string table(const std::string& name, const std::vector<agreement::RatioPoint>& sweep) {
  std::string text = fmt::format(
      "\n{}: the share of its samples that are shifted, smallest norms first\n{:>7} {:>9} "
      "{:>8}  {:<16} {:>9} {:>7} {:>7}\n",
      name, "ratio", "shifted", "PA", "[interval]", "beta", "AFR(P)", "AFR(T)");
  for (const auto& [ratio, shifted, a] : sweep)
    text += fmt::format("{:>7.4g} {:>9} {:>8.4f}  {:<16} {:>9} {:>7.4f} {:>7}\n", ratio, shifted, a.pa,
                        fmt::format("[{:.4f}, {:.4f}]", a.pa_interval.low, a.pa_interval.high),
                        std::isinf(a.beta) ? "inf" : fmt::format("{:.4g}", a.beta), a.afr_pred,
                        a.afr_true ? fmt::format("{:.4f}", *a.afr_true) : "-");
  return text;
}

Json to_json(const std::string& path, const agreement::Agreement& a) {
  Json r = {{"shifted", path},
            {"n", a.n},
            {"k", a.k},
            {"beta", json_number(a.beta)},
            {"pa", json_number(a.pa)},
            {"pa_low", json_number(a.pa_interval.low)},
            {"pa_high", json_number(a.pa_interval.high)},
            {"pa_normalized", json_number(a.pa_normalized)},
            {"log_pa_mean", json_number(a.value)},
            {"log_pa_sum", json_number(a.log_pa_sum)},
            {"gap", json_number(a.gap)},
            {"converged", a.converged},
            {"evaluations", a.evaluations},
            {"afr_pred", a.afr_pred},
            {"afr_pred_low", a.afr_pred_interval.low},
            {"afr_pred_high", a.afr_pred_interval.high}};
  r["afr_true"] = a.afr_true ? Json(*a.afr_true) : Json();
  if (a.afr_true) {
    r["afr_true_low"] = a.afr_true_interval->low;
    r["afr_true_high"] = a.afr_true_interval->high;
    r["asr"] = *a.attack_success;
  }
  const auto points = [](const std::vector<agreement::CurvePoint>& curve) {
    Json list = Json::array();
    for (const auto& p : curve)
      list.push_back({{"beta", json_number(p.beta)}, {"value", json_number(p.value)}});
    return list;
  };
  r["curve"] = points(a.curve);
  r["local_maxima"] = points(a.local_maxima);
  return r;
}

std::string table(const std::vector<std::string>& names, const std::vector<agreement::Agreement>& all,
                  double level) {
  std::size_t width = 7;
  for (const auto& name : names) width = std::max(width, name.size());
  width = std::min<std::size_t>(width, 36);
  std::string text =
      fmt::format("{:<{}} {:>9} {:>5} {:>8}  {:<16} {:>9} {:>7} {:>7}\n", "shifted", width, "n", "k", "PA",
                  fmt::format("[{:g}% interval]", 100 * level), "beta", "AFR(P)", "AFR(T)");
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& a = all[i];
    std::string name = names[i];
    if (name.size() > width) name = "..." + name.substr(name.size() - width + 3);
    text += fmt::format("{:<{}} {:>9} {:>5} {:>8.4f}  {:<16} {:>9} {:>7.4f} {:>7}\n", name, width, a.n, a.k,
                        a.pa, fmt::format("[{:.4f}, {:.4f}]", a.pa_interval.low, a.pa_interval.high),
                        std::isinf(a.beta) ? "inf" : fmt::format("{:.4g}", a.beta), a.afr_pred,
                        a.afr_true ? fmt::format("{:.4f}", *a.afr_true) : "-");
  }
  text += fmt::format(
      "PA: posterior agreement, 0 to log k = {:.4f}; AFR(P), AFR(T): predictions unchanged, right.\n",
      std::log(static_cast<double>(all.front().k)));
  return text;
}

using Labels = std::optional<std::vector<std::int64_t>>;

// Two sets row by row, as they stand or as a pairing puts them together.
struct Matched {
  Array clean, shifted;
  Labels labels;
  std::optional<std::vector<double>> norms;
};

template <class T>
std::optional<std::vector<T>> take(const std::optional<std::vector<T>>& values,
                                   const std::vector<std::size_t>& rows) {
  if (!values) return std::nullopt;
  std::vector<T> taken;
  for (const std::size_t row : rows) taken.push_back((*values)[row]);
  return taken;
}

Matched match(Context& context, const PaFlags& flags, const Outputs& clean, const Labels& clean_labels,
              const Outputs& shifted) {
  if (flags.pairing == "given" && flags.pairs.empty() && flags.save_pairs.empty()) {
    if (clean_labels && shifted.labels && *clean_labels != *shifted.labels)
      context.warn(
          fmt::format("leeway: {}: its labels differ from those used: are its rows in the order of {}?",
                      shifted.path, flags.clean));
    return {clean.logits, shifted.logits, clean_labels ? clean_labels : shifted.labels, shifted.norms};
  }
  const agreement::Sample first{display_name(flags.clean), clean.logits, clean.features, clean_labels};
  const agreement::Sample second{display_name(shifted.path), shifted.logits, shifted.features,
                                 shifted.labels};
  const auto pairs = flags.pairs.empty() ? agreement::pairing(flags.pairing).pair(first, second)
                                         : agreement::read_pairs(flags.pairs, clean.n(), shifted.n());
  if (!flags.save_pairs.empty()) agreement::write_pairs(flags.save_pairs, pairs);
  std::vector<std::size_t> clean_rows, shifted_rows;
  for (const auto& pair : pairs) clean_rows.push_back(pair.clean), shifted_rows.push_back(pair.shifted);
  return {agreement::take_rows(clean.logits, clean_rows), agreement::take_rows(shifted.logits, shifted_rows),
          shifted.labels ? take(shifted.labels, shifted_rows) : take(clean_labels, clean_rows),
          take(shifted.norms, shifted_rows)};
}

int run_pa(Context& context, const PaFlags& flags) {
  const std::vector<double> ratios =
      flags.ratios.empty() ? std::vector<double>() : parse_ratios(flags.ratios);
  if (!flags.save_pairs.empty() && flags.shifted.size() > 1)
    throw CLI::ValidationError("--save-pairs", "expected one shifted set");
  context.start_clock();
  const OutputsOptions reading{flags.binary, false};
  const Outputs clean = read_outputs(flags.clean, reading);
  context.add_input(flags.clean, clean.logits.shape);
  Labels labels = clean.labels;
  if (!flags.labels.empty()) labels = read_labels(flags.labels, clean.n(), clean.k());
  std::vector<agreement::Agreement> all;
  Json results = Json::array();
  std::string sweeps;
  bool converged = true;
  for (const std::string& path : flags.shifted) {
    const Outputs shifted = read_outputs(path, reading);
    context.add_input(path, shifted.logits.shape);
    for (const auto& warning : shifted.warnings) context.warn(warning);
    const Matched matched = match(context, flags, clean, labels, shifted);
    const auto truth =
        matched.labels ? std::span<const std::int64_t>(*matched.labels) : std::span<const std::int64_t>();
    agreement::Options options;
    options.level = flags.level;
    options.bootstrap = flags.bootstrap;
    options.curve_points = flags.curve;
    options.seed = context.seed;
    options.progress = context.progress();
    options.clean_name = display_name(flags.clean);
    options.shifted_name = display_name(path);
    all.push_back(agreement::posterior_agreement(matched.clean, matched.shifted, truth, options));
    converged &= all.back().converged;
    results.push_back(to_json(path, all.back()));
    if (!truth.empty())
      results.back()["decomposition"] =
          to_json(agreement::decompose(matched.clean, matched.shifted, truth, all.back().beta));
    if (!ratios.empty()) {
      const auto norms = matched.norms ? std::span<const double>(*matched.norms) : std::span<const double>();
      if (norms.empty())
        context.warn(fmt::format("leeway: {}: no norms: its rows are shifted in their order", path));
      const auto sweep =
          agreement::ratio_sweep(matched.clean, matched.shifted, truth, norms, ratios, options);
      for (const auto& point : sweep) converged &= point.agreement.converged;
      results.back()["ratios"] = to_json(sweep);
      sweeps += table(path, sweep);
    }
    if (flags.shifted.size() > 1) context.progress()->update("pa", all.size(), flags.shifted.size(), "");
  }
  context.stop_clock();
  for (const auto& warning : clean.warnings) context.warn(warning);
  const Json record = context.record("leeway.pa/1", std::move(results));
  context.write_record(record);
  context.print(record, table(flags.shifted, all, flags.level) + sweeps);
  return converged ? exit_ok : exit_incomplete;
}

}  // namespace

void add_pa(CLI::App& root, Context& context, Run& run) {
  auto* command = root.add_subcommand("pa", "Posterior agreement of shifted outputs with clean ones");
  auto flags = std::make_shared<PaFlags>();
  command
      ->add_option("clean", flags->clean,
                   "Outputs on the clean inputs: .npy (logits), .npz, .safetensors, .csv")
      ->required();
  command->add_option("shifted", flags->shifted, "Outputs on the same samples, shifted; same order")
      ->required();
  command->add_option("--labels", flags->labels,
                      "Labels, where the outputs hold none: .npy, .npz, .csv, IDX");
  add_binary_flag(*command, flags->binary);
  command->add_option("--level", flags->level, "Confidence level of intervals")
      ->check(CLI::Range(.5, .9999))
      ->capture_default_str();
  command->add_option(
      "--bootstrap", flags->bootstrap,
      "Interval of PA from B resamples, each with its own beta (default: delta method at beta*)");
  std::vector<std::string> names;
  for (const auto& pairing : agreement::pairings()) names.emplace_back(pairing.name);
  auto* pairing = command
                      ->add_option("--pairing", flags->pairing,
                                   "Which clean row belongs to which shifted row: given (row by row), label, "
                                   "nearest (features), label-nearest, cca")
                      ->check(CLI::IsMember(names))
                      ->type_name("NAME")
                      ->capture_default_str();
  command->add_option("--pairs", flags->pairs, "Pairs from a CSV file with the columns clean,shifted")
      ->excludes(pairing);
  command->add_option("--save-pairs", flags->save_pairs, "Write the pairs to this CSV file");
  command->add_option("--ratios", flags->ratios,
                      "Also at these shares of shifted samples, smallest `norms` first: 0:1:0.1 or 0,0.5,1");
  command->add_option("--curve", flags->curve, "Points of A(beta) to add to the curve in the record");
  context.add_common_flags(*command, "Write the JSON record to this file");
  command->footer(
      "PA = log k + max over beta >= 0 of the mean log agreement of the softmax(beta * logits) of the two "
      "sets. 0 means that\n"
      "nothing survives the shift, log k that every prediction does, with full confidence. The maximum is "
      "global and\n"
      "certified: `gap` bounds what a better beta could add.\n\n"
      "  leeway pa clean.npy noisy.npy blurred.npy --labels y.npy\n"
      "  leeway pa clean.npz noisy.npz --json");
  command->callback([&context, flags, &run] { run = [&context, flags] { return run_pa(context, *flags); }; });
}

}  // namespace leeway::app
