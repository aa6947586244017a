#include "leeway/tasks/assess/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "leeway/core/message.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/assess/assess.h"

namespace leeway::assess {
namespace {

constexpr std::string_view operators = "<>=!";

std::optional<double> number(std::string_view text) {
  const auto value = parse_number_or_percent(text);
  return value && !std::isnan(*value) ? value : std::nullopt;
}

bool key_like(std::string_view key) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ()";
  return !key.empty() && key.find_first_not_of(allowed) == key.npos;
}

// Titles of the terminal's and the page's tables, which are taken for keys.
struct Title {
  std::string_view title, key;
};

constexpr std::array titles{Title{"AFR", "afr_pred"},
                            Title{"AFR(P)", "afr_pred"},
                            Title{"AFR(T)", "afr_true"},
                            Title{"agreement", "pa"},
                            Title{"posterior agreement", "pa"},
                            Title{"error at most", "error_bound"},
                            Title{"bound", "error_bound"},
                            Title{"worst class", "worst_class.accuracy"},
                            Title{"worst group", "worst_group.accuracy"},
                            Title{"source accuracy", "source_accuracy"}};

// The key that a gate names, by itself, by a title or by an estimator alone.
std::string key_of(std::string_view name) {
  for (const auto& [title, key] : titles)
    if (lower_case(name) == lower_case(title)) return std::string(key);
  for (const error_bound::Estimator& member : error_bound::answer_estimators())
    if (lower_case(name) == lower_case(member.name)) return fmt::format("estimates.{}", member.name);
  return std::string(name);
}

// The keys of a result outside of lists, those that are no numbers among them.
const std::vector<Key>& result_keys() {
  static const std::vector<Key> keys = [] {
    tasks::AssessResult result;
    std::vector<Key> all = keys_of([&](Fields& f) { fields(result, f); });
    std::erase_if(all, [](const Key& key) { return key.path.find("[]") != key.path.npos; });
    return all;
  }();
  return keys;
}

// "; did you mean quality.ece?" of ece
std::string nearest_key(const std::string& name) {
  std::vector<std::string> keys, ends;
  for (const Key& key : gate_keys()) {
    keys.push_back(key.path);
    if (key.path.ends_with("." + name)) ends.push_back(key.path);
  }
  if (!ends.empty()) return fmt::format("; did you mean {}?", std::ranges::min(ends, {}, &std::string::size));
  for (const auto& [title, key] : titles) keys.emplace_back(title);
  return did_you_mean(name, keys);
}

// "a number from 0 to 1"
std::string range_words(const Key& key) { return key.type.substr(0, key.type.find(", or null")); }

// GateError: no result has the key, its value is no number, or none of its values can meet the condition.
void check_key(const tasks::AssessGate& gate) {
  const auto wrong = [&](const std::string& expected, const std::string& found) {
    return tasks::GateError(fmt::format("gate \"{}\": expected {}, found {}", gate.gate, expected, found));
  };
  const auto known = std::ranges::find(result_keys(), gate.key, &Key::path);
  if (known == result_keys().end())
    throw wrong(
        "a key of a result such as accuracy",
        fmt::format("{}{} (leeway assess --list-keys prints all keys)", gate.key, nearest_key(gate.key)));
  if (!known->number)
    throw wrong("a key whose value is a number", fmt::format("{}, {}", gate.key, range_words(*known)));
  const auto [least, most] = known->range;
  const double threshold = gate.threshold;
  if (threshold < least || threshold > most) {
    const bool percent = !gate.gate.ends_with('%') && threshold / 100 >= least && threshold / 100 <= most;
    throw wrong(
        fmt::format("{} for {}{}", range_words(*known), gate.key,
                    percent ? fmt::format(" (write {0:g}% or {1:g})", threshold, threshold / 100) : ""),
        gate.value_text(threshold));
  }
  if ((gate.op == "<" && threshold == least) || (gate.op == ">" && threshold == most))
    throw wrong("a condition that can hold",
                fmt::format("one that cannot: {} is {}", gate.key, range_words(*known)));
}

bool holds(double value, const std::string& op, double threshold) {
  if (value == threshold) return op == "<=" || op == ">=" || op == "==";
  return op == "!=" || op[0] == (value < threshold ? '<' : '>');
}

// A share and the key, beside it, of the number of samples that it is a share of.
struct Counted {
  std::string_view share, samples;
};

// A key that counts make: a share, or the difference of two.
struct CountedKey {
  std::string_view key;
  Counted first, second;
};

constexpr Counted alone{};
constexpr std::array counted_keys{
    CountedKey{"accuracy", {"accuracy", "n"}, alone},
    CountedKey{"afr_pred", {"afr_pred", "n"}, alone},
    CountedKey{"afr_true", {"afr_true", "n"}, alone},
    CountedKey{"source_accuracy", {"source_accuracy", "source_n"}, alone},
    CountedKey{"accuracy_change", {"accuracy", "n"}, {"source_accuracy", "source_n"}},
    CountedKey{"source_error", {"source_error", "n_source"}, alone},
    CountedKey{"agreement_source", {"agreement_source", "n_source"}, alone},
    CountedKey{"agreement_target", {"agreement_target", "n_target"}, alone},
    CountedKey{"discrepancy", {"agreement_source", "n_source"}, {"agreement_target", "n_target"}}};

struct Fraction {
  double count = 0, n = 1;
};

// The number at a dotted key of one result.
using LookUp = std::function<std::optional<double>(const std::string& key)>;

// The count that makes the share, where there is one.
std::optional<Fraction> fraction(const LookUp& look_up, const std::string& holder, const Counted& counted) {
  const auto share = look_up(holder + std::string(counted.share)),
             samples = look_up(holder + std::string(counted.samples));
  if (!share || !samples) return {};
  const Fraction found{std::round(*share * *samples), *samples};
  const bool whole = found.n > 0 && std::abs(found.count / found.n - *share) < 1e-12;
  return whole && found.n < 0x1p53 ? std::optional(found) : std::nullopt;
}

// The value under the last name of `key`, rounded once from its counts: equal to the double of a threshold of equal
// value, whatever the sums that led to the record's number. Nothing where no counts make it.
std::optional<double> from_counts(const LookUp& look_up, const std::string& key) {
  const std::size_t dot = key.rfind('.'), last = dot == std::string::npos ? 0 : dot + 1;
  const std::string holder = key.substr(0, last);
  const auto known = std::ranges::find(counted_keys, key.substr(last), &CountedKey::key);
  if (known == counted_keys.end()) return {};
  const auto a = fraction(look_up, holder, known->first);
  if (!a || known->second.share.empty()) return a ? std::optional(a->count / a->n) : std::nullopt;
  const auto b = fraction(look_up, holder, known->second);
  if (!b) return {};
  const double numerator = a->count * b->n - b->count * a->n, denominator = a->n * b->n;
  if (denominator >= 0x1p53) return {};  // products are exact below
  return numerator / denominator;
}

// A gate's value in a result or in a chunk.
struct Judged {
  std::optional<double> number;
  bool holds = false;
};

Judged judged(const tasks::AssessGate& gate, const Description& describe) {
  const LookUp look_up = [&](const std::string& key) { return find_number(describe, key).number; };
  const auto number = look_up(gate.key);
  if (!number || std::isnan(*number)) return {number};
  return {number, holds(from_counts(look_up, gate.key).value_or(*number), gate.op, gate.threshold)};
}

std::string reason(const tasks::AssessResult& result, const std::string& key) {
  auto found = result.not_computed.find(key);
  if (found == result.not_computed.end()) found = result.not_computed.find(key.substr(0, key.find('.')));
  return found != result.not_computed.end() ? found->second : "not computed";
}

// The chunks for which the gate holds.
tasks::AssessGate::Chunks check_chunks(const tasks::AssessGate& gate, tasks::AssessTimeline timeline) {
  tasks::AssessGate::Chunks found{timeline.model, timeline.target, "", {}, 0, 0, 0};
  for (tasks::TimelineChunk& chunk : timeline.chunks) {
    const auto [number, holds] = judged(gate, [&](Fields& f) { fields(chunk, f); });
    found.judged += number && !std::isnan(*number);
    if (holds && found.violated++ == 0)
      found.first = chunk.chunk, found.start = chunk.start, found.value = *number;
  }
  return found;
}

}  // namespace

std::vector<Key> gate_keys() {
  std::vector<Key> keys = result_keys();
  std::erase_if(keys, [](const Key& key) { return !key.number; });
  return keys;
}

std::string gate_key_list() {
  std::string text =
      "Keys of --fail-if, with range and meaning. Keys of time chunks are in docs/time.md.\n\n";
  for (const Key& key : gate_keys())
    text += fmt::format("{}: {}; {}\n", key.path, range_words(key), key.meaning);
  return text;
}

tasks::AssessGate parse_gate(std::string_view text) {
  const auto wrong = [&](const std::string& found) {
    return tasks::GateError(
        fmt::format("gate \"{}\": expected KEY OP NUMBER such as accuracy<0.8, found {}", text, found));
  };
  const std::size_t begin = text.find_first_of(operators);
  if (begin == std::string_view::npos) throw wrong("no comparison (< <= > >= == !=)");
  const std::size_t end = std::min(text.find_first_not_of(operators, begin), text.size());
  tasks::AssessGate gate;
  gate.gate = text;
  gate.key = key_of(trimmed(text.substr(0, begin)));
  gate.op = text.substr(begin, end - begin);
  constexpr std::array allowed{"<", "<=", ">", ">=", "==", "!="};
  if (std::find(allowed.begin(), allowed.end(), gate.op) == allowed.end())
    throw wrong(fmt::format("the comparison \"{}\"", gate.op));
  if (!key_like(gate.key)) throw wrong(fmt::format("the key \"{}\"", gate.key));
  const std::string_view tail = trimmed(text.substr(end));
  const auto value = number(tail);
  if (!value) throw wrong(fmt::format("the number \"{}\"", tail));
  gate.threshold = *value;
  check_key(gate);
  return gate;
}

void check_threshold(const tasks::AssessGate& gate, std::size_t k) {
  const double most = std::log(static_cast<double>(k));
  const bool pa = gate.key == "pa" || gate.key == "pa_low" || gate.key == "pa_high";
  if (pa ? gate.threshold <= most : gate.key != "log_pa_mean" || gate.threshold >= -most) return;
  throw tasks::GateError(
      fmt::format("gate \"{}\": expected a number from {:.4g} to {:.4g} for {}, whose limit is log k for k = "
                  "{}, found {}",
                  gate.gate, pa ? 0 : -most, pa ? most : 0, gate.key, k, gate.value_text(gate.threshold)));
}

tasks::AssessGate check_gate(tasks::AssessGate gate, const std::vector<tasks::AssessResult>& results,
                             const std::vector<tasks::AssessTimeline>& timelines) {
  for (tasks::AssessResult result : results) {  // a copy: a description takes what it reads and writes alike
    const auto [number, holds] = judged(gate, [&](Fields& f) { fields(result, f); });
    if (holds)
      gate.violations.push_back({result.model, result.target, *number});
    else if (!number || std::isnan(*number))
      gate.not_computed.push_back(
          {result.model, result.target, number ? "not a number" : reason(result, gate.key)});
  }
  for (const tasks::AssessTimeline& timeline : timelines)
    if (tasks::AssessGate::Chunks found = check_chunks(gate, timeline); found.violated > 0)
      gate.chunks.push_back(std::move(found));
  return gate;
}

}  // namespace leeway::assess
