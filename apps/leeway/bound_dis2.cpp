#include "apps/leeway/bound_dis2.h"

#include <fmt/format.h>

#include <map>

#include "leeway/assess/bounds.h"

namespace leeway::app {

using error_bound::Dis2;
using error_bound::Loss;
using error_bound::Representation;
using error_bound::Search;

Representation parse_representation(const std::string& text) {
  if (text == "logits") return {Representation::Kind::logits};
  if (text == "features") return {Representation::Kind::features};
  std::size_t components = 0;
  if (text.rfind("pca:", 0) == 0 && CLI::detail::lexical_cast(text.substr(4), components) && components > 0)
    return {Representation::Kind::pca, components};
  throw CLI::ValidationError("--representation",
                             fmt::format("expected logits, features or pca:COMPONENTS, found {}", text));
}

void add_dis2_flags(CLI::App& command, const std::shared_ptr<Dis2Flags>& flags) {
  static const std::map<std::string, Loss> losses = {
      {"disagreement", Loss::disagreement_logistic}, {"d-bat", Loss::d_bat}, {"chuang", Loss::chuang}};
  static const std::map<std::string, Search> searches = {{"maximum", Search::maximum},
                                                         {"reference", Search::reference}};
  const std::string group = "Dis2";
  error_bound::Dis2Options& options = flags->options;
  command
      .add_option("--representation", flags->representation,
                  "What critics see: logits, features or pca:COMPONENTS")
      ->check([](const std::string& text) {
        try {
          (void)parse_representation(text);
        } catch (const CLI::ValidationError& mistake) {
          return std::string(mistake.what());
        }
        return std::string();
      })
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--delta", options.delta,
                  "The bound holds with probability 1 - delta, where its assumption does")
      ->check(CLI::Range(1e-12, .5))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--holdout", options.holdout,
                  "Share of rows that the bound is measured on; 0: all, which proves nothing")
      ->check(CLI::Range(0., .95))
      ->capture_default_str()
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
  command.add_option("--loss", options.loss, "Disagreement loss: disagreement, d-bat or chuang")
      ->transform(CLI::CheckedTransformer(losses).description(""))
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--search", options.search,
                  "maximum: the largest discrepancy; reference: the papers' AdamW recipe")
      ->transform(CLI::CheckedTransformer(searches).description(""))
      ->type_name("NAME")
      ->group(group);
}

Dis2 run_dis2(Context& context, const Dis2Flags& flags, const error_bound::Sample& source,
              const error_bound::Sample& target) {
  error_bound::Dis2Options options = flags.options;
  options.representation = parse_representation(flags.representation);
  options.seed = context.seed;
  options.progress = context.progress();
  return error_bound::dis2_bound(source, target, options);
}

Json to_json(const Dis2& dis2, const Dis2Flags& flags) {
  Json record = assess::terms_json(dis2);
  record["representation"] = flags.representation;
  record["delta"] = flags.options.delta;
  record["holdout"] = flags.options.holdout;
  record["bound"] = dis2.bound;
  record["restarts"] = dis2.restarts;
  return record;
}

std::string table(const Dis2& dis2, const Dis2Flags& flags) {
  const double sum = dis2.source_error + dis2.discrepancy + dis2.concentration;
  std::string text = fmt::format(
      "\ndis2 (critics on {}, trained on {} source and {} target rows, measured on {} and {}):\n"
      "  {:.4f} error on the source + {:.4f} discrepancy + {:.4f} concentration = {:.4f}{}\n",
      flags.representation, dis2.training_source, dis2.training_target, dis2.n_source, dis2.n_target,
      dis2.source_error, dis2.discrepancy, dis2.concentration, sum,
      sum <= 1 ? "" : fmt::format(", clipped {:.4f}", dis2.bound));
  for (const auto& one : dis2.concentrations)
    text += fmt::format("  with {:<20} {:.4f}   bound {:.4f}\n", one.name, one.term, one.bound);
  if (flags.options.holdout == 0)
    text += "  --holdout 0: critics were chosen on the rows they are measured on; this proves nothing.\n";
  return text;
}

}  // namespace leeway::app
