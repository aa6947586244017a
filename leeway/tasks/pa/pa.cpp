#include "leeway/tasks/pa/pa.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "leeway/agreement/confident_learning.h"
#include "leeway/core/linear_algebra.h"
#include "leeway/core/message.h"
#include "leeway/tasks/file_pattern.h"
#include "leeway/tasks/paired_rows.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using Labels = std::optional<std::vector<std::int64_t>>;

struct PaCleanSet {
  const NamedOutputs& named;
  OutputsShards outputs;
  Labels labels;
};

// Two sets row by row, as they stand or as a pairing puts them together.
struct Matched {
  Rows clean, shifted;
  Labels labels;
  std::optional<std::vector<double>> norms;
  std::optional<agreement::PairEvidence> evidence;
  std::vector<std::size_t> shifted_rows = {};  // of a pairing; empty: as they stand
};

template <class T>
std::optional<std::vector<T>> take(const std::optional<std::vector<T>>& values,
                                   const std::vector<std::size_t>& rows) {
  return values ? std::optional(at_rows(*values, rows)) : std::nullopt;
}

// Of paired rows: those of the first set and, where it has none, those of the second.
Labels joined(const Labels& first, const Labels& second) {
  if (!first || !second || first->size() != second->size()) return first ? first : second;
  Labels labels = first;
  for (std::size_t i = 0; i < labels->size(); ++i)
    if ((*labels)[i] == no_label) (*labels)[i] = (*second)[i];
  return labels;
}

template <class T>
std::span<const T> span_of(const std::optional<std::vector<T>>& values) {
  return values ? std::span<const T>(*values) : std::span<const T>();
}

void require_comparable(const std::vector<PaModel>& models) {
  if (models.empty()) refuse("pa", "at least one model", "none");
  std::set<std::string> names;
  for (const PaModel& model : models) {
    if (!names.insert(model.name).second)
      refuse("pa", "models with different names", fmt::format("{} twice", in_quotes(model.name)));
    if (model.shifted.empty()) refuse("pa", "at least one shifted set of " + in_quotes(model.name), "none");
    if (model.shifted.size() != models[0].shifted.size())
      refuse("pa",
             fmt::format("as many shifted sets for {} as for {} ({})", in_quotes(model.name),
                         in_quotes(models[0].name), models[0].shifted.size()),
             model.shifted.size());
  }
}

class PaAnalysis {
 public:
  PaAnalysis(const PaTask& task, Progress* progress) : task_(task), progress_(progress) {}

  Pa run() {
    require_comparable(task_.models);
    record_.options = task_.options;
    for (const PaModel& model : task_.models) add_model(model);
    if (several_models()) name_shifts();
    if (several_models() && !options().ratios.empty()) add_gaps();
    return clock_.finished(std::move(record_), task_.seed);
  }

 private:
  [[nodiscard]] const PaOptions& options() const { return task_.options; }
  [[nodiscard]] bool several_models() const { return task_.models.size() > 1; }
  void warn(std::string line) { record_.envelope.warnings.push_back(std::move(line)); }

  PaCleanSet open_clean(const PaModel& model) {
    PaCleanSet clean{model.clean, model.clean.open(), std::nullopt};
    give_labels(clean.outputs, task_.labels, record_.envelope.warnings);
    number_first(clean.outputs, model.shifted, record_.envelope.warnings);
    clean.labels = clean.outputs.rest.labels;
    return clean;
  }

  void add_model(const PaModel& model) {
    const PaCleanSet clean = open_clean(model);
    std::optional<double> beta;  // of the first shifted set, where it is shared
    const std::size_t total = task_.models.size() * model.shifted.size();
    for (const NamedOutputs& shifted : model.shifted) {
      record_.results.push_back(analyse(model, clean, shifted, beta));
      if (options().shared_beta && !beta) beta = record_.results.back().agreement.beta;
      if (progress_ != nullptr && total > 1) progress_->update("pa", record_.results.size(), total, "");
    }
  }

  [[nodiscard]] std::vector<agreement::RowPair> pairs_of(const PaCleanSet& clean, const NamedOutputs& named,
                                                         const OutputsShards& shifted) const {
    if (task_.pairs) return task_.pairs(clean.outputs.n(), shifted.n());
    const agreement::Sample first{display_name(clean.named.name), clean.outputs.logits.joined(),
                                  clean.outputs.rest.features, clean.labels};
    const agreement::Sample second{display_name(named.name), shifted.logits.joined(), shifted.rest.features,
                                   shifted.rest.labels};
    return agreement::pairing(options().pairing).pair(first, second, task_.seed);
  }

  Matched as_they_stand(const PaCleanSet& clean, const NamedOutputs& named, const OutputsShards& shifted) {
    const Outputs& rest = shifted.rest;
    if (clean.labels && rest.labels && !std::ranges::equal(*clean.labels, *rest.labels, same_label))
      warn(fmt::format("{}: its labels differ from the labels used: are its rows in the same order as in {}?",
                       named.name, clean.named.name));
    return {clean.outputs.logits, shifted.logits, joined(clean.labels, rest.labels), rest.norms,
            evidence_of({&clean.outputs.logits, &clean.outputs.rest, span_of(clean.labels)},
                        {&shifted.logits, &rest, {}})};
  }

  Matched match(const PaCleanSet& clean, const NamedOutputs& named, const OutputsShards& shifted) {
    if (options().pairing == "given" && !task_.pairs && !task_.save_pairs)
      return as_they_stand(clean, named, shifted);
    const auto pairs = pairs_of(clean, named, shifted);
    if (task_.save_pairs) task_.save_pairs(pairs);
    std::vector<std::size_t> clean_rows, shifted_rows;
    for (const auto& pair : pairs) clean_rows.push_back(pair.clean), shifted_rows.push_back(pair.shifted);
    const Outputs& rest = shifted.rest;
    return {clean.outputs.logits.take(clean_rows),
            shifted.logits.take(shifted_rows),
            rest.labels ? take(rest.labels, shifted_rows) : take(clean.labels, clean_rows),
            take(rest.norms, shifted_rows),
            std::nullopt,
            shifted_rows};
  }

  // p(c) of the kernel; empty: uniform.
  [[nodiscard]] std::vector<double> prior(std::span<const std::int64_t> labels, std::size_t k) const {
    if (options().prior != "labels") return task_.prior;
    std::vector<double> shares(k);
    for (const std::int64_t label : labels)
      if (label != no_label) ++shares[static_cast<std::size_t>(label)];
    const double total = sum(shares);
    for (std::size_t j = 0; j < k; ++j)
      if (shares[j] == 0) refuse("prior", "labels of every class", fmt::format("none of class {}", j));
    for (double& share : shares) share /= total;
    return shares;
  }

  [[nodiscard]] agreement::Options agreement_options(const PaCleanSet& clean,
                                                     const NamedOutputs& shifted) const {
    return {.level = options().level,
            .bootstrap = options().bootstrap,
            .seed = task_.seed,
            .curve_points = options().curve,
            .progress = progress_,
            .clean_name = display_name(clean.named.name),
            .shifted_name = display_name(shifted.name)};
  }

  PaSet analyse(const PaModel& model, const PaCleanSet& clean, const NamedOutputs& named,
                std::optional<double> beta) {
    OutputsShards shifted =
        opened_like(clean.outputs, named, record_.envelope.warnings, options().pairing.ends_with("nearest"));
    const Matched both = match(clean, named, shifted);
    const auto labels = span_of(both.labels);
    agreement::Options chosen = agreement_options(clean, named);
    chosen.prior = prior(labels, both.clean.shape()[1]);
    PaSet set;
    if (several_models()) set.model = model.name;
    set.shifted = named.name;
    set.pairing = both.evidence;
    set.doubt = pair_doubt(both.evidence, clean.named.name, named.name);
    set.agreement = beta ? agreement::agreement_at(both.clean, both.shifted, *beta, labels, chosen)
                         : agreement::posterior_agreement(both.clean, both.shifted, labels, chosen);
    if (!set.doubt.empty() && both.evidence->differing_labels == 0) warn(set.doubt);
    if (!labels.empty() && chosen.prior.empty())
      set.decomposition = {agreement::decompose(both.clean, both.shifted, labels, set.agreement.beta)};
    if (options().summaries) summarise(set, both.clean.joined(), both.shifted.joined(), labels);
    if (const std::size_t rows = options().suspects.value_or(0); rows > 0 && !labels.empty())
      set.suspects = suspects_of(both, labels, set.agreement.beta, rows);
    if (!options().ratios.empty()) set.ratios = sweep(named, both, set.agreement, chosen);
    return set;
  }

  static PaSuspects suspects_of(const Matched& both, std::span<const std::int64_t> labels, double beta,
                                std::size_t rows) {
    const bool of_clean = both.shifted_rows.empty();
    const auto found = agreement::confident_learning(of_clean ? both.clean : both.shifted, labels);
    const std::vector<double> agreements = agreement::agreement_per_row(both.clean, both.shifted, beta);
    PaSuspects suspects{of_clean, found.n, found.suspects, found.noise_rate, {}, {}};
    std::vector<SuspectRow> all;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      SuspectRow one{of_clean ? i : both.shifted_rows[i],
                     labels[i],
                     {},
                     found.self_confidence[i],
                     found.margin[i],
                     agreements[i]};
      if (found.suggested[i] >= 0) one.suggested = static_cast<std::size_t>(found.suggested[i]);
      all.push_back(one);
    }
    const auto least = [&](double SuspectRow::*score) {
      std::ranges::stable_sort(all, {}, score);
      return std::vector(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(rows, all.size())));
    };
    suspects.by_agreement = least(&SuspectRow::agreement);
    suspects.by_margin = least(&SuspectRow::margin);
    return suspects;
  }

  void summarise(PaSet& set, const Array& clean, const Array& shifted,
                 std::span<const std::int64_t> labels) const {
    const double betas[] = {1, set.agreement.beta};
    set.entropy = agreement::entropies(clean, shifted, labels, betas);
    set.confidence = agreement::confidences(clean, shifted, labels, betas);
    if (!set.decomposition) return;
    set.decomposition->initial = agreement::responses(clean, shifted, labels, betas[0], options().level);
    set.decomposition->optimal = agreement::responses(clean, shifted, labels, betas[1], options().level);
  }

  std::vector<agreement::RatioPoint> sweep(const NamedOutputs& named, const Matched& both,
                                           const agreement::Agreement& whole,
                                           const agreement::Options& chosen) {
    const auto norms = span_of(both.norms);
    if (norms.empty()) warn(fmt::format("{}: no norms: its rows are shifted in file order", named.name));
    agreement::Sweep all{span_of(both.labels), norms, options().ratios, chosen, std::nullopt};
    if (whole.fitted) all.whole = whole;
    return agreement::ratio_sweep(both.clean.joined(), both.shifted.joined(), all);
  }

  void name_shifts() {
    std::vector<PaSet>& sets = record_.results;
    std::vector<ModelPath> paths;
    for (const PaSet& set : sets) paths.push_back({set.model, set.shifted});
    const std::vector<std::string> names = shift_names(paths, task_.models[0].shifted.size());
    for (std::size_t i = 0; i < sets.size(); ++i) sets[i].shift = names[i % names.size()];
  }

  void add_gaps() {
    const std::vector<PaSet>& sets = record_.results;
    const std::size_t models = task_.models.size(), shifts = sets.size() / models;
    for (std::size_t shift = 0; shift < shifts; ++shift)
      for (std::size_t one = 0; one < models; ++one)
        for (std::size_t two = one + 1; two < models; ++two) {
          const PaSet &a = sets[one * shifts + shift], &b = sets[two * shifts + shift];
          if (a.agreement.k != b.agreement.k) {
            warn(fmt::format("{} and {}: no AR gap, because they have {} and {} classes", a.shifted,
                             b.shifted, a.agreement.k, b.agreement.k));
            continue;
          }
          const auto gap = agreement::ar_gap(a.ratios, b.ratios);
          record_.ar_gap.push_back({sets[shift].shifted, sets[shift].shift,
                                    gap.first_is_plus ? a.model : b.model,
                                    gap.first_is_plus ? b.model : a.model, gap.points});
        }
  }

  const TaskClock clock_;
  const PaTask& task_;
  Progress* progress_;
  Pa record_;
};

}  // namespace

GivenPairs pairs_of_file(InputLog& log, const std::string& path) {
  return [&log, path](std::size_t clean_rows, std::size_t shifted_rows) {
    auto pairs = agreement::read_pairs(path, clean_rows, shifted_rows);
    if (!log.has(path)) log.add(path, {pairs.size(), 2});
    return pairs;
  };
}

std::vector<double> prior_of_file(InputLog& log, const PaOptions& options) {
  if (!options.prior || *options.prior == "uniform" || *options.prior == "labels") return {};
  return to_f64(only_array(log, *options.prior), *options.prior);
}

Pa pa(const PaTask& task, Progress* progress) { return PaAnalysis(task, progress).run(); }

std::vector<std::string> unproved_maxima(const Pa& record) {
  std::vector<std::string> lines;
  for (const PaSet& set : record.results) {
    note_unproved(lines, set.shifted, set.agreement);
    for (const auto& [ratio, shifted, a] : set.ratios)
      note_unproved(lines, fmt::format("{} at ratio {:g}", set.shifted, ratio), a);
  }
  return lines;
}

}  // namespace leeway::tasks
