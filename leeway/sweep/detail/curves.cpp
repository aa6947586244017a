#include "leeway/sweep/detail/curves.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "leeway/sweep/detail/fold.h"

namespace leeway::sweep::detail {
namespace {

constexpr std::size_t most_points = 50;

// Indices 0..n-1, or some of them at equal distances.
std::vector<std::size_t> told(std::size_t n) {
  const std::size_t count = std::min(n, most_points);
  std::vector<std::size_t> indices(count);
  for (std::size_t i = 0; i < count; ++i)
    indices[i] = count == 1 ? 0 : (i * (n - 1) + (count - 1) / 2) / (count - 1);
  return indices;
}

class Curves {
 public:
  Curves(const Runs& runs, const Tuning& tuning, double level)
      : runs_(runs), tuning_(tuning), level_(level) {}

  std::vector<record::SweepCurve> all() {
    for (std::size_t start = 0; start < runs_.starts.size(); ++start)
      for (std::size_t column = 0; column < runs_.roles.curves.size(); ++column) {
        std::vector<Group> every;
        for (std::size_t a = 0; a < runs_.algorithms.size(); ++a) {
          const std::vector<Group> places = tuning_.places(a, start, runs_.selected);
          every.insert(every.end(), places.begin(), places.end());
          add(runs_.algorithms[a], start, column, places);
        }
        if (runs_.algorithms.size() > 1) add("", start, column, every);
      }
    return std::move(curves_);
  }

 private:
  // Epochs that all runs have; 0 where none has the column.
  [[nodiscard]] std::size_t length_of(const std::vector<Group>& places, std::size_t column) const {
    std::size_t shortest = std::numeric_limits<std::size_t>::max();
    for (const Group& place : places)
      (void)tuning_.item(place, [&](const Run& run) {
        if (!run.curves[column].empty()) shortest = std::min(shortest, run.curves[column].size());
        return std::optional<Value>();
      });
    return shortest == std::numeric_limits<std::size_t>::max() ? 0 : shortest;
  }

  void add(const std::string& algorithm, std::size_t start, std::size_t column,
           const std::vector<Group>& places) {
    const bool share = runs_.roles.curves[column].find("accuracy") != std::string::npos;
    const auto fold = algorithm.empty() ? mean_of_algorithms : mean_of;
    record::SweepCurve curve{algorithm, runs_.starts[start], runs_.roles.curves[column], {}};
    for (const std::size_t epoch : told(length_of(places, column))) {
      std::vector<Item> items;
      for (const Group& place : places)
        items.push_back(tuning_.item(place, [&](const Run& run) {
          const std::vector<double>& series = run.curves[column];
          return epoch < series.size() && std::isfinite(series[epoch]) ? std::optional(Value{series[epoch]})
                                                                       : std::nullopt;
        }));
      curve.points.push_back({epoch + 1, fold(items, share ? record::share : record::Range{}, level_)});
    }
    if (!curve.points.empty()) curves_.push_back(std::move(curve));
  }

  const Runs& runs_;
  const Tuning& tuning_;
  const double level_;
  std::vector<record::SweepCurve> curves_;
};

}  // namespace

std::vector<record::SweepCurve> curves_of(const Runs& runs, const Tuning& tuning, double level) {
  return Curves(runs, tuning, level).all();
}

std::optional<std::size_t> highest(std::span<const double> series) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (!std::isnan(series[i]) && (!best || series[i] > series[*best])) best = i;
  return best;
}

}  // namespace leeway::sweep::detail
