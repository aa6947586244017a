// How far the methods are from Monte Carlo, how they settle and what they cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/average_case_lines.h"
#include "leeway/report/average_case_view.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

using record::ConvergenceStep;
using record::mean_of;
using record::MonteCarloError;
using record::points_words;
using record::Survival;

Cell points_cell(double share) { return number_cell(100 * share, points_words(share)); }

// Points with their interval; digits by it.
Cell error_cell(const average_case::AgainstMonteCarlo& error) {
  Cell cell = points_cell(error.mean_absolute);
  const auto& [low, high] = error.interval;
  const int decimals = decimals_for(50 * (high - low), 2);
  cell.low = 100 * low, cell.high = 100 * high;
  cell.html =
      fmt::format("<b>{}</b> <span class=\"iv\">{}–{}</span>", fixed(100 * error.mean_absolute, decimals),
                  fixed(100 * low, decimals), fixed(100 * high, decimals));
  return cell;
}

std::string error_table(const RobustnessView& record) {
  Table table(
      "Distance from Monte Carlo, in points of probability",
      {{"Method", "", false},
       {"σ", ""},
       {"Mean distance", "Of |p - p of Monte Carlo|, over samples", true, true},
       {"Monte Carlo alone", "What it would show against itself: less than this cannot be told from none"},
       {"Root mean square", ""},
       {"Largest", "Of any sample"},
       {"Bias", "Mean of p - p of Monte Carlo: above 0 the method is too hopeful"},
       {"Rank correlation", "Spearman's: 1 where both put samples in the same order"},
       {"n", ""}});
  std::vector<const MonteCarloError*> worst_first;
  for (const MonteCarloError& error : record.found.against_monte_carlo) worst_first.push_back(&error);
  std::ranges::stable_sort(worst_first, [](const auto* a, const auto* b) {
    return a->error.mean_absolute > b->error.mean_absolute;
  });
  for (const MonteCarloError* one : worst_first) {
    const average_case::AgainstMonteCarlo& error = one->error;
    table.add({text_cell(one->method), number_cell(one->sigma, sigma_words(one->sigma)), error_cell(error),
               points_cell(error.floor), points_cell(error.root_mean_square), points_cell(error.largest),
               points_cell(error.bias),
               error.rank ? number_cell(*error.rank, fixed(*error.rank, 2))
                          : dash_cell("all samples tie in one of the two"),
               count_cell(record.found.n)});
  }
  table.sorted_by(2, false);
  return table.html();
}

Line error_line(const RobustnessView& record, const std::string& method, std::size_t slot) {
  Line line{method, slot, {}};
  for (const double sigma : record.sigmas)
    for (const MonteCarloError& error : record.found.against_monte_carlo)
      if (error.method == method && error.sigma == sigma)
        line.points.push_back({sigma, mean_of(error.error), sigma_words(sigma),
                               fmt::format("σ = {}\nmean distance {}\nn = {}", sigma_words(sigma),
                                           value_words(mean_of(error.error), true), count(record.found.n))});
  return line;
}

Line floor_line(const RobustnessView& record, std::size_t slot) {
  Line line{"chance alone", slot, {}};
  for (const double sigma : record.sigmas)
    for (const MonteCarloError& error : record.found.against_monte_carlo)
      if (error.sigma == sigma) {
        line.points.push_back({sigma,
                               {error.error.floor, {}, {}},
                               sigma_words(sigma),
                               fmt::format("σ = {}\nMonte Carlo against itself {}", sigma_words(sigma),
                                           percent(error.error.floor, 2))});
        break;
      }
  return line;
}

// Probabilities and scores apart, since scores are several times further off; each beside the floor.
std::string error_charts(const RobustnessView& record) {
  std::string out;
  for (const bool probabilities : {true, false}) {
    std::vector<Line> lines;
    const std::vector<std::string> methods = record.of_kind(probabilities);
    for (std::size_t slot = 0; slot < std::min(methods.size(), series - 1); ++slot)
      if (Line line = error_line(record, methods[slot], slot); !line.points.empty())
        lines.push_back(std::move(line));
    if (lines.empty()) continue;
    if (Line floor = floor_line(record, series - 1); !floor.points.empty()) lines.push_back(std::move(floor));
    out += sigma_charts(probabilities ? "Distance from Monte Carlo" : "Distance of scores",
                        probabilities ? "mean over samples" : "from Monte Carlo, on another scale", lines,
                        record.sigmas, 1);
  }
  return out;
}

// -- Convergence

std::vector<const ConvergenceStep*> steps_of(const RobustnessView& record, const std::string& method) {
  std::vector<const ConvergenceStep*> steps;
  for (const ConvergenceStep& step : record.found.convergence)
    if (step.point.method == method) steps.push_back(&step);
  return steps;
}

std::vector<std::string> settling(const RobustnessView& record) {
  std::vector<std::string> methods;
  for (const ConvergenceStep& step : record.found.convergence)
    if (std::ranges::find(methods, step.point.method) == methods.end()) methods.push_back(step.point.method);
  return methods;
}

std::size_t largest_number(const std::vector<const ConvergenceStep*>& steps) {
  std::size_t most = 0;
  for (const ConvergenceStep* step : steps) most = std::max(most, step->point.copies);
  return most;
}

// At most `series` noises, the weakest and the strongest among them.
std::vector<double> some_sigmas(const std::vector<double>& sigmas) {
  if (sigmas.size() <= series) return sigmas;
  std::vector<double> some;
  for (std::size_t i = 0; i < series; ++i) some.push_back(sigmas[i * (sigmas.size() - 1) / (series - 1)]);
  return some;
}

std::string convergence_charts(const RobustnessView& record) {
  std::vector<double> numbers;
  for (const ConvergenceStep& step : record.found.convergence)
    if (step.point.copies < largest_number(steps_of(record, step.point.method)))
      numbers.push_back(static_cast<double>(step.point.copies));
  if (numbers.empty()) return "";
  ValueAxis axis = value_axis(numbers);
  axis.logarithmic = true;
  LineAxes axes;
  axis.put_on(axes);
  axes.x_title = "noisy copies, logarithmic";
  axes.percent = true;
  axes.height = 200;
  axes.name_length = 8;
  std::vector<std::vector<Line>> panels;
  std::vector<Line> all;
  for (const std::string& method : settling(record)) {
    const auto steps = steps_of(record, method);
    std::vector<Line> lines;
    for (const double sigma : some_sigmas(record.sigmas)) {
      Line line{"σ " + sigma_words(sigma), lines.size(), {}};
      for (const ConvergenceStep* step : steps)
        if (step->point.sigma == sigma && step->point.copies < largest_number(steps))
          line.points.push_back({axis.position(static_cast<double>(step->point.copies)),
                                 {step->point.mean_change, {}, {}},
                                 count(step->point.copies),
                                 fmt::format("{} copies\np changes by {} on average\nand by {} at most",
                                             count(step->point.copies), percent(step->point.mean_change, 2),
                                             percent(step->point.most_change, 1))});
      if (!line.points.empty()) lines.push_back(std::move(line));
    }
    all.insert(all.end(), lines.begin(), lines.end());
    panels.push_back(std::move(lines));
  }
  axes = fit_y(axes, all, 0, 1);
  std::vector<Chart> charts;
  const auto methods = settling(record);
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (!panels[i].empty())
      charts.push_back(line_chart(methods[i],
                                  fmt::format("mean change of p against {} copies",
                                              count(largest_number(steps_of(record, methods[i])))),
                                  panels[i], axes));
  return panels_html(charts);
}

std::string convergence_table(const RobustnessView& record) {
  Table table("Change of p against the largest number of copies, in points",
              {{"Method", "", false},
               {"σ", ""},
               {"Copies", "M of Monte Carlo, N of mmse"},
               {"Mean change", "Over samples"},
               {"Largest change", "Of any sample"},
               {"n", ""}});
  for (const ConvergenceStep& step : record.found.convergence) {
    const bool last = step.point.copies == largest_number(steps_of(record, step.point.method));
    const char* const itself = "the largest number: others are held against it";
    table.add({text_cell(step.point.method), number_cell(step.point.sigma, sigma_words(step.point.sigma)),
               count_cell(step.point.copies), last ? dash_cell(itself) : points_cell(step.point.mean_change),
               last ? dash_cell(itself) : points_cell(step.point.most_change), count_cell(step.n)});
  }
  return fmt::format("<details class=\"more\"><summary>All figures ({} rows)</summary>\n{}</details>\n",
                     count(record.found.convergence.size()), table.html(2));
}

// -- Time

Cell in_model_cell(const Survival& result) {
  if (!(result.seconds > 0)) return dash_cell("too short to measure");
  const double share = std::clamp(result.model_seconds / result.seconds, 0., 1.);
  return number_cell(share, percent(share));
}

double milliseconds_each(const Survival& result) {
  return result.seconds / static_cast<double>(std::max<std::size_t>(1, result.p.n)) * 1e3;
}

std::string runtime_heading(const RobustnessView& record) {
  const Survival& leading = record.found.strongest();
  const Survival* const truth = record.found.find("mc", leading.sigma);
  std::string text = fmt::format("{} takes {} ms a sample", escape(leading.method),
                                 significant(milliseconds_each(leading), 2));
  if (truth != nullptr && truth != &leading)
    text += fmt::format(", Monte Carlo {} ms", significant(milliseconds_each(*truth), 2));
  return text + fmt::format(" ({})", record::at_sigma(leading.sigma));
}

}  // namespace

Section error_section(const RobustnessView& record) {
  Section section{"error", "Error", "", ""};
  if (record.found.against_monte_carlo.empty()) {
    section.heading = "How far these figures are from the truth is not known";
    section.body =
        paragraph(record.found.find("mc", record.sigmas.back()) != nullptr
                      ? "Monte Carlo was the only method, and nothing stands beside it."
                      : "Monte Carlo was not asked for, which would tell: <code>--methods mc,...</code> runs "
                        "the model on "
                        "many noisy copies of every sample. It needs the model, not only its outputs.");
    return section;
  }
  section.heading = escape(record::error_finding(record.found));
  section.body =
      paragraph(
          "Monte Carlo counts how many noisy copies keep their prediction: slow, and right up to "
          "chance. The distance of a method from it holds both its own error and that chance, which "
          "the line <em>chance alone</em> shows: a method on it cannot be told from the truth.") +
      error_charts(record) + error_table(record);
  return section;
}

Section convergence_section(const RobustnessView& record) {
  Section section{"convergence", "Convergence", "", ""};
  if (record.found.convergence.empty()) return section;
  std::vector<std::string> found;
  for (const std::string& method : settling(record)) {
    const ConvergenceStep* last = nullptr;
    const auto steps = steps_of(record, method);
    for (const ConvergenceStep* step : steps)
      if (step->point.sigma == record.sigmas.back() && step->point.copies < largest_number(steps) &&
          (last == nullptr || step->point.copies > last->point.copies))
        last = step;
    if (last != nullptr)
      found.push_back(fmt::format("{} still moves by {} points from {} to {} copies", escape(method),
                                  points_words(last->point.mean_change), count(last->point.copies),
                                  count(largest_number(steps))));
  }
  section.heading = found.empty()
                        ? std::string("One number of copies alone, so nothing says whether it is enough")
                        : fmt::format("At σ = {} {}", sigma_words(record.sigmas.back()), list_of(found));
  section.body = paragraph(
                     "How many noisy copies are enough? p from ever more of them, against p from the largest "
                     "number; where the line is flat near 0, more would change little.") +
                 convergence_charts(record) + convergence_table(record);
  return section;
}

Section runtime_section(const RobustnessView& record) {
  Section section{"time", "Time", "", ""};
  section.heading = runtime_heading(record);
  Table table("Seconds for all samples, as if each method ran alone",
              {{"Method", "", false},
               {"σ", ""},
               {"Seconds", ""},
               {"Milliseconds a sample", ""},
               {"In the model", "Share of the time in forward and backward passes"},
               {"Passes drawn", "Noisy copies of Monte Carlo, all samples together"},
               {"n", ""}});
  for (const Survival& result : record.found.results)
    table.add({text_cell(result.method), number_cell(result.sigma, sigma_words(result.sigma)),
               number_cell(result.seconds, significant(result.seconds, 3)),
               number_cell(milliseconds_each(result), significant(milliseconds_each(result), 3)),
               in_model_cell(result),
               result.draws ? count_cell(*result.draws) : dash_cell("only Monte Carlo draws"),
               count_cell(result.p.n)});
  section.body = table.html(2);
  return section;
}

}  // namespace leeway::report
