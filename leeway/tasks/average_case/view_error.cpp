// How far the methods are from Monte Carlo, what it certifies, how they settle and what they cost.
#include <fmt/format.h>

#include <algorithm>

#include "leeway/describe/lines.h"
#include "leeway/tasks/average_case/view.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {
namespace {

Cell points_cell(double share) { return number_cell(100 * share, points_words(share)); }

Cell error_cell(const average_case::AgainstMonteCarlo& error) {
  const auto& [low, high] = error.interval;
  Cell cell =
      fixed_cell({100 * error.mean_absolute, 100 * low, 100 * high}, decimals_for(50 * (high - low), 2));
  cell.mark = Mark::strong;
  return cell;
}

Blocks error_table(const RobustnessView& record) {
  using One = MonteCarloError;
  std::vector<const One*> worst_first;
  for (const One& error : record.found.against_monte_carlo) worst_first.push_back(&error);
  std::ranges::stable_sort(worst_first, std::greater(),
                           [](const One* one) { return one->error.mean_absolute; });
  const auto points = [](double average_case::AgainstMonteCarlo::*member) {
    return [member](const One& one) { return points_cell(one.error.*member); };
  };
  using Error = average_case::AgainstMonteCarlo;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Method"), &One::method},
      {number_column("σ"), [](const One& one) { return sigma_cell(one.sigma); }},
      {interval_column("Mean difference",
                       "Mean absolute difference between p and the Monte Carlo estimate of p"),
       [](const One& one) { return error_cell(one.error); }},
      {number_column("Sampling error", "Mean difference explained by Monte Carlo sampling error alone"),
       points(&Error::floor)},
      {number_column("Root mean square"), points(&Error::root_mean_square)},
      {number_column("Largest", "Largest difference for any sample"), points(&Error::largest)},
      {number_column("Bias", "Mean of p minus its Monte Carlo estimate; above 0, the method overestimates p"),
       points(&Error::bias)},
      {number_column("Rank correlation", "Spearman's rank correlation; 1: same order of samples"),
       [](const One& one) {
         return fixed_cell(one.error.rank, 2, "all samples tie in one of the two methods");
       }},
      {number_column("n"), [&](const One&) { return count_cell(record.found.n); }}};
  Table table = table_of("Difference from Monte Carlo, in points of probability", columns, worst_first);
  table.sorted = 2, table.ascending = false;
  return table.block();
}

Line error_line(const RobustnessView& record, const std::string& method, std::size_t slot) {
  Line line{method, slot, {}};
  for (const double sigma : record.sigmas)
    for (const MonteCarloError& error : record.found.against_monte_carlo)
      if (error.method == method && error.sigma == sigma)
        line.points.push_back({sigma, mean_of(error.error), sigma_words(sigma),
                               fmt::format("σ = {}\nmean difference {}\nn = {}", sigma_words(sigma),
                                           value_words(mean_of(error.error), true), count(record.found.n))});
  return line;
}

Line floor_line(const RobustnessView& record, std::size_t slot) {
  Line line{"sampling error", slot, {}};
  for (const double sigma : record.sigmas) {
    const auto found = std::ranges::find(record.found.against_monte_carlo, sigma, &MonteCarloError::sigma);
    if (found == record.found.against_monte_carlo.end()) continue;
    const double floor = found->error.floor;
    line.points.push_back(
        {sigma,
         {floor},
         sigma_words(sigma),
         fmt::format("σ = {}\nMonte Carlo sampling error {}", sigma_words(sigma), percent(floor, 2))});
  }
  return line;
}

// Probabilities and scores apart, since scores are several times further off; each beside the floor.
Blocks error_charts(const RobustnessView& record) {
  Blocks out;
  for (const bool probabilities : {true, false}) {
    std::vector<Line> lines;
    const std::vector<std::string> methods = record.of_kind(probabilities);
    for (std::size_t slot = 0; slot < std::min(methods.size(), series - 1); ++slot)
      if (Line line = error_line(record, methods[slot], slot); !line.points.empty())
        lines.push_back(std::move(line));
    if (lines.empty()) continue;
    lines.push_back(floor_line(record, series - 1));
    out += sigma_charts(probabilities ? "Difference from Monte Carlo" : "Difference of scores",
                        probabilities ? "mean over samples" : "from Monte Carlo, on another scale", lines,
                        record.sigmas, 1);
  }
  return out;
}

// -- Certified radius

// Certified accuracy, without labels the certified share.
Measured certified_at(const average_case::CertifiedPoint& point) {
  return measured(point.accuracy.value_or(point.share));
}

Blocks certified_charts(const RobustnessView& record, const std::string& title) {
  double most = 0;
  std::vector<Line> lines;
  for (const average_case::CertifiedCurve& curve : record.found.certified->curves) {
    Line line{"σ " + sigma_words(curve.sigma), lines.size() % series, {}};
    for (const average_case::CertifiedPoint& point : curve.points) {
      const std::string radius = significant(point.radius, 3);
      line.points.push_back({point.radius, certified_at(point), radius,
                             fmt::format("radius {}: {}\nn = {}", radius,
                                         value_words(certified_at(point), true), count(record.found.n))});
    }
    most = std::max(most, curve.points.back().radius);
    if (curve.points.size() > 1) lines.push_back(std::move(line));
  }
  if (lines.empty()) return {};
  return line_charts(title, "by l2 radius; bands are intervals over samples", lines,
                     fit_y(share_axes(most, "l2 radius"), lines, 0, 1));
}

// -- Convergence

struct Settling {
  std::string method;
  std::vector<ConvergenceStep> steps = {};
  std::size_t most = 0;  // copies, which the others are held against
};

std::vector<Settling> settling_of(const RobustnessView& record) {
  std::vector<Settling> out;
  for (const ConvergenceStep& step : record.found.convergence) {
    auto found = std::ranges::find(out, step.point.method, &Settling::method);
    if (found == out.end()) found = out.insert(out.end(), {step.point.method});
    found->steps.push_back(step);
    found->most = std::max(found->most, step.point.copies);
  }
  return out;
}

// At most `series` noises, the weakest and the strongest among them.
std::vector<double> some_sigmas(const std::vector<double>& sigmas) {
  if (sigmas.size() <= series) return sigmas;
  std::vector<double> some;
  for (std::size_t i = 0; i < series; ++i) some.push_back(sigmas[i * (sigmas.size() - 1) / (series - 1)]);
  return some;
}

Line settling_line(const Settling& one, double sigma, std::size_t slot, const ValueAxis& axis) {
  Line line{"σ " + sigma_words(sigma), slot, {}};
  for (const auto& [point, n] : one.steps)
    if (point.sigma == sigma && point.copies < one.most)
      line.points.push_back(
          {axis.position(static_cast<double>(point.copies)),
           {point.mean_change},
           count(point.copies),
           fmt::format("{} copies\np changes by {} on average\nand by {} at most", count(point.copies),
                       percent(point.mean_change, 2), percent(point.most_change, 1))});
  return line;
}

Blocks convergence_charts(const RobustnessView& record, const std::vector<Settling>& settling) {
  std::vector<double> numbers;
  for (const Settling& one : settling)
    for (const auto& [point, n] : one.steps)
      if (point.copies < one.most) numbers.push_back(static_cast<double>(point.copies));
  if (numbers.empty()) return {};
  ValueAxis axis = value_axis(numbers);
  axis.logarithmic = true;
  LineAxes axes = axis.axes("noisy copies, logarithmic");
  axes.percent = true;
  axes.height = 200;
  axes.name_length = 8;
  std::vector<std::vector<Line>> panels;
  std::vector<Line> all;
  for (const Settling& one : settling) {
    std::vector<Line>& lines = panels.emplace_back();
    for (const double sigma : some_sigmas(record.sigmas))
      if (Line line = settling_line(one, sigma, lines.size(), axis); !line.points.empty())
        lines.push_back(std::move(line));
    all.insert(all.end(), lines.begin(), lines.end());
  }
  axes = fit_y(axes, all, 0, 1);
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < panels.size(); ++i)
    if (!panels[i].empty())
      charts.push_back(line_chart(settling[i].method,
                                  fmt::format("mean change of p against {} copies", count(settling[i].most)),
                                  panels[i], axes));
  return chart_grid(charts);
}

Blocks convergence_table(const RobustnessView& record, const std::vector<Settling>& settling) {
  using One = ConvergenceStep;
  const auto change = [&](double average_case::ConvergencePoint::*member) {
    return [&settling, member](const One& one) {
      const bool last =
          one.point.copies == std::ranges::find(settling, one.point.method, &Settling::method)->most;
      return last ? dash_cell("the largest number is the reference for the others")
                  : points_cell(one.point.*member);
    };
  };
  const std::vector<ColumnOf<One>> columns = {
      {text_column("Method"), [](const One& one) { return text_cell(one.point.method); }},
      {number_column("σ"), [](const One& one) { return sigma_cell(one.point.sigma); }},
      {number_column("Copies", "Number of noisy copies: M for Monte Carlo, N for mmse"),
       [](const One& one) { return count_cell(one.point.copies); }},
      {number_column("Mean change", "Mean absolute change of p over samples"),
       change(&average_case::ConvergencePoint::mean_change)},
      {number_column("Largest change", "Largest change of p for any sample"),
       change(&average_case::ConvergencePoint::most_change)},
      {number_column("n"), &One::n}};
  const std::vector<One>& steps = record.found.convergence;
  return folded(
      fmt::format("All figures ({} rows)", count(steps.size())),
      table_of("Change of p from the largest number of copies, in points", columns, steps).block(2));
}

// -- Time

double milliseconds_each(const Survival& result) {
  return result.seconds / static_cast<double>(std::max<std::size_t>(1, result.p.n)) * 1e3;
}

std::string runtime_heading(const RobustnessView& record) {
  const Survival& leading = record.found.strongest();
  const Survival* const truth = record.found.find("mc", leading.sigma);
  const auto each = [](const Survival& result) { return significant(milliseconds_each(result), 2); };
  return fmt::format(
      "{} takes {} ms per sample{} ({})", leading.method, each(leading),
      truth != nullptr && truth != &leading ? fmt::format(", Monte Carlo {} ms", each(*truth)) : "",
      at_sigma(leading.sigma));
}

}  // namespace

Section error_section(const RobustnessView& record) {
  if (record.found.against_monte_carlo.empty())
    return {"error", "Error", "The error of these probabilities is not known",
            paragraph(record.found.find("mc", record.sigmas.back()) != nullptr
                          ? "Monte Carlo is the only method, so there is nothing to compare."
                          : "Add Monte Carlo for a comparison: `--methods mc,...` runs the model on many "
                            "noisy copies of every sample. It needs the model, not only its outputs.")};
  return {
      "error", "Error", error_finding(record.found),
      paragraph("Monte Carlo counts how many noisy copies keep their prediction: slow, but exact up to "
                "sampling error. The difference of a method from Monte Carlo includes this error. A method "
                "on the line \"sampling error\" cannot be distinguished from the exact probability.") +
          error_charts(record) + in_both(error_table(record))};
}

Section certified_section(const RobustnessView& record) {
  if (!record.found.certified) return {};
  using One = average_case::CertifiedCurve;
  const auto& [alpha, curves] = *record.found.certified;
  const std::string title = record.found.labels ? "Certified accuracy" : "Certified predictions";
  const One& strongest = *std::ranges::max_element(curves, {}, &One::sigma);
  const std::size_t n = record.found.n;
  const std::vector<ColumnOf<One>> columns = {
      {number_column("σ"), [](const One& one) { return sigma_cell(one.sigma); }},
      {interval_column("Abstained", "Share of samples without a certified radius"),
       [](const One& one) { return share_cell(measured(one.abstained)); }},
      {interval_column(title, "At radius 0"),
       [](const One& one) { return share_cell(certified_at(one.points.front())); }},
      {number_column("Largest radius", "The largest l2 radius that the draws can certify"),
       [](const One& one) { return significant_cell(one.points.back().radius, 3); }},
      {number_column("n"), [n](const One&) { return count_cell(n); }}};
  return {"certified", "Certified radius",
          fmt::format("At σ = {}, {} of the samples have a certified radius{}", sigma_words(strongest.sigma),
                      value_words(certified_at(strongest.points.front()), true),
                      record.found.labels ? " and are classified correctly" : ""),
          paragraph(fmt::format(
              "The smoothed classifier predicts the class that noise of strength σ makes most probable. No "
              "change of the input within the certified l2 radius changes the prediction of the smoothed "
              "classifier. For each sample, the radius is wrong with probability {:g} at most. A sample "
              "abstains if its draws do not prove that most noise keeps the prediction.",
              alpha)) +
              certified_charts(record, title) +
              in_both(table_of("Certified l2 radius", columns, curves).block())};
}

Section convergence_section(const RobustnessView& record) {
  if (record.found.convergence.empty()) return {};
  const std::vector<Settling> settling = settling_of(record);
  std::vector<std::string> found;
  for (const Settling& one : settling) {
    const average_case::ConvergencePoint* last = nullptr;
    for (const auto& [point, n] : one.steps)
      if (point.sigma == record.sigmas.back() && point.copies < one.most &&
          (last == nullptr || point.copies > last->copies))
        last = &point;
    if (last != nullptr)
      found.push_back(fmt::format("p of {} changes by {} points from {} to {} copies", one.method,
                                  points_words(last->mean_change), count(last->copies), count(one.most)));
  }
  return {"convergence", "Convergence",
          found.empty() ? "Only one number of copies was used, so convergence is not known"
                        : fmt::format("At σ = {}, {}", sigma_words(record.sigmas.back()), list_of(found)),
          paragraph(
              "How many noisy copies are enough? The chart compares p for increasing numbers of copies with "
              "p for the largest number. If the line is flat near 0, more copies would change little.") +
              convergence_charts(record, settling) + convergence_table(record, settling)};
}

Section runtime_section(const RobustnessView& record) {
  const auto in_model = [](const Survival& one) {
    return one.seconds > 0 ? percent_cell(std::clamp(one.model_seconds / one.seconds, 0., 1.), 0)
                           : dash_cell("too short to measure");
  };
  const std::vector<ColumnOf<Survival>> columns = {
      {text_column("Method"), &Survival::method},
      {number_column("σ"), [](const Survival& one) { return sigma_cell(one.sigma); }},
      {number_column("Seconds"), [](const Survival& one) { return significant_cell(one.seconds, 3); }},
      {number_column("Milliseconds per sample"),
       [](const Survival& one) { return significant_cell(milliseconds_each(one), 3); }},
      {number_column("In the model", "Share of the time in forward and backward passes"), in_model},
      {number_column("GFLOPs per sample",
                     "Matrix products and convolutions in passes through the model, in billions"),
       [](const Survival& one) {
         if (!one.flops) return dash_cell("the model does not report its cost");
         return significant_cell(*one.flops / static_cast<double>(std::max<std::size_t>(1, one.p.n)) / 1e9,
                                 3);
       }},
      {number_column("Peak memory, MB", "Arrays of the method and of the model's passes"),
       [](const Survival& one) {
         return one.peak_bytes ? significant_cell(static_cast<double>(*one.peak_bytes) / 1e6, 3)
                               : dash_cell("the model does not report its cost");
       }},
      {number_column("Noisy copies", "Noisy copies of Monte Carlo, over all samples"),
       [](const Survival& one) {
         return one.draws ? count_cell(*one.draws) : dash_cell("only Monte Carlo draws copies");
       }},
      {number_column("n"), [](const Survival& one) { return count_cell(one.p.n); }}};
  return {"time", "Time", runtime_heading(record),
          table_of("Seconds for all samples, as if each method ran alone", columns, record.found.results)
              .block(2)};
}

}  // namespace leeway::tasks
