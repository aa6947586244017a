#include "leeway/agreement/pair_evidence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/core/statistics.h"

namespace leeway::agreement {
namespace {

constexpr std::size_t labels_read = std::size_t{1}
                                    << 17;  // equal first labels are what equal labels need at least
constexpr std::size_t few_signs = 40;       // fewer comparisons than these say little
constexpr double least_chance = 1e-300;     // what a double still holds

struct Run {
  std::uint32_t label = 0;  // numbered by first appearance
  std::size_t length = 0;
};

std::vector<Run> runs_of(std::span<const std::int64_t> labels) {
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0 && labels[i] == labels[i - 1]) {
      ++runs.back().length;
      continue;
    }
    const auto number = static_cast<std::uint32_t>(numbers.size());
    runs.push_back({numbers.try_emplace(labels[i], number).first->second, 1});
  }
  return runs;
}

// log of the number of distinct orders within every label; `members` are (label, kind), kinds may repeat.
double log_orders(std::vector<std::pair<std::uint32_t, std::size_t>> members) {
  std::ranges::sort(members);
  double sum = 0;
  std::size_t of_label = 0, of_kind = 0;
  const auto end = [&](std::size_t i, bool label) {
    const bool last = i + 1 == members.size();
    return last || (label ? members[i + 1].first != members[i].first : members[i + 1] != members[i]);
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    ++of_label, ++of_kind;
    if (end(i, false)) sum -= std::lgamma(static_cast<double>(of_kind) + 1), of_kind = 0;
    if (end(i, true)) sum += std::lgamma(static_cast<double>(of_label) + 1), of_label = 0;
  }
  return sum;
}

double log_transition_orders(const std::vector<Run>& runs) {
  std::unordered_map<std::uint32_t, std::size_t> last;  // of each label, its last run that another follows
  for (std::size_t t = 0; t + 1 < runs.size(); ++t) last[runs[t].label] = t;
  std::vector<std::pair<std::uint32_t, std::size_t>> followers;
  for (std::size_t t = 0; t + 1 < runs.size(); ++t)
    if (runs[t].label == runs.back().label || last[runs[t].label] != t)
      followers.emplace_back(runs[t].label, runs[t + 1].label);
  return log_orders(std::move(followers));
}

double log_length_orders(const std::vector<Run>& runs) {
  std::vector<std::pair<std::uint32_t, std::size_t>> lengths;
  for (std::size_t t = 1; t + 1 < runs.size(); ++t) lengths.emplace_back(runs[t].label, runs[t].length);
  return log_orders(std::move(lengths));
}

// Signs of the comparisons of rows as they stand with the same rows crossed.
struct Signs {
  std::size_t straight = 0, crossed = 0;

  void compare(const RowsSaid& one, const RowsSaid& two, std::size_t i, std::size_t j) {
    const int stand = (one.classes[i] == two.classes[i]) + (one.classes[j] == two.classes[j]);
    const int cross = (one.classes[i] == two.classes[j]) + (one.classes[j] == two.classes[i]);
    straight += stand > cross;
    crossed += cross > stand;
  }

  // One-sided, exact.
  [[nodiscard]] double chance(std::size_t given_away) const {
    const std::size_t counted = straight - std::min(straight, given_away);
    return counted > crossed ? std::max(least_chance, mcnemar_p(counted, crossed) / 2) : 1;
  }
};

Signs of_neighbours(const RowsSaid& one, const RowsSaid& two, std::size_t rows) {
  Signs signs;
  for (std::size_t i = 0; i + 1 < rows; i += 2) signs.compare(one, two, i, i + 1);
  return signs;
}

Signs within_labels(const RowsSaid& one, const RowsSaid& two, std::span<const std::int64_t> labels,
                    std::size_t rows) {
  Signs signs;
  std::unordered_map<std::int64_t, std::size_t> waiting;
  for (std::size_t i = 0; i < rows; ++i)
    if (const auto [at, alone] = waiting.try_emplace(labels[i], i); !alone) {
      signs.compare(one, two, at->second, i);
      waiting.erase(at);
    }
  return signs;
}

std::string chance_text(double chance) {
  return chance <= 1e-12 ? "below 1e-12" : fmt::format("{:.2g}", chance);
}

// What predictions say. `labels`: of either set, or empty; `ordered`: they may be sorted.
PairEvidence by_agreement(const RowsSaid& one, const RowsSaid& two, std::span<const std::int64_t> labels,
                          bool ordered) {
  const std::size_t rows = std::min(one.classes.size(), two.classes.size());
  PairEvidence found;
  if (rows == 0) {
    found.reason = "their predictions are not known";
    return found;
  }
  const bool within = !labels.empty() && ordered;
  const Signs signs = within ? within_labels(one, two, labels, rows) : of_neighbours(one, two, rows);
  const std::size_t given_away = labels.empty() ? std::max<std::size_t>(one.k, 1) - 1 : 0;
  found.chance = signs.chance(given_away);
  found.decidable = signs.straight + signs.crossed >= given_away + few_signs;
  const std::string where = within ? " within each label" : "";
  if (found.chance < most_chance) {
    found.by = EvidenceBy::agreement;
    found.reason = fmt::format("predictions{} agree row by row beyond chance (p {})", where,
                               (found.chance <= 1e-12 ? "" : "= ") + chance_text(found.chance));
    return found;
  }
  std::size_t same = 0;
  for (std::size_t i = 0; i < rows; ++i) same += one.classes[i] == two.classes[i];
  found.reason = fmt::format(
      "predictions{} do not agree row by row beyond chance (p = {:.2g}; equal on {:.0f}% of rows)", where,
      found.chance, 100 * static_cast<double>(same) / static_cast<double>(rows));
  return found;
}

bool distinct(std::span<const std::string> ids) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& id : ids)
    if (!seen.insert(id).second) return false;
  return true;
}

// "7", "8", "9", ...
bool count_rows(std::span<const std::string> ids) {
  const auto is_number = [](const std::string& id) {
    return !id.empty() && id.size() < 19 && std::ranges::all_of(id, is_digit);
  };
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (!is_number(ids[i]) || (i > 0 && std::stoull(ids[i]) != std::stoull(ids[i - 1]) + 1)) return false;
  return true;
}

// Whether ids settle it, either way.
bool by_ids(const RowsSaid& one, const RowsSaid& two, PairEvidence& found) {
  if (one.ids.empty() || two.ids.empty() || count_rows(one.ids) || count_rows(two.ids)) return false;
  if (!distinct(one.ids) || !distinct(two.ids)) return false;
  const std::size_t n = one.ids.size();
  std::size_t differing = 0;
  for (std::size_t i = 0; i < n; ++i) differing += one.ids[i] != two.ids[i];
  if (differing == 0) {
    found.by = EvidenceBy::ids;
    found.chance = 0;
    found.reason = "their ids are equal";
    return true;
  }
  const std::unordered_set<std::string_view> known(one.ids.begin(), one.ids.end());
  const auto common = static_cast<std::size_t>(
      std::ranges::count_if(two.ids, [&](const std::string& id) { return known.contains(id); }));
  if (common == 0) return false;  // other names for their rows
  found.different = true;
  found.reason = fmt::format("{} of {} ids differ{}", differing, n,
                             common == n ? ": the same rows in another order" : "");
  return true;
}

}  // namespace

double log_chance_of_labels(std::span<const std::int64_t> labels) {
  const std::vector<Run> runs = runs_of(labels.first(std::min(labels.size(), labels_read)));
  return runs.size() < 2 ? 0 : std::min(0., -log_transition_orders(runs) - log_length_orders(runs));
}

PairEvidence pair_evidence(const RowsSaid& first, const RowsSaid& second) {
  const bool both = !first.labels.empty() && !second.labels.empty();
  if ((both && first.labels.size() != second.labels.size()) ||
      (!first.ids.empty() && !second.ids.empty() && first.ids.size() != second.ids.size()))
    throw Error("pair evidence: expected two sets of equal length, found different lengths");
  PairEvidence found;
  std::vector<std::int64_t> known;  // labels of rows that have one in both
  if (both) {
    const std::size_t n = first.labels.size();
    for (std::size_t i = 0; i < n; ++i) {
      const std::int64_t a = first.labels[i], b = second.labels[i];
      if (a < 0 || b < 0) continue;  // unknown
      found.differing_labels += a != b;
      known.push_back(a);
    }
    if (found.differing_labels > 0) {
      found.different = true;
      found.reason = fmt::format("{} of {} labels differ", found.differing_labels, n);
      return found;
    }
  }
  const std::span<const std::int64_t> labels = first.labels.empty() ? second.labels : first.labels;
  const std::span<const std::int64_t> compared = both ? std::span<const std::int64_t>(known) : labels;
  const double chance =
      compared.empty() ? 1 : std::max(least_chance, std::exp(log_chance_of_labels(compared)));
  if (both && chance < most_chance) {
    found.by = EvidenceBy::labels;
    found.chance = chance;
    found.reason = fmt::format("their labels are equal (probability by chance {})", chance_text(chance));
    return found;
  }
  if (by_ids(first, second, found)) return found;
  found = by_agreement(first, second, labels, !(chance < most_chance));
  if (!known.empty() && !found.pairs()) {
    found.reason = fmt::format(
        "their labels are equal, but unrelated sets may have equal labels too (probability {}), and {}",
        chance >= 1 ? "1" : chance_text(chance), found.reason);
    found.chance = std::min(found.chance, chance);
  }
  return found;
}

std::vector<std::int32_t> first_predictions(const Rows& logits) {
  const std::size_t k = logits.shape()[1];
  return predicted_classes(logits, std::min(logits.shape()[0], std::max<std::size_t>(16'384, 8 * k)));
}

std::string name_of(EvidenceBy by) {
  constexpr const char* names[] = {"none", "labels", "ids", "agreement"};
  return names[static_cast<std::size_t>(by)];
}

}  // namespace leeway::agreement
