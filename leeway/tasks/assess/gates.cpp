#include "leeway/tasks/assess/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/io/csv.h"
#include "leeway/render/html.h"

namespace leeway::assess {
namespace {

constexpr std::string_view operators = "<>=!";
constexpr std::string_view of_keys = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ()";

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

// A sum or a difference of shares is off by its rounding: 1 - 280/400 is .30000000000000004, which equals .3 here.
bool holds(double value, const std::string& op, double threshold) {
  const double rounding = std::min(1e-14, 1e-9 * std::abs(threshold));
  if (value == threshold || std::abs(value - threshold) <= rounding)
    return op == "<=" || op == ">=" || op == "==";
  return op == "!=" || op[0] == (value < threshold ? '<' : '>');
}

// A gate's value in a result or in a chunk, and whether the gate's condition holds for it.
std::pair<std::optional<double>, bool> judged(const tasks::AssessGate& gate, const Description& describe) {
  const auto number = find_number(describe, gate.key);
  return {number, number && !std::isnan(*number) && holds(*number, gate.op, gate.threshold)};
}

std::string reason(const tasks::AssessResult& result, const std::string& key) {
  auto found = result.not_computed.find(key);
  if (found == result.not_computed.end()) found = result.not_computed.find(key.substr(0, key.find('.')));
  return found != result.not_computed.end() ? found->second : "not computed";
}

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
      "Keys of --fail-if, with range and meaning. Keys of time chunks are in docs/guides/time.md.\n\n";
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
  if (gate.key.empty() || gate.key.find_first_not_of(of_keys) != std::string::npos)
    throw wrong(fmt::format("the key \"{}\"", gate.key));
  const std::string_view tail = trimmed(text.substr(end));
  const auto value = parse_number_or_percent(tail);
  if (!value || std::isnan(*value)) throw wrong(fmt::format("the number \"{}\"", tail));
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

namespace leeway::tasks {
namespace {

// Element and message of a test case; empty where the gate holds no result to it.
std::pair<std::string, std::string> verdict(const Assess& record, const AssessGate& gate,
                                            const AssessResult& result) {
  const auto here = [&](const auto& one) { return one.model == result.model && one.target == result.target; };
  if (const auto found = std::ranges::find_if(gate.violations, here); found != gate.violations.end())
    return {"failure", gate.comparison(found->value)};
  if (const auto found = std::ranges::find_if(gate.chunks, here); found != gate.chunks.end())
    return {"failure",
            fmt::format("{} (first in chunk {}, in {} of {} chunks)", gate.comparison(found->value),
                        found->first, found->violated, found->judged)};
  if (const auto found = std::ranges::find_if(gate.not_computed, here); found != gate.not_computed.end())
    return {record.options.undecided == "fail" ? "failure" : "skipped", "not decided: " + found->reason};
  return {};
}

}  // namespace

std::string junit(const Assess& record) {
  std::string cases;
  std::size_t tests = 0, failures = 0, skipped = 0;
  for (const AssessGate& gate : record.gates)
    for (const AssessResult& result : record.results) {
      const auto [element, message] = verdict(record, gate, result);
      ++tests, failures += element == "failure", skipped += element == "skipped";
      cases +=
          fmt::format("    <testcase classname=\"{}\" name=\"{}\">",
                      render::escape(result.model + " under " + result.target), render::escape(gate.gate));
      if (!element.empty()) cases += fmt::format("<{} message=\"{}\"/>", element, render::escape(message));
      cases += "</testcase>\n";
    }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"leeway assess\" "
      "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n</testsuites>\n",
      tests, failures, skipped, cases);
}

}  // namespace leeway::tasks
