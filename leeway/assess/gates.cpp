#include "leeway/assess/gates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "leeway/core/error.h"

namespace leeway::assess {
namespace {

constexpr std::string_view operators = "<>=!";

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> number(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size() || std::isnan(value)) return {};
  return value;
}

bool key_like(std::string_view key) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !key.empty() && std::all_of(key.begin(), key.end(), allowed);
}

bool holds(double value, const std::string& op, double threshold) {
  if (op == "<") return value < threshold;
  if (op == "<=") return value <= threshold;
  if (op == ">") return value > threshold;
  if (op == ">=") return value >= threshold;
  if (op == "==") return value == threshold;
  return value != threshold;
}

// What keys a class, a group or the bound's terms have, for gates on inputs that have none.
constexpr std::array nested_keys{"class",
                                 "group",
                                 "level",
                                 "name",
                                 "n",
                                 "source_n",
                                 "source_accuracy",
                                 "accuracy",
                                 "low",
                                 "high",
                                 "afr_pred",
                                 "afr_low",
                                 "afr_high",
                                 "source_error",
                                 "discrepancy",
                                 "concentration",
                                 "estimate",
                                 "n_source",
                                 "n_target",
                                 "training_source",
                                 "training_target",
                                 "agreement_source",
                                 "agreement_target",
                                 "validity_score"};

struct Found {
  bool known = false;  // the result has the key, be it null
  Json value;
};

Found look_up(const Json& result, const std::string& key) {
  const Json* at = &result;
  std::size_t begin = 0;
  while (begin <= key.size()) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const std::string name = key.substr(begin, end - begin);
    if (at->is_null())
      return {
          std::find(nested_keys.begin(), nested_keys.end(), name) != nested_keys.end() && end == key.size(),
          {}};
    if (!at->is_object() || !at->contains(name)) return {};
    at = &(*at)[name];
    begin = end + 1;
  }
  return {true, *at};
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

// The count that makes the share, where there is one.
std::optional<Fraction> fraction(const Json& object, const Counted& counted) {
  const std::string share(counted.share), samples(counted.samples);
  if (!object.contains(share) || !object.contains(samples) || !object[share].is_number() ||
      !object[samples].is_number())
    return {};
  const Fraction found{std::round(object[share].get<double>() * object[samples].get<double>()),
                       object[samples].get<double>()};
  const bool whole = found.n > 0 && std::abs(found.count / found.n - object[share].get<double>()) < 1e-12;
  return whole && found.n < 0x1p53 ? std::optional(found) : std::nullopt;
}

// The value under the last name of `key`, rounded once from its counts: equal to the double of a threshold of equal
// value, whatever the sums that led to the record's number. Nothing where no counts make it.
std::optional<double> from_counts(const Json& result, const std::string& key) {
  const std::size_t dot = key.rfind('.');
  const Found nested = dot == std::string::npos ? Found{} : look_up(result, key.substr(0, dot));
  const Json& holder = dot == std::string::npos ? result : nested.value;
  const auto known =
      std::ranges::find(counted_keys, key.substr(dot == std::string::npos ? 0 : dot + 1), &CountedKey::key);
  if (!holder.is_object() || known == counted_keys.end()) return {};
  const auto a = fraction(holder, known->first);
  if (!a || known->second.share.empty()) return a ? std::optional(a->count / a->n) : std::nullopt;
  const auto b = fraction(holder, known->second);
  if (!b) return {};
  const double numerator = a->count * b->n - b->count * a->n, denominator = a->n * b->n;
  if (denominator >= 0x1p53) return {};  // products are exact below
  return numerator / denominator;
}

std::optional<double> as_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string() && (value == "inf" || value == "-inf" || value == "nan"))
    return number_from_json(value);
  return {};
}

std::string reason(const Json& result, const std::string& key) {
  const std::string top = key.substr(0, key.find('.'));
  if (result.contains("not_computed") && result["not_computed"].contains(top))
    return result["not_computed"][top].get<std::string>();
  return "it was not computed";
}

}  // namespace

Gate parse_gate(std::string_view text) {
  const auto wrong = [&](const std::string& found) {
    return Error(
        fmt::format("gate \"{}\": expected KEY OP NUMBER such as accuracy<0.8, found {}", text, found));
  };
  const std::size_t begin = text.find_first_of(operators);
  if (begin == std::string_view::npos) throw wrong("no comparison (< <= > >= == !=)");
  const std::size_t end = std::min(text.find_first_not_of(operators, begin), text.size());
  Gate gate{std::string(text), std::string(trimmed(text.substr(0, begin))),
            std::string(text.substr(begin, end - begin)), 0};
  constexpr std::array allowed{"<", "<=", ">", ">=", "==", "!="};
  if (std::find(allowed.begin(), allowed.end(), gate.op) == allowed.end())
    throw wrong(fmt::format("the comparison \"{}\"", gate.op));
  if (!key_like(gate.key)) throw wrong(fmt::format("the key \"{}\"", gate.key));
  const std::string_view tail = trimmed(text.substr(end));
  const auto value = number(tail);
  if (!value) throw wrong(fmt::format("the number \"{}\"", tail));
  gate.threshold = *value;
  return gate;
}

GateOutcome check_gate(const Gate& gate, const Json& results) {
  GateOutcome outcome{gate, {}, {}, results.size()};
  bool known = false;
  for (const Json& result : results) {
    const std::string model = result["model"], target = result["target"];
    const Found found = look_up(result, gate.key);
    known |= found.known;
    if (!found.known || found.value.is_null()) {
      outcome.missing.push_back({model, target, reason(result, gate.key)});
      continue;
    }
    const auto value = as_number(found.value);
    if (!value)
      throw Error(fmt::format(
          "gate \"{}\": expected a key whose value is a number, found {} to be {}", gate.text, gate.key,
          found.value.is_object() || found.value.is_array() ? found.value.type_name() : found.value.dump()));
    if (std::isnan(*value)) {
      outcome.missing.push_back({model, target, "it is not a number"});
    } else if (holds(from_counts(result, gate.key).value_or(*value), gate.op, gate.threshold)) {
      outcome.violations.push_back({model, target, *value});
    }
  }
  if (!known)
    throw Error(
        fmt::format("gate \"{}\": expected a key of a result such as accuracy, found {}, which no result has",
                    gate.text, gate.key));
  return outcome;
}

Json to_json(const GateOutcome& outcome) {
  Json violations = Json::array(), missing = Json::array();
  for (const auto& v : outcome.violations)
    violations.push_back({{"model", v.model}, {"target", v.target}, {"value", json_number(v.value)}});
  for (const auto& m : outcome.missing)
    missing.push_back({{"model", m.model}, {"target", m.target}, {"reason", m.reason}});
  return {{"gate", outcome.gate.text},
          {"key", outcome.gate.key},
          {"op", outcome.gate.op},
          {"threshold", json_number(outcome.gate.threshold)},
          {"violated", !outcome.violations.empty()},
          {"violations", violations},
          {"not_computed", missing}};
}

std::string describe(const GateOutcome& outcome) {
  const auto& violations = outcome.violations;
  const std::size_t missing = outcome.missing.size();
  if (violations.empty() && missing == outcome.results)
    return fmt::format("gate {}: undecided, no result has a value", outcome.gate.text);
  if (violations.empty() && missing > 0)
    return fmt::format("gate {}: not violated, {} {} undecided", outcome.gate.text, missing,
                       missing == 1 ? "result" : "results");
  if (violations.empty()) return fmt::format("gate {}: not violated", outcome.gate.text);
  std::string text = fmt::format("gate {}: violated by {} under {} ({:.6g})", outcome.gate.text,
                                 violations[0].model, violations[0].target, violations[0].value);
  if (violations.size() > 1)
    text += fmt::format(" and {} {}", violations.size() - 1, violations.size() == 2 ? "other" : "others");
  return text;
}

}  // namespace leeway::assess
