#include "leeway/tasks/assess/detail/subgroups.h"

#include <algorithm>
#include <array>
#include <map>

#include "leeway/core/random.h"
#include "leeway/tasks/assess/detail/comparison.h"

namespace leeway::assess {
namespace {

constexpr std::size_t dense_cells = 1 << 22;  // beyond that only cells with rows are held

struct Half {
  std::size_t n = 0, right = 0;
};

// Columns (the same twice: one), the values of both, and what either half holds.
struct Found {
  std::array<std::size_t, 2> columns{}, values{};
  Half search, measure;
  double upper = 1;  // of the search half
};

class Search {
 public:
  Search(const std::vector<GroupColumn>& columns, std::span<const std::uint8_t> correct,
         const SubgroupOptions& options)
      : columns_(columns), correct_(correct), options_(options), searches_(correct.size()) {
    for (std::size_t row = 0; row < correct.size(); ++row)
      searches_[row] = Random(options.seed, stream("subgroups"), row).bits() & 1;
  }

  [[nodiscard]] std::vector<Found> cells(std::size_t a, std::size_t b) const {
    const std::size_t second = a == b ? 1 : columns_[b].levels.size();
    const auto key_of = [&](std::size_t row) {
      return static_cast<std::size_t>(columns_[a].codes[row]) * second +
             (a == b ? 0 : static_cast<std::size_t>(columns_[b].codes[row]));
    };
    std::vector<Found> cells;
    const auto add = [&](std::size_t key, const Half& search, const Half& measure) {
      if (search.n < options_.least || measure.n < options_.least) return;
      cells.push_back({{a, b},
                       {key / second, key % second},
                       search,
                       measure,
                       wilson(search.right, search.n, options_.level).high});
    };
    const std::size_t keys = columns_[a].levels.size() * second;
    if (keys <= dense_cells) {
      std::vector<std::array<Half, 2>> halves(keys);
      for (std::size_t row = 0; row < correct_.size(); ++row) count(halves[key_of(row)], row);
      for (std::size_t key = 0; key < keys; ++key) add(key, halves[key][1], halves[key][0]);
      return cells;
    }
    std::map<std::size_t, std::array<Half, 2>> halves;
    for (std::size_t row = 0; row < correct_.size(); ++row) count(halves[key_of(row)], row);
    for (const auto& [key, both] : halves) add(key, both[1], both[0]);
    return cells;
  }

  // All rows of the half that measures.
  [[nodiscard]] Half measured() const {
    std::array<Half, 2> halves;
    for (std::size_t row = 0; row < correct_.size(); ++row) count(halves, row);
    return halves[0];
  }

 private:
  void count(std::array<Half, 2>& halves, std::size_t row) const {
    Half& half = halves[searches_[row]];
    ++half.n, half.right += correct_[row];
  }

  const std::vector<GroupColumn>& columns_;
  std::span<const std::uint8_t> correct_;
  const SubgroupOptions& options_;
  std::vector<std::uint8_t> searches_;
};

}  // namespace

tasks::AssessSubgroups weakest_subgroups(const std::vector<GroupColumn>& columns,
                                         std::span<const std::uint8_t> correct,
                                         const SubgroupOptions& options) {
  tasks::AssessSubgroups result;
  result.columns = columns.size(), result.least_rows = options.least;
  const Search search(columns, correct, options);
  std::vector<Found> all;
  for (std::size_t a = 0; a < columns.size(); ++a)
    for (std::size_t b = a; b < columns.size(); ++b)
      for (const Found& one : search.cells(a, b)) all.push_back(one);
  result.searched = all.size();
  std::ranges::stable_sort(all, {}, &Found::upper);
  all.resize(std::min(all.size(), options.listed));
  const Half whole = search.measured();
  const double each = 1 - (1 - options.level) / static_cast<double>(std::max<std::size_t>(1, all.size()));
  for (const Found& one : all) {
    tasks::Subgroup& group = result.list.emplace_back();
    for (std::size_t i = 0; i < (one.columns[0] == one.columns[1] ? 1u : 2u); ++i) {
      group.columns.push_back(columns[one.columns[i]].name);
      group.values.push_back(columns[one.columns[i]].levels[one.values[i]]);
    }
    group.n = one.measure.n, group.search_n = one.search.n;
    group.accuracy = share(one.measure.right, one.measure.n, each);
    if (whole.n == one.measure.n) continue;  // no other rows
    group.difference = unpaired_difference(whole.right - one.measure.right, whole.n - one.measure.n,
                                           one.measure.right, one.measure.n, each);
    group.clear = clearly_lower(group.difference);
  }
  return result;
}

}  // namespace leeway::assess
