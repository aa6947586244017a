// How far the methods are from Monte Carlo, how they settle and what they cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "leeway/report/average_case_lines.h"
#include "leeway/report/average_case_record.h"
#include "leeway/report/sections.h"
#include "leeway/report/table.h"

namespace leeway::report {
namespace {

std::string points(double share) { return fixed(100 * share, std::abs(share) < .1 ? 2 : 1); }

// Digits by the interval.
std::string points(const Measured& error) {
  if (!error.low || !error.high) return points(*error.value);
  return fixed(100 * *error.value, decimals_for(50 * (*error.high - *error.low), 2));
}

Cell points_cell(const std::optional<double>& share) {
  return share ? number_cell(100 * *share, points(*share)) : dash_cell("not recorded");
}

// Points with their interval; digits by it.
Cell error_cell(const Measured& error) {
  Cell cell = number_cell(100 * *error.value, points(*error.value));
  if (!error.low || !error.high) return cell;
  const int decimals = decimals_for(50 * (*error.high - *error.low), 2);
  cell.low = 100 * *error.low, cell.high = 100 * *error.high;
  cell.html = fmt::format("<b>{}</b> <span class=\"iv\">{}–{}</span>", fixed(100 * *error.value, decimals),
                          fixed(100 * *error.low, decimals), fixed(100 * *error.high, decimals));
  return cell;
}

std::string error_table(const AverageCaseRecord& record) {
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
  for (const MonteCarloError& error : record.errors) worst_first.push_back(&error);
  std::ranges::stable_sort(worst_first, [](const auto* a, const auto* b) {
    return *a->mean_absolute.value > *b->mean_absolute.value;
  });
  for (const MonteCarloError* error : worst_first)
    table.add({text_cell(error->method), number_cell(error->sigma, sigma_words(error->sigma)),
               error_cell(error->mean_absolute), points_cell(error->floor),
               points_cell(error->root_mean_square), points_cell(error->largest), points_cell(error->bias),
               error->rank ? number_cell(*error->rank, fixed(*error->rank, 2))
                           : dash_cell("all samples tie in one of the two"),
               count_cell(record.n)});
  table.sorted_by(2, false);
  return table.html();
}

Line error_line(const AverageCaseRecord& record, const std::string& method, std::size_t slot) {
  Line line{method, slot, {}};
  for (const double sigma : record.sigmas)
    for (const MonteCarloError& error : record.errors)
      if (error.method == method && error.sigma == sigma)
        line.points.push_back({sigma, error.mean_absolute, sigma_words(sigma),
                               fmt::format("σ = {}\nmean distance {}\nn = {}", sigma_words(sigma),
                                           value_words(error.mean_absolute, true), count(record.n))});
  return line;
}

Line floor_line(const AverageCaseRecord& record, std::size_t slot) {
  Line line{"chance alone", slot, {}};
  for (const double sigma : record.sigmas)
    for (const MonteCarloError& error : record.errors)
      if (error.sigma == sigma && error.floor) {
        line.points.push_back({sigma,
                               {error.floor, {}, {}},
                               sigma_words(sigma),
                               fmt::format("σ = {}\nMonte Carlo against itself {}", sigma_words(sigma),
                                           percent(*error.floor, 2))});
        break;
      }
  return line;
}

// Probabilities and scores apart, since scores are several times further off; each beside the floor.
std::string error_charts(const AverageCaseRecord& record) {
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

// What the strongest noise says: the closest probability, and whether more than chance separates it from the truth.
std::string error_heading(const AverageCaseRecord& record) {
  const MonteCarloError *closest = nullptr, *furthest = nullptr;
  for (const MonteCarloError& error : record.errors) {
    if (error.sigma != record.sigmas.back() || !record.probability(error.method)) continue;
    if (closest == nullptr || *error.mean_absolute.value < *closest->mean_absolute.value) closest = &error;
    if (furthest == nullptr || *error.mean_absolute.value > *furthest->mean_absolute.value) furthest = &error;
  }
  if (closest == nullptr) return "Monte Carlo stands beside scores, which are no probabilities";
  const bool beyond = closest->floor && closest->mean_absolute.low.value_or(0) > *closest->floor;
  std::string text =
      fmt::format("At σ = {} {} is {} points from Monte Carlo on average", sigma_words(closest->sigma),
                  escape(closest->method), points(closest->mean_absolute));
  if (closest->floor)
    text += beyond ? fmt::format(", beyond the {} of chance", points(*closest->floor))
                   : ", no more than chance explains";
  if (furthest != closest)
    text += fmt::format("; {} is {}", escape(furthest->method), points(furthest->mean_absolute));
  return text;
}

// -- Convergence

std::vector<const ConvergenceStep*> steps_of(const AverageCaseRecord& record, const std::string& method) {
  std::vector<const ConvergenceStep*> steps;
  for (const ConvergenceStep& step : record.convergence)
    if (step.method == method && step.copies > 0) steps.push_back(&step);
  return steps;
}

std::vector<std::string> settling(const AverageCaseRecord& record) {
  std::vector<std::string> methods;
  for (const ConvergenceStep& step : record.convergence)
    if (std::ranges::find(methods, step.method) == methods.end()) methods.push_back(step.method);
  return methods;
}

std::size_t largest_number(const std::vector<const ConvergenceStep*>& steps) {
  std::size_t most = 0;
  for (const ConvergenceStep* step : steps) most = std::max(most, step->copies);
  return most;
}

// At most `series` noises, the weakest and the strongest among them.
std::vector<double> some_sigmas(const std::vector<double>& sigmas) {
  if (sigmas.size() <= series) return sigmas;
  std::vector<double> some;
  for (std::size_t i = 0; i < series; ++i) some.push_back(sigmas[i * (sigmas.size() - 1) / (series - 1)]);
  return some;
}

std::string convergence_charts(const AverageCaseRecord& record) {
  std::vector<double> numbers;
  for (const ConvergenceStep& step : record.convergence)
    if (step.copies > 0 && step.copies < largest_number(steps_of(record, step.method)))
      numbers.push_back(static_cast<double>(step.copies));
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
        if (step->sigma == sigma && step->copies < largest_number(steps))
          line.points.push_back(
              {axis.position(static_cast<double>(step->copies)),
               {step->mean_change, {}, {}},
               count(step->copies),
               fmt::format("{} copies\np changes by {} on average\nand by {} at most", count(step->copies),
                           percent(step->mean_change, 2), percent(step->most_change, 1))});
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

std::string convergence_table(const AverageCaseRecord& record) {
  Table table("Change of p against the largest number of copies, in points",
              {{"Method", "", false},
               {"σ", ""},
               {"Copies", "M of Monte Carlo, N of mmse"},
               {"Mean change", "Over samples"},
               {"Largest change", "Of any sample"},
               {"n", ""}});
  for (const ConvergenceStep& step : record.convergence) {
    const bool last = step.copies == largest_number(steps_of(record, step.method));
    const char* const itself = "the largest number: others are held against it";
    table.add({text_cell(step.method), number_cell(step.sigma, sigma_words(step.sigma)),
               count_cell(step.copies), last ? dash_cell(itself) : points_cell(step.mean_change),
               last ? dash_cell(itself) : points_cell(step.most_change),
               step.n ? count_cell(*step.n) : dash_cell("not recorded")});
  }
  return fmt::format("<details class=\"more\"><summary>All figures ({} rows)</summary>\n{}</details>\n",
                     count(record.convergence.size()), table.html(2));
}

// -- Time

Cell seconds_cell(const std::optional<double>& seconds) {
  return seconds ? number_cell(*seconds, significant(*seconds, 3)) : dash_cell("not recorded");
}

Cell in_model_cell(const RobustnessResult& result) {
  if (!result.seconds || !result.model_seconds) return dash_cell("not recorded");
  if (!(*result.seconds > 0)) return dash_cell("too short to measure");
  const double share = std::clamp(*result.model_seconds / *result.seconds, 0., 1.);
  return number_cell(share, percent(share));
}

std::string runtime_heading(const AverageCaseRecord& record) {
  const RobustnessResult* const leading = record.find(record.leading, record.sigmas.back());
  const RobustnessResult* const truth = record.find("mc", record.sigmas.back());
  const auto each = [](const RobustnessResult& result) {
    return *result.seconds / static_cast<double>(std::max<std::size_t>(1, result.p.n)) * 1e3;
  };
  if (!leading->seconds) return "What each method costs";
  std::string text =
      fmt::format("{} takes {} ms a sample", escape(leading->method), significant(each(*leading), 2));
  if (truth != nullptr && truth != leading && truth->seconds)
    text += fmt::format(", Monte Carlo {} ms", significant(each(*truth), 2));
  return text + fmt::format(" (σ = {})", sigma_words(record.sigmas.back()));
}

}  // namespace

Section error_section(const AverageCaseRecord& record) {
  Section section{"error", "Error", "", ""};
  if (record.errors.empty()) {
    section.heading = "How far these figures are from the truth is not known";
    section.body =
        paragraph(record.find("mc", record.sigmas.back()) != nullptr
                      ? "Monte Carlo was the only method, and nothing stands beside it."
                      : "Monte Carlo was not asked for, which would tell: <code>--methods mc,...</code> runs "
                        "the model on "
                        "many noisy copies of every sample. It needs the model, not only its outputs.");
    return section;
  }
  section.heading = error_heading(record);
  section.body =
      paragraph(
          "Monte Carlo counts how many noisy copies keep their prediction: slow, and right up to "
          "chance. The distance of a method from it holds both its own error and that chance, which "
          "the line <em>chance alone</em> shows: a method on it cannot be told from the truth.") +
      error_charts(record) + error_table(record);
  return section;
}

Section convergence_section(const AverageCaseRecord& record) {
  Section section{"convergence", "Convergence", "", ""};
  if (record.convergence.empty()) return section;
  std::vector<std::string> found;
  for (const std::string& method : settling(record)) {
    const ConvergenceStep* last = nullptr;
    const auto steps = steps_of(record, method);
    for (const ConvergenceStep* step : steps)
      if (step->sigma == record.sigmas.back() && step->copies < largest_number(steps) &&
          (last == nullptr || step->copies > last->copies))
        last = step;
    if (last != nullptr)
      found.push_back(fmt::format("{} still moves by {} points from {} to {} copies", escape(method),
                                  points(last->mean_change), count(last->copies),
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

Section runtime_section(const AverageCaseRecord& record) {
  Section section{"time", "Time", "", ""};
  if (std::ranges::none_of(record.results, [](const auto& result) { return result.seconds.has_value(); }))
    return section;
  section.heading = runtime_heading(record);
  Table table("Seconds for all samples, as if each method ran alone",
              {{"Method", "", false},
               {"σ", ""},
               {"Seconds", ""},
               {"Milliseconds a sample", ""},
               {"In the model", "Share of the time in forward and backward passes"},
               {"Passes drawn", "Noisy copies of Monte Carlo, all samples together"},
               {"n", ""}});
  for (const RobustnessResult& result : record.results)
    table.add({text_cell(result.method), number_cell(result.sigma, sigma_words(result.sigma)),
               seconds_cell(result.seconds),
               result.seconds && result.p.n > 0
                   ? number_cell(1e3 * *result.seconds / static_cast<double>(result.p.n),
                                 significant(1e3 * *result.seconds / static_cast<double>(result.p.n), 3))
                   : dash_cell("not recorded"),
               in_model_cell(result),
               result.draws ? count_cell(*result.draws) : dash_cell("only Monte Carlo draws"),
               count_cell(result.p.n)});
  section.body = table.html(2);
  return section;
}

}  // namespace leeway::report
