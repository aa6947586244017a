#include "apps/leeway/pa_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/leeway/pa_record.h"
#include "leeway/core/message.h"

namespace leeway::app {
namespace {

constexpr std::size_t widest_name = 36;

std::string beta_text(double beta) { return std::isinf(beta) ? "inf" : fmt::format("{:.4g}", beta); }

// A name without the control characters that a file's or a model's may hold.
std::string shown(const std::string& name) { return printable(name, std::string::npos); }

// PA [interval] beta AFR(P) AFR(T), as results and sweeps show them.
std::string cells_of(const agreement::Agreement& a) {
  return fmt::format("{:>8.4f}  {:<16} {:>9} {:>7.4f} {:>7}\n", a.pa,
                     fmt::format("[{:.4f}, {:.4f}]", a.pa_interval.low, a.pa_interval.high),
                     (a.fitted ? "" : "=") + beta_text(a.beta), a.afr_pred,
                     a.afr_true ? fmt::format("{:.4f}", *a.afr_true) : "-");
}

std::string cells_header(const std::string& interval) {
  return fmt::format("{:>8}  {:<16} {:>9} {:>7} {:>7}\n", "PA", interval, "beta", "AFR(P)", "AFR(T)");
}

// Every set's file, after its model where there are several; a long path is cut at its beginning.
std::vector<std::string> names_of(const PaResults& results) {
  std::vector<std::string> names;
  for (const PaResult& set : results.sets) {
    const std::string model = results.several_models ? shown(set.model) + ": " : "";
    const std::size_t room = std::max<std::size_t>(16, widest_name - std::min(widest_name, model.size()));
    const std::string path = shown(set.shifted);
    names.push_back(model + (path.size() > room ? "..." + path.substr(path.size() - room + 3) : path));
  }
  return names;
}

std::size_t width_of(const std::vector<std::string>& names) {
  std::size_t width = 7;
  for (const auto& name : names) width = std::max(width, name.size());
  return width;
}

std::string agreement_table(const PaResults& results, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format("{:<{}} {:>9} {:>5} {}", "shifted", width, "n", "k",
                                 cells_header(fmt::format("[{:g}% interval]", 100 * results.level)));
  bool one_k = true, shared = false;
  const std::size_t k = results.sets.front().agreement.k;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& a = results.sets[i].agreement;
    text += fmt::format("{:<{}} {:>9} {:>5} {}", names[i], width, a.n, a.k, cells_of(a));
    one_k &= a.k == k;
    shared |= !a.fitted;
  }
  text +=
      fmt::format("PA: posterior agreement, 0 to log k{}; AFR(P), AFR(T): predictions unchanged, right.\n",
                  one_k ? fmt::format(" = {:.4f}", std::log(static_cast<double>(k))) : "");
  if (shared) text += "=: the beta of the first shifted set, not the best for this one.\n";
  return text;
}

std::string gap_line(const PaGap& gap, const std::string& shift) {
  const auto reached = std::find_if(gap.points.rbegin(), gap.points.rend(),
                                    [](const auto& point) { return point.ratio_minus.has_value(); });
  if (reached == gap.points.rend())
    return fmt::format("{}: {} starts below the least PA of {}\n", shown(shift), shown(gap.minus),
                       shown(gap.plus));
  return fmt::format("{}: at {:.3g}% shifted samples, {} is where {} is at {:.3g}% (PA {:.4f})\n",
                     shown(shift), 100 * *reached->ratio_minus, shown(gap.minus), shown(gap.plus),
                     100 * reached->ratio_plus, reached->pa);
}

std::string sweep_table(const std::string& name, const std::vector<agreement::RatioPoint>& sweep) {
  std::string text = fmt::format(
      "\n{}: the share of its samples that are shifted; smallest norms first, if known\n{:>7} {:>9} {}", name,
      "ratio", "shifted", cells_header("[interval]"));
  for (const auto& [ratio, shifted, a] : sweep)
    text += fmt::format("{:>7.4g} {:>9} {}", ratio, shifted, cells_of(a));
  return text;
}

std::string entropy_table(const PaResults& results, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format(
      "\nentropy of the posteriors in bits: rows sorted, then averaged over the samples right before the "
      "shift,\nor over all where there are no labels\n"
      "{:<{}} {:>9} {:>6} {:>9} {:>8} {:>8}\n",
      "shifted", width, "samples", "over", "beta", "clean", "shifted");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& entropy = results.sets[i].entropy;
    for (const auto& at : entropy->at)
      text += fmt::format("{:<{}} {:>9} {:>6} {:>9} {:>8.4f} {:>8.4f}\n", names[i], width, entropy->samples,
                          entropy->right_only ? "right" : "all", beta_text(at.beta), at.clean, at.shifted);
  }
  return text;
}

std::string mean_text(const agreement::ConfidenceAt& at) {
  if (std::isnan(at.mean)) return "-";
  return std::isnan(at.standard_error) ? fmt::format("{:.4f}", at.mean)
                                       : fmt::format("{:.4f} +- {:.4f}", at.mean, at.standard_error);
}

std::string confidence_table(const PaResults& results, const std::vector<std::string>& names) {
  const std::size_t width = width_of(names);
  std::string text = fmt::format(
      "\nmean confidence +- standard error: clean where right; shifted where the prediction moved\n"
      "{:<{}} {:>9} {:>9} {:<16} {:>9} {}\n",
      "shifted", width, "beta", "n", "clean, right", "n", "shifted, moved");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& [right, moved] = *results.sets[i].confidence;
    for (std::size_t b = 0; b < moved.at.size(); ++b)
      text += fmt::format("{:<{}} {:>9} {:>9} {:<16} {:>9} {}\n", names[i], width,
                          beta_text(moved.at[b].beta), right ? fmt::format("{}", right->n) : "-",
                          right ? mean_text(right->at[b]) : "-", moved.n, mean_text(moved.at[b]));
  }
  return text;
}

}  // namespace

std::vector<std::string> unproved_maxima(const PaResults& results) {
  std::vector<std::string> lines;
  const auto check = [&](const std::string& name, const agreement::Agreement& a) {
    if (a.fitted && !a.converged)
      lines.push_back(fmt::format(
          "{}: its maximum is proved to {:.2g} only, not to {:.0e}, after {} evaluations: another "
          "beta may give that much more, hence exit code 5",
          name, a.gap, agreement::Options{}.gap, a.evaluations));
  };
  for (const PaResult& set : results.sets) {
    check(set.shifted, set.agreement);
    for (const auto& [ratio, shifted, a] : set.sweep)
      check(fmt::format("{} at ratio {:g}", set.shifted, ratio), a);
  }
  return lines;
}

std::string pa_text(const PaResults& results) {
  const std::vector<std::string> names = names_of(results);
  std::string text;
  for (const PaResult& set : results.sets)
    if (!set.doubt.empty()) text += set.doubt + "\n";
  text += agreement_table(results, names);
  if (!results.gaps.empty()) text += '\n';
  const std::vector<std::string> shifts = pa_shift_names(results);
  for (const PaGap& gap : results.gaps) {
    const bool one_name = results.sets[gap.place].shifted.find(shifts[gap.place]) != std::string::npos;
    text += gap_line(gap, one_name ? gap.shifted : shifts[gap.place]);
  }
  for (const PaResult& set : results.sets)
    if (!set.sweep.empty())
      text += sweep_table(shown(results.several_models ? set.model + ": " + set.shifted : set.shifted),
                          set.sweep);
  if (results.sets.front().entropy) text += entropy_table(results, names);
  if (results.sets.front().confidence) text += confidence_table(results, names);
  return text;
}

}  // namespace leeway::app
