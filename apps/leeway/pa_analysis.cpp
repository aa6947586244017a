#include "apps/leeway/pa_analysis.h"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "apps/leeway/inputs.h"
#include "leeway/agreement/fixed_beta.h"
#include "leeway/agreement/pairing.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

using Labels = std::optional<std::vector<std::int64_t>>;

struct CleanSet {
  OutputsShards outputs;
  Labels labels;
};

// Two sets row by row, as they stand or as a pairing puts them together.
struct Matched {
  Rows clean, shifted;
  Labels labels;
  std::optional<std::vector<double>> norms;
  std::optional<agreement::PairEvidence> evidence;
};

template <class T>
std::optional<std::vector<T>> take(const std::optional<std::vector<T>>& values,
                                   const std::vector<std::size_t>& rows) {
  if (!values) return std::nullopt;
  std::vector<T> taken;
  for (const std::size_t row : rows) taken.push_back((*values)[row]);
  return taken;
}

template <class T>
std::span<const T> span_of(const std::optional<std::vector<T>>& values) {
  return values ? std::span<const T>(*values) : std::span<const T>();
}

class Analysis {
 public:
  Analysis(Context& context, const PaOptions& options) : context_(context), options_(options) {}

  PaResults run() {
    PaResults results;
    results.level = options_.level;
    results.several_models = options_.models.size() > 1;
    results.with_gaps = results.several_models && !options_.ratios.empty();
    for (const ModelFiles& model : options_.models) {
      const CleanSet clean = read_clean(model);
      std::optional<double> beta;  // of the first shifted set, with --shared-beta
      for (const std::string& path : model.shifted) {
        results.sets.push_back(analyse(model, clean, path, beta));
        if (options_.shared_beta && !beta) beta = results.sets.back().agreement.beta;
        const std::size_t total = options_.models.size() * model.shifted.size();
        if (total > 1) context_.progress()->update("pa", results.sets.size(), total, "");
      }
    }
    if (results.with_gaps) results.gaps = gaps_of(results.sets);
    return results;
  }

 private:
  [[nodiscard]] OutputsOptions reading() const { return {options_.binary, false, options_.as}; }

  void add_input_once(const std::string& path, const std::vector<std::size_t>& shape) {
    for (const std::string& known : extra_inputs_)
      if (known == path) return;
    extra_inputs_.push_back(path);
    context_.add_input(path, shape);
  }

  CleanSet read_clean(const ModelFiles& model) {
    CleanSet clean{open_shards(context_, model.clean, reading()), std::nullopt};
    clean.labels = clean.outputs.rest.labels;
    if (!options_.labels.empty()) {
      clean.labels = read_labels(options_.labels, clean.outputs.n(), clean.outputs.k());
      add_input_once(options_.labels, {clean.labels->size()});
    }
    return clean;
  }

  std::vector<agreement::RowPair> pairs_of(const ModelFiles& model, const CleanSet& clean,
                                           const OutputsShards& shifted) {
    if (!options_.pairs.empty()) {
      auto pairs = agreement::read_pairs(options_.pairs, clean.outputs.n(), shifted.n());
      add_input_once(options_.pairs, {pairs.size(), 2});
      return pairs;
    }
    const agreement::Sample first{display_name(model.clean), clean.outputs.logits.joined(),
                                  clean.outputs.rest.features, clean.labels};
    const agreement::Sample second{display_name(shifted.rest.path), shifted.logits.joined(),
                                   shifted.rest.features, shifted.rest.labels};
    return agreement::pairing(options_.pairing).pair(first, second, context_.seed);
  }

  Matched match(const ModelFiles& model, const CleanSet& clean, const OutputsShards& shifted) {
    const Outputs& rest = shifted.rest;
    if (options_.pairing == "given" && options_.pairs.empty() && options_.save_pairs.empty()) {
      if (clean.labels && rest.labels && *clean.labels != *rest.labels)
        context_.warn(
            fmt::format("leeway: {}: its labels differ from those used: are its rows in the order of {}?",
                        rest.path, model.clean));
      return {clean.outputs.logits, shifted.logits, clean.labels ? clean.labels : rest.labels, rest.norms,
              evidence_of({&clean.outputs.logits, &clean.outputs.rest, span_of(clean.labels)},
                          {&shifted.logits, &rest, {}})};
    }
    const auto pairs = pairs_of(model, clean, shifted);
    if (!options_.save_pairs.empty()) agreement::write_pairs(options_.save_pairs, pairs);
    std::vector<std::size_t> clean_rows, shifted_rows;
    for (const auto& pair : pairs) clean_rows.push_back(pair.clean), shifted_rows.push_back(pair.shifted);
    return {clean.outputs.logits.take(clean_rows), shifted.logits.take(shifted_rows),
            rest.labels ? take(rest.labels, shifted_rows) : take(clean.labels, clean_rows),
            take(rest.norms, shifted_rows), std::nullopt};
  }

  PaResult analyse(const ModelFiles& model, const CleanSet& clean, const std::string& path,
                   std::optional<double> beta) {
    const OutputsShards shifted = open_beside(context_, clean.outputs, path, reading());
    const Matched both = match(model, clean, shifted);
    const auto labels = span_of(both.labels);
    agreement::Options how;
    how.level = options_.level;
    how.bootstrap = options_.bootstrap;
    how.curve_points = options_.curve;
    how.seed = context_.seed;
    how.progress = context_.progress();
    how.clean_name = display_name(model.clean);
    how.shifted_name = display_name(path);

    PaResult result{.model = model.name,
                    .shifted = path,
                    .agreement = {},
                    .evidence = both.evidence,
                    .doubt = pair_doubt(both.evidence, model.clean, path),
                    .decomposition = {},
                    .sweep = {},
                    .entropy = {},
                    .confidence = {}};
    result.agreement = beta ? agreement::agreement_at(both.clean, both.shifted, *beta, labels, how)
                            : agreement::posterior_agreement(both.clean, both.shifted, labels, how);
    if (!result.doubt.empty() && both.evidence->differing_labels == 0)
      context_.warn("leeway: " + result.doubt);
    if (!labels.empty())
      result.decomposition = agreement::decompose(both.clean, both.shifted, labels, result.agreement.beta);
    if (options_.summaries) {
      const double betas[] = {1, result.agreement.beta};
      result.entropy = agreement::entropies(both.clean.joined(), both.shifted.joined(), labels, betas);
      result.confidence = agreement::confidences(both.clean.joined(), both.shifted.joined(), labels, betas);
    }
    if (!options_.ratios.empty()) {
      const auto norms = span_of(both.norms);
      if (norms.empty())
        context_.warn(fmt::format("leeway: {}: no norms: its rows are shifted in their order", path));
      agreement::Sweep sweep{labels, norms, options_.ratios, how, std::nullopt};
      if (result.agreement.fitted) sweep.whole = result.agreement;
      result.sweep = agreement::ratio_sweep(both.clean.joined(), both.shifted.joined(), sweep);
    }
    return result;
  }

  // Each pair of models under each shift.
  std::vector<PaGap> gaps_of(const std::vector<PaResult>& sets) {
    std::vector<PaGap> gaps;
    const std::size_t models = options_.models.size(), shifts = sets.size() / models;
    for (std::size_t shift = 0; shift < shifts; ++shift)
      for (std::size_t one = 0; one < models; ++one)
        for (std::size_t two = one + 1; two < models; ++two) {
          const PaResult &a = sets[one * shifts + shift], &b = sets[two * shifts + shift];
          if (a.agreement.k != b.agreement.k) {
            context_.warn(fmt::format("leeway: {} and {}: no gap between their ratios: {} and {} classes",
                                      a.shifted, b.shifted, a.agreement.k, b.agreement.k));
            continue;
          }
          const auto gap = agreement::ar_gap(a.sweep, b.sweep);
          gaps.push_back({shift, sets[shift].shifted, gap.first_is_plus ? a.model : b.model,
                          gap.first_is_plus ? b.model : a.model, gap.points});
        }
    return gaps;
  }

  Context& context_;
  const PaOptions& options_;
  std::vector<std::string> extra_inputs_;
};

}  // namespace

PaResults analyse_pa(Context& context, const PaOptions& options) { return Analysis(context, options).run(); }

}  // namespace leeway::app
