#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "apps/leeway/tables.h"
#include "apps/leeway/text_table.h"
#include "leeway/core/numbers.h"
#include "leeway/core/text.h"
#include "leeway/tasks/assess/gates.h"

namespace leeway::app {
namespace {

// "74.0 [73.1 74.9]" in units of 1/scale; digits one finer than the interval is wide.
std::string with_interval(const Measured& measured, double scale) {
  if (!measured.value) return "-";
  if (!measured.low || !measured.high)
    return fmt::format("{:.{}f}", scale * *measured.value, scale > 1 ? 1 : 3);
  const double low = scale * *measured.low, high = scale * *measured.high;
  const int digits = std::min(3, percent_digits(high - low) + (high - low < 10 ? 1 : 0));
  return fmt::format("{:.{}f} [{:.{}f} {:.{}f}]", scale * *measured.value, digits, low, digits, high, digits);
}

std::string single(const std::optional<double>& value, double scale, const char* format) {
  if (!value) return "-";
  return std::isinf(*value) ? "inf" : fmt::format(fmt::runtime(format), scale * *value);
}

std::string worst_class(const record::AssessResult& result) {
  const record::AssessCell* cell = result.worst_class();
  if (cell == nullptr) return "-";
  const std::string name = shown(cell->name);
  if (cell->accuracy.value) return fmt::format("{}: {:.0f}", name, 100 * *cell->accuracy.value);
  if (cell->afr_pred.value) return fmt::format("{} ({:.0f})", name, 100 * *cell->afr_pred.value);
  return "-";
}

std::string assess_level_text(const record::Assess& record) {
  return fmt::format(" [{:g}%]", 100 * record.level);
}

// A table whose first columns are the model, where there are several, and `rest`.
TextTable model_table(const std::vector<Column>& rest) {
  std::vector<Column> columns{left("model", 0, 8)};
  columns.insert(columns.end(), rest.begin(), rest.end());
  return TextTable(std::move(columns), 2);
}

std::string text_of(TextTable table, const record::Assess& record) {
  if (record.models.size() == 1) table.drop(0);
  return table.text();
}

std::string results_table(const record::Assess& record) {
  const std::string level = assess_level_text(record);
  TextTable table =
      model_table({left("target", 0, 10), right("n"), right("source"), right("accuracy" + level),
                   right("AFR"), right("agreement" + level), right("beta"), right("worst class", 0, 11)});
  for (const record::AssessResult& result : record.results)
    table.add(shown(result.model), shown(result.target), result.n,
              single(result.source_accuracy.value, 100, "{:.1f}"), with_interval(result.accuracy, 100),
              single(result.afr_pred.value, 100, "{:.1f}"), with_interval(result.pa, 1),
              single(result.beta, 1, "{:.3g}"), worst_class(result));
  return text_of(std::move(table), record);
}

std::string name_of(const record::Assess& record, const record::AssessResult& result) {
  return record.models.size() > 1 ? fmt::format("{} ({})", result.target, result.model) : result.target;
}

// What is said of errors without the target's labels; empty where nothing is.
std::string bounds_table(const record::Assess& record) {
  const auto percent = [](const std::optional<double>& share) { return single(share, 100, "{:.1f}"); };
  std::vector<Column> columns{left("target", 0, 10), right("estimate"), right("likely range"),
                              right("at most")};
  for (const error_bound::Estimator& member : error_bound::answer_estimators())
    columns.push_back(right(std::string(member.name)));
  columns.push_back(right("true"));
  TextTable table = model_table(columns);
  bool any = false;
  for (const record::AssessResult& result : record.results) {
    any |= result.error_bound.has_value() || !result.estimates.empty();
    const auto& likely = result.likely_error;
    std::vector<std::string> cells{
        shown(result.model), shown(result.target), likely ? percent(likely->error.value) : "-",
        likely ? fmt::format("{:.0f} to {:.0f}", 100 * likely->low, 100 * likely->high) : "-",
        percent(result.error_bound)};
    for (const error_bound::Estimator& member : error_bound::answer_estimators()) {
      const auto found = std::ranges::find(result.estimates, &member, &error_bound::Estimate::estimator);
      cells.push_back(found == result.estimates.end() ? "-" : percent(found->error));
    }
    cells.push_back(result.accuracy.value ? percent(1 - *result.accuracy.value) : "-");
    table.add(std::move(cells));
  }
  return any ? text_of(std::move(table), record) : "";
}

// What labels say beside accuracy: of every target, and of every model's source.
std::string quality_table(const record::Assess& record) {
  TextTable table = model_table({left("set", 0, 10), right("balanced"), right("macro F1"), right("AUROC"),
                                 right("log loss"), right("Brier"), right("ECE")});
  const auto add = [&](const record::AssessResult& result, const std::string& set,
                       const record::AssessQuality& found) {
    table.add(shown(result.model), shown(set), with_interval(found.balanced_accuracy, 100),
              with_interval(found.macro_f1, 100), with_interval(found.auroc, 100),
              single(found.log_loss.value, 1, "{:.3f}"), single(found.brier.value, 1, "{:.3f}"),
              single(found.ece.value, 100, "{:.1f}"));
  };
  const std::string* model = nullptr;
  bool any = false;
  for (const record::AssessResult& result : record.results) {
    if ((model == nullptr || *model != result.model) && result.source_quality)
      model = &result.model, add(result, "source", *result.source_quality);
    if (result.quality) any = true, add(result, result.target, *result.quality);
  }
  return any ? text_of(std::move(table), record) : "";
}

// The sub-groups that are clearly weaker than the other rows.
std::string subgroup_lines(const record::Assess& record) {
  std::string text;
  for (const record::AssessResult& result : record.results) {
    if (!result.subgroups || result.subgroups->list.empty()) continue;
    const record::AssessSubgroups& found = *result.subgroups;
    const auto weak = std::ranges::find_if(found.list, &record::Subgroup::clear);
    const std::string name = name_of(record, result);
    const std::string said =
        weak == found.list.end()
            ? "no subgroup is clearly weaker than the other rows"
            : fmt::format("{}, {}% of {} right, {} points against other rows", subgroup_name(*weak),
                          with_interval(weak->accuracy, 100), weak->n, with_interval(weak->difference, 100));
    text += wrapped(shown(fmt::format("{}: {} (of {} searched)", name, said, found.searched)));
  }
  return text;
}

// What the outputs show of every shift.
std::string moved_lines(const record::Assess& record) {
  std::string text;
  for (const record::AssessResult& result : record.results)
    if (result.likely_error)
      text += wrapped(shown(fmt::format("{}: {}.", name_of(record, result), result.likely_error->moved)));
  return text;
}

// The columns that moved, one line a result.
std::string drift_lines(const record::Assess& record) {
  std::string text;
  for (const record::AssessResult& result : record.results) {
    if (!result.drift) continue;
    const record::AssessDrift& drift = *result.drift;
    const std::string name = name_of(record, result);
    std::string moved;
    const auto add = [&](const record::DriftTest& test) {
      if (test.p_value > 1 - record.level) return;
      const std::string p = record::p_words(test.p_value);
      moved += fmt::format("{}{} p {}", moved.empty() ? "" : "; ", test.name, p[0] == '<' ? p : "= " + p);
      if (const std::string values = moved_words(test, result.source_n, result.n); !values.empty())
        moved += ", " + values;
      if (test.mean_change.value)
        moved += fmt::format(", {:.0f}% to {:.0f}% on average", 100 * result.confidence.clean_mean,
                             100 * result.confidence.shifted_mean);
    };
    add(drift.classes);
    add(drift.confidence);
    for (const record::DriftTest& group : drift.groups) add(group);
    text += wrapped(shown(fmt::format("{}: {}", name,
                                      moved.empty() ? fmt::format("no drift in {} tests (smallest p = {})",
                                                                  drift.tests, record::p_words(drift.p_value))
                                                    : moved)));
    if (!drift.left_out.empty())
      text += wrapped(
          shown(fmt::format("{}: only one of source and target has {}", name, list_of(drift.left_out))));
  }
  return text;
}

// The class with the lowest mean at that sigma: "shirt: 41".
std::string least_robust(const record::Robustness& found, double sigma) {
  const record::ClassSurvival* least = nullptr;
  for (const record::ClassComparison& comparison : found.class_bias)
    if (comparison.sigma == sigma)
      for (const record::ClassSurvival& one : comparison.classes)
        if (one.of.distribution.n != 0 &&
            (least == nullptr || one.of.distribution.mean < least->of.distribution.mean))
          least = &one;
  if (least == nullptr) return "-";
  const std::string name = shown(least->name), number = std::to_string(least->of.label);
  return fmt::format("{}: {:.0f}", name == number ? "class " + name : name,
                     100 * least->of.distribution.mean);
}

// What is said of predictions under noise, by each model's leading method.
std::string noise_lines(const record::Assess& record) {
  TextTable table =
      model_table({right("n"), left("method"), right("sigma"), right("survives" + assess_level_text(record)),
                   right("1 in 20"), right("median"), right("least robust class", 0, 18)});
  std::string warnings;
  for (const record::ModelUnderNoise& model : record.average_case) {
    const record::Robustness& found = model.found;
    for (const std::string& warning : model.warnings)
      warnings += wrapped(fmt::format("warning: {}: {}", shown(model.model), shown(warning)));
    for (const record::Survival& result : found.results) {
      if (result.method != found.leading) continue;
      const average_case::Distribution& p = result.p;
      table.add(shown(model.model),
                found.n < model.source_n ? fmt::format("{} of {}", found.n, model.source_n)
                                         : std::to_string(found.n),
                result.method, fmt::format("{:g}", result.sigma),
                p.interval ? with_interval({p.mean, p.interval->low, p.interval->high}, 100)
                           : single(p.mean, 100, "{:.1f}"),
                single(p.quantiles[1], 100, "{:.1f}"), single(p.quantiles[3], 100, "{:.1f}"),
                least_robust(found, result.sigma));
    }
  }
  return warnings + text_of(std::move(table), record) +
         wrapped(
             "n: first rows of the source. survives: mean probability in % that the prediction is unchanged "
             "under noise. 1 in 20, median: its 5% and 50% quantiles over these rows.");
}

// The strongest shifts of labels and groups, of each target that has any, or within the source.
std::string shift_lines(const record::Assess& record) {
  constexpr std::size_t most = 3;
  std::string text;
  for (const record::AssessShifts& one : record.shifts) {
    const conds::Description& said = one.shifts.description;
    std::string name = one.target.empty() ? "source alone" : shown(one.target);
    if (one.models.size() < record.models.size())
      name += fmt::format(" ({})", shown(fmt::format("{}", fmt::join(one.models, ", "))));
    const auto& findings = said.findings;
    if (findings.empty()) text += fmt::format("{}: none found in {} tests\n", name, said.tests);
    for (std::size_t i = 0; i < std::min(most, findings.size()); ++i)
      text += wrapped(fmt::format("{}: {}", name, shown(findings[i].text)));
    if (!one.left_out.empty())
      text += wrapped(fmt::format("{}: left out (too many cells): {}", name,
                                  shown(fmt::format("{}", fmt::join(one.left_out, ", ")))));
    if (findings.size() > most) text += fmt::format("{}: and {} more\n", name, findings.size() - most);
  }
  return text;
}

// One line for each column with dashes and reason: "accuracy: the target has no labels (prod, week 2)".
std::string footnotes(const record::Assess& record) {
  std::vector<std::pair<std::string, std::string>> keys{{"accuracy", "accuracy"},
                                                        {"pa", "AFR, agreement, beta"},
                                                        {"worst_class", "worst class"},
                                                        {"error_bound", "upper bound on the error"},
                                                        {"estimates", "estimates of the error"}};
  for (const record::AssessResult& result : record.results)
    for (const auto& [key, reason] : result.not_computed) {
      std::pair entry{key, record::quality_gap_words(key)};
      const bool covered =
          key.ends_with("_low") && result.not_computed.contains(key.substr(0, key.rfind('_')));
      if (!covered && !key.ends_with("_high") && !entry.second.empty() &&
          !key.starts_with("quality_change") && std::ranges::find(keys, entry) == keys.end())
        keys.push_back(std::move(entry));
    }
  std::string text;
  for (const auto& [key, title] : keys) {
    std::map<std::string, std::vector<std::string>> reasons;
    for (const record::AssessResult& result : record.results) {
      const auto found = result.not_computed.find(key);
      if (found == result.not_computed.end()) continue;
      append_new(reasons[shown(found->second)], shown(result.target));
    }
    for (const auto& [reason, targets] : reasons) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(3, targets.size()); ++i)
        names += (i ? ", " : "") + targets[i];
      if (targets.size() > 3) names += ", ...";
      text += fmt::format("-  {}: {} ({})\n", title, reason, names);
    }
  }
  return text;
}

std::string legend(const record::Assess& record) {
  bool by_flips = false;
  for (const record::AssessResult& result : record.results)
    by_flips |= result.worst_class() != nullptr && !result.worst_class()->accuracy.value;
  std::string text =
      "In %: source (accuracy on the source), accuracy, AFR (predictions unchanged), worst class (its "
      "accuracy); agreement from 0 to log k = " +
      fmt::format("{:.2f}", std::log(static_cast<double>(record.k()))) + ".";
  if (by_flips)
    text += " In parentheses: without labels, the class whose predictions change most, and its AFR.";
  return text;
}

// Means over seeds; empty where there is one seed of everything.
std::string seeds_lines(const record::Assess& record) {
  if (!record.seeds) return "";
  TextTable table({left("model", 0, 8), left("target", 0, 10), right("seeds"),
                   right("accuracy" + assess_level_text(record)), right("AFR" + assess_level_text(record)),
                   right("agreement" + assess_level_text(record))});
  for (const record::SeedsOfOne& one : record.seeds->sets)
    table.add(shown(one.model), shown(one.target), one.results.size(), with_interval(one.accuracy, 100),
              with_interval(one.afr_pred, 100), with_interval(one.pa, 1));
  return table.text();
}

}  // namespace

std::string assess_text(const record::Assess& record) {
  std::string text = wrapped(shown(record.envelope.headline)) + "\n" + results_table(record) + "\n" +
                     wrapped(legend(record));
  if (const std::string seeds = seeds_lines(record); !seeds.empty())
    text += "\nMeans over seeds, with Student's intervals\n" + seeds;
  text += timelines_text(record);
  if (const std::string bounds = bounds_table(record); !bounds.empty())
    text += "\nError on the target without its labels, in %\n" + bounds + moved_lines(record) +
            wrapped(fmt::format("{} {}", record.bounds->likely, record.bounds->assumption));
  if (const std::string quality = quality_table(record); !quality.empty())
    text += "\nOther measures from labels, in % (except log loss and Brier score)\n" + quality;
  if (const std::string weak = subgroup_lines(record); !weak.empty())
    text += "\nWeakest subgroups, found on one half of the rows and measured on the other\n" + weak;
  if (const std::string drift = drift_lines(record); !drift.empty())
    text +=
        fmt::format("\nDrift between source and target (p-values adjusted by Holm's method, level {:.2g})\n",
                    1 - record.level) +
        drift;
  if (!record.average_case.empty())
    text += "\nPredictions under noise of standard deviation sigma\n" + noise_lines(record);
  if (!record.shifts.empty())
    text += "\nShifts of labels and groups between source and target\n" + shift_lines(record);
  text += footnotes(record);
  for (const record::AssessGate& gate : record.gates)
    text += assess::describe(gate, record.results.size()) + "\n";
  return text;
}

}  // namespace leeway::app
