#include "apps/leeway/bound_dis2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include "apps/leeway/options.h"
#include "leeway/assess/bounds.h"

namespace leeway::app {

using error_bound::Dis2;
using error_bound::Loss;
using error_bound::Representation;
using error_bound::Search;

namespace {

constexpr const char* representation_forms = "logits, features, pca:COMPONENTS, pca:1/F or pca:range";

// None where the text is of another form. pca:range is read as pca:1/1.
std::optional<Representation> parse_representation(const std::string& text) {
  using Kind = Representation::Kind;
  if (text == "logits") return Representation{Kind::logits, 0, 0};
  if (text == "features") return Representation{Kind::features, 0, 0};
  if (text == "pca:range") return Representation{Kind::pca, 0, 1};
  if (text.rfind("pca:", 0) != 0) return std::nullopt;
  const bool share = text.rfind("pca:1/", 0) == 0;
  const std::string digits = text.substr(share ? 6 : 4);
  std::size_t number = 0;
  if (digits.find_first_not_of("0123456789") != std::string::npos ||
      !CLI::detail::lexical_cast(digits, number) || number == 0)
    return std::nullopt;
  return share ? Representation{Kind::pca, 0, number} : Representation{Kind::pca, number, 0};
}

// One of `names`, in words of our own: CLI11's transformers list the numbers behind them.
template <class Value>
CLI::Option* add_choice(CLI::App& command, const std::string& flag, Value& value,
                        const std::map<std::string, Value>& names, const std::string& help) {
  return command
      .add_option_function<std::string>(
          flag, [&value, &names](const std::string& name) { value = names.at(name); }, help)
      ->check([&names](const std::string& name) {
        std::vector<std::string> known;
        for (const auto& [one, _] : names) known.push_back(one);
        return names.contains(name) ? std::string()
                                    : fmt::format("expected {}, found {}", fmt::join(known, ", "), name);
      })
      ->type_name("NAME");
}

}  // namespace

void add_dis2_flags(CLI::App& command, const std::shared_ptr<Dis2Flags>& flags) {
  static const std::map<std::string, Loss> losses = {
      {"disagreement", Loss::disagreement_logistic}, {"d-bat", Loss::d_bat}, {"chuang", Loss::chuang}};
  static const std::map<std::string, Search> searches = {{"maximum", Search::maximum},
                                                         {"reference", Search::reference}};
  const std::string group = "Dis2";
  error_bound::Dis2Options& options = flags->options;
  command
      .add_option(
          "--representation", flags->representation,
          "What critics see: logits, features, pca:COMPONENTS, pca:1/F (that share of the components), or "
          "pca:range (1/1 to 1/128: the least bound whose validity score is good enough)")
      ->check([](const std::string& text) {
        return parse_representation(text) ? std::string()
                                          : fmt::format("expected {}, found {}", representation_forms, text);
      })
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--least-validity", flags->least_validity,
                  "Validity score below which pca:range keeps no bound")
      ->check(within(0, 1))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--delta", options.delta,
                  "The bound holds with probability 1 - delta, where its assumption does")
      ->check(within(1e-12, .5))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--holdout", options.holdout,
                  "Share of rows that the bound is measured on; 0: all, which proves nothing")
      ->check(within(0, .95))
      ->capture_default_str()
      ->group(group);
  command
      .add_flag(
          "--stratified", options.stratified,
          "Held-out source rows keep the shares of the labels; the bound's proof wants them independent")
      ->group(group);
  command
      .add_option("--training-rows", options.most_training,
                  "Critics see at most so many rows of each set that are not held out (default: 65,536, or "
                  "64 for each parameter of a critic where that is more)")
      ->check(CLI::Range(1, 1000000000))
      ->group(group);
  command.add_option("--restarts", options.restarts, "Critics trained; the largest discrepancy counts")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str()
      ->group(group);
  add_choice(command, "--loss", options.loss, losses, "Disagreement loss: disagreement, d-bat or chuang")
      ->group(group);
  add_choice(command, "--search", options.search, searches,
             "maximum: the largest discrepancy; reference: the papers' AdamW recipe")
      ->group(group);
}

Dis2Result run_dis2(Context& context, const Dis2Flags& flags, const error_bound::Sample& source,
                    const error_bound::Sample& target) {
  error_bound::Dis2Options options = flags.options;
  options.representation = parse_representation(flags.representation).value();
  options.seed = context.seed;
  options.progress = context.progress();
  Dis2Result result;
  result.representation = flags.representation;
  if (flags.representation == "pca:range") {
    result.range = error_bound::dis2_over_components(source, target, options, flags.least_validity);
    result.bound = result.range->best().dis2;
    result.representation = fmt::format("pca:{}", result.range->best().components);
    return result;
  }
  result.bound = error_bound::dis2_bound(source, target, options);
  if (options.representation.fraction > 0)
    result.representation =
        fmt::format("pca:{}", source.features->shape[1] / options.representation.fraction);
  return result;
}

Json to_json(const Dis2Result& result, const Dis2Flags& flags) {
  const Dis2& dis2 = result.bound;
  Json record = assess::terms_json(dis2);
  record["representation"] = result.representation;
  record["delta"] = flags.options.delta;
  record["holdout"] = flags.options.holdout;
  record["stratified"] = flags.options.stratified;
  record["bound"] = dis2.bound;
  record["restarts"] = dis2.restarts;
  record["corollary"] = nullptr;
  if (dis2.corollary)
    record["corollary"] = {{"target_error", dis2.corollary->target_error},
                           {"threshold", dis2.corollary->threshold},
                           {"holds", dis2.corollary->holds}};
  record["range"] = nullptr;
  if (!result.range) return record;
  record["range"] = {{"least_validity", flags.least_validity}, {"bounds", Json::array()}};
  for (const auto& one : result.range->bounds)
    record["range"]["bounds"].push_back({{"components", one.components},
                                         {"fraction", one.fraction},
                                         {"bound", one.dis2.bound},
                                         {"estimate", one.dis2.estimate},
                                         {"discrepancy", one.dis2.discrepancy},
                                         {"validity_score", one.validity_score},
                                         {"kept", one.kept}});
  return record;
}

namespace {

std::string range_table(const error_bound::ComponentRange& range, double least_validity) {
  std::string text =
      fmt::format("  {:>10}  {:>8}  {:>6}  {:>8}\n", "components", "validity", "bound", "estimate");
  for (const auto& one : range.bounds)
    text += fmt::format("  {:>10}  {:>8.4f}  {:.4f}  {:>8.4f}  {}\n", one.components, one.validity_score,
                        one.dis2.bound, one.dis2.estimate,
                        &one == &range.best() ? "chosen"
                        : one.kept            ? ""
                                              : "not kept");
  text += range.best().kept
              ? fmt::format("  The least bound with a validity score of {:g} or more; ", least_validity)
              : fmt::format("  None has a validity score of {:g}, so all components count; ", least_validity);
  return text +
         fmt::format("each of the {} holds at delta / {}.\n", range.bounds.size(), range.bounds.size());
}

std::string verdict_line(const error_bound::Verdict& verdict, double delta) {
  return fmt::format(
      "  By the target's labels: held-out error {:.4f}, {} {:.4f} of Corollary E.2: {}.\n",
      verdict.target_error, verdict.holds ? "not above the" : "above the", verdict.threshold,
      verdict.holds ? fmt::format("the assumption holds, or an event of probability {:g} happened", delta)
                    : "this does not prove the assumption, nor the contrary");
}

}  // namespace

std::string table(const Dis2Result& result, const Dis2Flags& flags) {
  const Dis2& dis2 = result.bound;
  const double sum = dis2.source_error + dis2.discrepancy + dis2.concentration;
  std::string text = fmt::format(
      "\ndis2 (critics on {}, trained on {} source and {} target rows, measured on {} and {}):\n"
      "  {:.4f} error on the source + {:.4f} discrepancy + {:.4f} concentration = {:.4f}{}\n",
      result.representation, dis2.training_source, dis2.training_target, dis2.n_source, dis2.n_target,
      dis2.source_error, dis2.discrepancy, dis2.concentration, sum,
      sum <= 1 ? "" : fmt::format(", clipped {:.4f}", dis2.bound));
  for (const auto& one : dis2.concentrations)
    text += fmt::format("  with {:<20} {:.4f}   bound {:.4f}\n", one.name, one.term, one.bound);
  if (const std::string warning = error_bound::critic_warning(dis2); !warning.empty())
    text += fmt::format("  Warning: {}\n", warning);
  if (result.range) text += range_table(*result.range, flags.least_validity);
  if (dis2.corollary) text += verdict_line(*dis2.corollary, flags.options.delta);
  if (flags.options.holdout == 0)
    text += "  --holdout 0: critics were chosen on the rows they are measured on; this proves nothing.\n";
  return text;
}

}  // namespace leeway::app
