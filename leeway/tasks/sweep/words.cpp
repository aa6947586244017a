// What the record of leeway sweep report says in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "leeway/core/message.h"
#include "leeway/tasks/sweep/report.h"
#include "leeway/tasks/sweep/sweep.h"

namespace leeway::tasks {
namespace {

constexpr std::size_t most_names = 5;

std::string plain(const std::string& text) { return printable(text, std::string::npos); }

// The first few, and how many more.
std::string names_of(std::vector<std::string> names) {
  for (std::string& name : names) name = name.find(", ") == name.npos ? plain(name) : in_quotes(name);
  if (names.size() > most_names) {
    const std::size_t more = names.size() - most_names;
    names.resize(most_names);
    names.push_back(fmt::format("{} more", more));
  }
  return list_of(names);
}

// Some algorithm was compared with the baseline with an interval, and none was clearly better or worse.
bool none_differs(const SweepReport& record, const std::string& start) {
  bool compared = false;
  for (const SweepChange& change : record.changes) {
    if (change.start != start || !change.shift.empty()) continue;
    if (is_clear(change.change)) return false;
    compared |= change.change.mean.low.has_value();
  }
  return compared;
}

bool is_better(const SweepReport& record, double change) {
  return record.roles.higher_is_better ? change > 0 : change < 0;
}

// " from scratch", where there are several starts.
std::string from(const SweepReport& record, const std::string& start) {
  return record.starts.size() > 1 ? fmt::format(" (start {})", plain(start)) : "";
}

const SweepCaseMean* hardest(const SweepReport& record, const std::string& start) {
  return lowest(record.case_means, [&](const SweepCaseMean& one) {
    const auto& value = one.value.mean.value;
    if (one.start != start || !value) return std::optional<double>();
    return std::optional(record.roles.higher_is_better ? *value : -*value);
  });
}

void say_ties(const SweepReport& record, std::vector<std::string>& list) {
  const SweepRank& first = record.ranks.front();
  std::vector<std::string> tied;
  for (const SweepRank& rank : record.ranks)
    if (&rank != &first && rank.start == first.start && rank.rank.low && first.rank.high &&
        *rank.rank.low <= *first.rank.high)
      tied.push_back(rank.algorithm);
  if (!tied.empty())
    list.push_back(fmt::format("The interval of its rank overlaps the intervals of {}.", names_of(tied)));
  std::vector<std::string> out;
  for (const std::string& name : record.algorithms)
    if (std::ranges::none_of(record.ranks, [&](const SweepRank& rank) { return rank.algorithm == name; }))
      out.push_back(name);
  if (!out.empty())
    list.push_back(
        fmt::format("Not ranked, because they lack runs that all other algorithms have: {}.", names_of(out)));
}

// Accuracies whose interval holds that of guessing, or without an interval lie at or below it.
void say_chance(const SweepReport& record, std::vector<std::string>& list) {
  if (!record.roles.chance) return;
  const double chance = *record.roles.chance;
  std::vector<std::string> names;
  for (const SweepCell& cell : record.results) {
    const Measured& mean = cell.value.mean;
    if (cell.setting.empty() && mean.value && mean.low.value_or(*mean.value) <= chance)
      names.push_back(cell.algorithm + (cell.shift.empty() ? "" : " under " + cell.shift) +
                      from(record, cell.start));
  }
  if (!names.empty())
    list.push_back(fmt::format("At chance level ({}): {}.", percent(chance, 1), names_of(names)));
}

void say_missing(const SweepReport& record, std::vector<std::string>& list) {
  std::size_t runs = 0;
  for (const SweepMissing& one : record.missing) runs += one.runs;
  if (runs == 0) return;
  const SweepMissing& first = record.missing.front();
  list.push_back(fmt::format("{} {} no value; {} of them: {}.", some(runs, "run"), runs == 1 ? "has" : "have",
                             count(first.runs), plain(first.reason)));
}

}  // namespace

bool is_clear(const SweepMean& change) {
  return change.mean.low && change.mean.high && (*change.mean.low > 0 || *change.mean.high < 0);
}

std::string changes_finding(const SweepReport& record, const std::string& start) {
  if (record.changes.empty()) return "";
  std::vector<std::string> better, worse;
  for (const SweepChange& change : record.changes)
    if (change.start == start && change.shift.empty() && is_clear(change.change))
      (is_better(record, *change.change.mean.value) ? better : worse).push_back(change.algorithm);
  return fmt::format("Compared with {}, over all cases{}: {}, {}", plain(record.roles.baseline),
                     from(record, start),
                     better.empty() ? "none is significantly better" : names_of(better) + " better",
                     worse.empty() ? "none worse" : names_of(worse) + " worse");
}

std::string concurrency_finding(const SweepReport& record, const std::string& start) {
  const SweepConcurrency *first = nullptr, *last = nullptr;
  for (const SweepConcurrency& one : record.concurrency) {
    if (!one.algorithm.empty() || one.start != start || !one.value.mean.value) continue;
    if (first == nullptr) first = &one;
    last = &one;
  }
  if (first == last) return "";
  return fmt::format("Over all algorithms{}, {} is {} with {} and {} with {}", from(record, start),
                     plain(record.roles.measure), value_text(record, first->value.mean),
                     some(first->shifts, "shift"), value_text(record, last->value.mean), last->shifts);
}

std::string start_finding(const SweepReport& record, const SweepStart& one) {
  if (!one.algorithm.empty() || one.start == record.roles.scratch || !one.change.mean.value) return "";
  return fmt::format("Over all algorithms, starting from {} changes {} by {}", plain(one.start),
                     plain(record.roles.measure), change_text(record, one.change.mean));
}

std::string way_finding(const SweepReport& record, const std::string& chooses) {
  const SweepWay *first = nullptr, *last = nullptr;
  for (const SweepWay& way : record.ways) {
    if (way.chooses != chooses || way.start != record.starts.front()) continue;
    if (first == nullptr) first = &way;
    last = &way;
  }
  if (last == nullptr || !last->change.mean.value) return "";
  const bool epochs = chooses == "epoch";
  return fmt::format("Selecting the {} by {} instead of {} would change it by {}", chooses,
                     epochs ? "test accuracy" : "the measure itself",
                     epochs ? curve_name(first->way) : plain(first->way),
                     change_text(record, last->change.mean));
}

std::string curve_name(const std::string& column) {
  std::string name = column.substr(column.rfind('.') + 1);
  if (name == "validation_robust_accuracy") return "under attack";
  if (name == "selection_score") return "selection score";
  std::ranges::replace(name, '_', ' ');
  const std::string_view accuracy = " accuracy", validation = "validation ";
  if (name.ends_with(accuracy)) name.resize(name.size() - accuracy.size());
  return name.starts_with(validation) ? name.substr(validation.size()) : name;
}

std::string value_text(const SweepReport& record, const Measured& value) {
  return value_words(value, record.roles.is_share);
}

std::string change_text(const SweepReport& record, const Measured& change) {
  if (!change.value) return "not known";
  if (!record.roles.is_share) return (*change.value > 0 ? "+" : "") + value_words(change, false);
  const std::string interval = signed_points_interval(change);
  return signed_points(change) + " points" + (interval.empty() ? "" : " (" + interval + ")");
}

std::string basis_text(const SweepReport& record, const SweepMean& mean) {
  const double hundredths = 100 * record.options.level;
  const std::string level =
      percent(record.options.level, std::abs(hundredths - std::round(hundredths)) < 1e-9 ? 0 : 1);
  const std::string left_out =
      mean.left_out == 0 ? "" : fmt::format("; {} left out", some(mean.left_out, "case-setting pair"));
  if (mean.basis == "seeds") return fmt::format("{} over {}{}", level, some(mean.seeds, "seed"), left_out);
  if (mean.basis == "record") return fmt::format("one run, {} over its samples{}", "95%", left_out);
  if (mean.basis == "cases")
    return fmt::format("{} over {} of one seed{}", level, some(mean.runs, "run"), left_out);
  return fmt::format("{}, no interval{}", some(mean.runs, "run"), left_out);
}

std::string chosen_text(const std::map<std::string, std::string>& chosen) {
  std::vector<std::string> words;
  for (const auto& [column, value] : chosen)
    words.push_back(
        fmt::format("{} {}", column.substr(column.rfind('.') + 1), value.empty() ? "none" : value));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string headline_of(const SweepReport& record) {
  const std::string measure = plain(record.roles.measure);
  const std::string& start = record.starts.front();
  if (record.ranks.empty()) {
    const SweepCaseMean* const worst = hardest(record, start);
    if (worst == nullptr) return fmt::format("{} with a {}.", some(record.runs, "run"), measure);
    return fmt::format("The {} of {} is worst under {}: {}.", measure, names_of(record.algorithms),
                       plain(worst->shift), value_text(record, worst->value.mean));
  }
  const SweepRank& first = record.ranks.front();
  std::size_t ranked = 0;
  std::vector<std::string> firsts;
  for (const SweepRank& rank : record.ranks) {
    if (rank.start != first.start) continue;
    ++ranked;
    if (rank.rank.value == first.rank.value) firsts.push_back(rank.algorithm);
  }
  std::string text =
      fmt::format("{} {} first of {}{}: mean rank {} over {}, {} {}.", names_of(firsts),
                  firsts.size() == 1 ? "ranks" : "rank", some(ranked, "algorithm"), from(record, first.start),
                  value_words(first.rank, false), some(first.comparisons, "comparison"), measure,
                  value_text(record, first.value.mean));
  if (none_differs(record, first.start))
    return fmt::format("No algorithm differs significantly from {} over all cases. {}",
                       plain(record.roles.baseline), text);
  if (std::ranges::find(firsts, record.roles.baseline) != firsts.end()) return text;
  for (const SweepChange& change : record.changes)
    if (change.algorithm == first.algorithm && change.start == first.start && change.shift.empty() &&
        change.change.mean.value)
      text += fmt::format(" Compared with {}: {}.", plain(record.roles.baseline),
                          change_text(record, change.change.mean));
  return text;
}

std::vector<std::string> findings_of(const SweepReport& record) {
  std::vector<std::string> list;
  if (!record.ranks.empty()) {
    say_ties(record, list);
    if (const SweepCaseMean* const worst = hardest(record, record.starts.front());
        worst != nullptr && std::ranges::any_of(record.case_means, [&](const SweepCaseMean& one) {
          return one.value.mean.value && *one.value.mean.value != *worst->value.mean.value;
        }))
      list.push_back(fmt::format("{} is the hardest case{}: {} {} over all algorithms.", plain(worst->shift),
                                 from(record, worst->start), plain(record.roles.measure),
                                 value_text(record, worst->value.mean)));
  }
  const auto say = [&](const std::string& finding) {
    if (!finding.empty()) list.push_back(finding + ".");
  };
  for (const std::string& start : record.starts) say(changes_finding(record, start));
  for (const std::string& start : record.starts) say(concurrency_finding(record, start));
  for (const SweepStart& one : record.scratch) say(start_finding(record, one));
  for (const char* chooses : {"hyper-parameters", "checkpoint", "epoch"}) say(way_finding(record, chooses));
  say_chance(record, list);
  say_missing(record, list);
  return list;
}

}  // namespace leeway::tasks
