#include "leeway/error_bound/detail/transport_paths.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "leeway/core/numbers.h"

namespace leeway::error_bound {

TransportPaths::TransportPaths(std::size_t k, std::vector<double> u, const Assignment& assignment,
                               double reach)
    : k_(k), u_(std::move(u)), start_(u_), reach_(reach), excess_(assignment.excess), gain_(assignment.gain) {
  for (const NearRow& row : assignment.near)
    if (row.margin <= reach) candidates_.push_back(row);
  heaped_ = k <= most_heaped_columns && candidates_.size() >= rows_a_column * k;
  if (heaped_)
    edges_.resize(k * k);
  else
    rows_.resize(k);
  if (!heaped_ && std::isfinite(reach)) {
    for (const NearRow& row : candidates_) {
      begins_.push_back(nears_.size());
      const double least = least_of(row);
      for (std::uint32_t to = 0; to < k; ++to)
        if (row.gains[to] - start_[to] >= least) nears_.push_back({to, row.gains[to]});
    }
    begins_.push_back(nears_.size());
  }
  held_.resize(candidates_.size());
  for (std::uint32_t c = 0; c < candidates_.size(); ++c) hold(c, candidates_[c].best, 1);
}

// What a column must offer a row, at the first potentials, to be within reach.
double TransportPaths::least_of(const NearRow& row) const {
  return row.gains[row.best] - start_[row.best] - reach_ * (1 + 1e-6);
}

bool TransportPaths::balance() {
  while (std::ranges::any_of(excess_, [](double e) { return e > tolerance; })) {
    if (std::ranges::none_of(excess_, [](double e) { return e < -tolerance; })) return true;
    if (!shortest_paths()) return false;
    for (const std::size_t sink : sinks_) push(sink);
  }
  return true;
}

double& TransportPaths::mass_in(std::uint32_t candidate, std::size_t column) {
  for (Holding& holding : held_[candidate])
    if (holding.column == column) return holding.mass;
  held_[candidate].push_back({column, 0});
  return held_[candidate].back().mass;
}

// The candidate gains `mass` in the column, from where it may go on.
void TransportPaths::hold(std::uint32_t candidate, std::size_t column, double mass) {
  double& there = mass_in(candidate, column);
  const bool fresh = there <= tolerance;
  there += mass;
  if (!fresh) return;
  if (!heaped_) {
    rows_[column].push_back(candidate);
    return;
  }
  const NearRow& c = candidates_[candidate];
  const double* const row = c.gains;
  const double least = least_of(c);
  for (std::size_t to = 0; to < k_; ++to) {
    if (to == column || row[to] - start_[to] < least) continue;
    Heap& heap = edges_[column * k_ + to];
    heap.push_back({row[column] - row[to], candidate});
    std::push_heap(heap.begin(), heap.end());
  }
}

// The cheapest candidate on an edge that still holds mass at its foot; null where there is none.
const TransportPaths::Entry* TransportPaths::top(std::size_t from, Heap& heap) {
  while (!heap.empty() && !(mass_in(heap.front().candidate, from) > tolerance)) {
    std::pop_heap(heap.begin(), heap.end());
    heap.pop_back();
  }
  return heap.empty() ? nullptr : &heap.front();
}

void TransportPaths::reach(std::size_t to, double distance, Step step) {
  distance_[to] = distance;
  slack_[to] = distance - u_[to];
  from_[to] = step;
  queue_.push({distance, to});
}

// What can be reached by one edge from a column at its final distance.
void TransportPaths::reach_from(std::size_t here) {
  const double distance = distance_[here];
  if (heaped_) {
    for (std::size_t to = 0; to < k_; ++to) {
      if (done_[to]) continue;
      const Entry* const entry = top(here, edges_[here * k_ + to]);
      if (entry == nullptr) continue;
      const double there = distance + std::max(0., entry->loss - u_[here] + u_[to]);
      if (there < distance_[to]) reach(to, there, {here, entry->candidate});
    }
    return;
  }
  std::erase_if(rows_[here], [&](std::uint32_t c) { return !(mass_in(c, here) > tolerance); });
  for (const std::uint32_t c : rows_[here]) {
    const double* const row = candidates_[c].gains;
    const double from = row[here] - u_[here], least = distance + from;
    const auto look_at = [&](std::size_t to) {
      const double there = distance + std::max(0., from - (row[to] - u_[to]));
      if (!done_[to] && there < distance_[to]) reach(to, there, {here, c});
    };
    if (!begins_.empty()) {
      for (std::size_t i = begins_[c]; i < begins_[c + 1]; ++i)
        if (nears_[i].gain + slack_[nears_[i].column] > least) look_at(nears_[i].column);
      continue;
    }
    // Few columns come nearer: eight at a time are asked whether one does.
    std::size_t to = 0;
    for (; to + 8 <= k_; to += 8) {
      int nearer = 0;
      for (std::size_t j = 0; j < 8; ++j) nearer |= row[to + j] + slack_[to + j] > least;
      if (nearer == 0) continue;
      for (std::size_t j = 0; j < 8; ++j) look_at(to + j);
    }
    for (; to < k_; ++to) look_at(to);
  }
}

// Dijkstra from all overfull columns to the nearest half of the columns that lack rows; later searches reach the others. False
// if none can be reached. Potentials rise by how much nearer a column is than the farthest of those, so reduced losses stay >= 0
// (paths: 0).
bool TransportPaths::shortest_paths() {
  const std::size_t k = k_;
  distance_.assign(k, infinity);
  slack_.assign(k, infinity);
  from_.assign(k, {0, none});
  done_.assign(k, 0);
  sinks_.clear();
  queue_ = {};
  std::size_t wanted = 0;
  for (std::size_t j = 0; j < k; ++j) {
    wanted += excess_[j] < -tolerance;
    if (!(excess_[j] > tolerance)) continue;
    distance_[j] = 0;
    queue_.push({0, j});
  }
  double farthest = 0;
  while (!queue_.empty() && 2 * sinks_.size() < wanted) {
    const std::size_t here = queue_.top().second;
    queue_.pop();
    if (done_[here]) continue;
    done_[here] = 1;
    slack_[here] = -infinity;
    if (excess_[here] < -tolerance) sinks_.push_back(here), farthest = distance_[here];
    reach_from(here);
  }
  for (std::size_t j = 0; j < k; ++j)
    if (done_[j]) u_[j] += std::max(0., farthest - distance_[j]);
  return !sinks_.empty();
}

// Along the path to the sink, if no earlier push of this search has emptied one of its edges.
void TransportPaths::push(std::size_t sink) {
  double amount = -excess_[sink];
  std::size_t source = sink;
  for (; from_[source].candidate != none; source = from_[source].column)
    amount = std::min(amount, mass_in(from_[source].candidate, from_[source].column));
  amount = std::min(amount, excess_[source]);
  if (!(amount > tolerance)) return;
  for (std::size_t j = sink; from_[j].candidate != none; j = from_[j].column) {
    const auto [column, candidate] = from_[j];
    double& left = mass_in(candidate, column);
    left = left - amount > tolerance ? left - amount : 0;
    const double* const row = candidates_[candidate].gains;
    gain_ += amount * (row[j] - row[column]);
    hold(candidate, j, amount);
  }
  excess_[source] -= amount, excess_[sink] += amount;
  ++moves_;
}

}  // namespace leeway::error_bound
