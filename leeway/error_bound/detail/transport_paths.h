// Shortest paths for the transport (transport.h): moves rows out of overfull columns.
//
// The edge from a to b is the row i that is cheapest to move; its reduced loss is p_ia - u_a - (p_ib - u_b)
// >= 0. One search from all overfull columns finds the shortest paths to the nearest half of the columns that
// lack mass; the potentials are updated so that these paths cost 0, and mass is pushed along each path that is
// still intact. Only rows with a margin of at most `reach` may move.
//
// With few columns each edge has a heap of rows. With many columns, scanning a column's rows is cheaper; each row
// lists the columns within a finite reach of its best one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "leeway/error_bound/detail/transport_rows.h"

namespace leeway::error_bound {

class TransportPaths {
 public:
  TransportPaths(std::size_t k, std::vector<double> u, const Assignment& assignment, double reach);

  // Moves all excess to where mass is missing; false if no path within reach leads there. Rounding stays.
  [[nodiscard]] bool balance();

  [[nodiscard]] const std::vector<double>& potentials() const { return u_; }
  [[nodiscard]] double gain() const { return gain_; }
  [[nodiscard]] std::size_t moves() const { return moves_; }

 private:
  static constexpr double tolerance = 1e-10;  // rows: less is dust that rounding leaves, and never moved
  static constexpr std::size_t most_heaped_columns = 1024;  // there is a heap for each two
  static constexpr std::size_t rows_a_column = 40;          // fewer are read, more kept in heaps
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  struct Entry {
    double loss;  // p_ia - p_ib
    std::uint32_t candidate;
    bool operator<(const Entry& other) const {  // of a heap whose top is the least
      return loss != other.loss ? loss > other.loss : candidate > other.candidate;
    }
  };
  using Heap = std::vector<Entry>;
  struct Holding {
    std::size_t column;
    double mass;
  };
  struct Step {
    std::size_t column;
    std::uint32_t candidate;  // none at the start of a path
  };

  [[nodiscard]] double least_of(const NearRow& row) const;
  double& mass_in(std::uint32_t candidate, std::size_t column);
  void hold(std::uint32_t candidate, std::size_t column, double mass);
  const Entry* top(std::size_t from, Heap& heap);
  void reach_from(std::size_t here);
  void reach(std::size_t to, double distance, Step step);
  bool shortest_paths();
  void push(std::size_t sink);

  std::size_t k_;
  std::vector<double> u_, start_;
  double reach_;
  std::vector<double> excess_, distance_;
  std::vector<double>
      slack_;  // distance - u: what a column would have to be beaten by; -inf once it is final
  double gain_;
  std::vector<NearRow> candidates_;
  std::vector<std::vector<Holding>> held_;
  bool heaped_;
  std::vector<Heap> edges_;                       // (k,k), where heaped
  std::vector<std::vector<std::uint32_t>> rows_;  // of a column, where not
  struct Near {
    std::uint32_t column;
    double gain;
  };
  std::vector<Near> nears_;          // the lists of all candidates
  std::vector<std::size_t> begins_;  // where each list begins
  std::vector<Step> from_;
  using Reached = std::pair<double, std::size_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue_;
  std::vector<char> done_;
  std::vector<std::size_t> sinks_;  // nearest first
  std::size_t moves_ = 0;
};

}  // namespace leeway::error_bound
