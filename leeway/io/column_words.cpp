#include "leeway/io/column_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leeway/core/message.h"
#include "leeway/io/csv.h"

namespace leeway {
namespace {

// Names of labels in addition to the standard ones: lower case, without blanks and punctuation.
constexpr std::string_view other_label_names[] = {
    "label",   "labels", "y",     "ytrue",       "truelabel", "truelabels", "labeltrue", "target",
    "targets", "class",  "truth", "groundtruth", "gold",      "goldlabel",  "actual",    "trueclass",
    "ytest",   "yval",   "obs",   "observed",    "labelids",  "references", "reference", "testlabels"};

constexpr std::string_view prediction_names[] = {
    "predict",   "ypred",     "pred",      "preds",          "prediction",     "predictions",
    "predicted", "predlabel", "predclass", "predictedlabel", "predictedclass", "yhat"};

constexpr std::string_view time_names[] = {"time",      "times", "timestamp",   "timestamps",
                                           "datetime",  "date",  "eventtime",   "eventdate",
                                           "createdat", "ts",    "predictedat", "day"};

constexpr std::array<std::array<std::string_view, 2>, 6> two_classes{
    {{"false", "true"}, {"no", "yes"}, {"negative", "positive"}, {"neg", "pos"}, {"f", "t"}, {"n", "y"}}};

// Beginnings of names of scores. The longest match applies.
const std::map<ScoreKind, std::vector<std::string_view>> prefixes{
    {ScoreKind::logits, {"logit", "logits", "decision", "decision_function", "margin"}},
    {ScoreKind::probs,
     {"p", "prob", "probs", "proba", "probas", "probability", "probabilities", "softmax", "predict_proba",
      ".pred", "y_prob", "y_proba", "y_pred_prob", "y_pred_proba", "pred_prob", "pred_proba"}},
    {ScoreKind::open, {"score", "scores", "y_score", "output", "outputs", "class"}}};

template <class List>
bool contains(const List& list, std::string_view word) {
  return std::ranges::find(list, word) != std::end(list);
}

// Reduces "1:no" to "no" and stores the name under its number.
void take_name(std::string_view& field, std::map<std::string, std::string>& names) {
  const std::size_t colon = field.find(':');
  if (colon == field.npos || !parse_number(field.substr(0, colon))) return;
  const std::string number(field.substr(0, colon));
  field.remove_prefix(colon + 1);
  if (field == "?")
    field = {};
  else
    names[number] = field;
}

}  // namespace

bool is_standard_label(std::string_view column) { return contains(standard_label_names, column); }

bool is_label(std::string_view column) { return contains(other_label_names, bare_word(column)); }

bool is_misspelt_label(std::string_view column) {
  const std::string word = bare_word(column);
  return std::ranges::any_of(std::array<std::string_view, 4>{"label", "labels", "ytrue", "target"},
                             [&](std::string_view wanted) { return typing_mistakes(word, wanted) == 1; });
}

bool is_scores(std::string_view name) {
  const auto split = split_score_name(name);
  return split && split->suffix.empty() && split->prefix != "class" && !is_prediction(name);
}

bool is_missing(std::string_view field) {
  const std::string word = lower_case(field.substr(std::min(field.find_first_not_of(" \t"), field.size())));
  return word.empty() || contains(std::array<std::string_view, 10>{"nan", "na", "n/a", "<na>", "null", "none",
                                                                   "nat", "nil", "?", "-"},
                                  word.substr(0, word.find_last_not_of(" \t") + 1));
}

bool is_prediction(std::string_view column) { return contains(prediction_names, bare_word(column)); }

bool is_confidence(std::string_view column) {
  return contains(
      std::array<std::string_view, 10>{"confidence", "conf", "maxprob", "probmax", "maxprobability", "msp",
                                       "topprob", "predconf", "maxconf", "confidencescore"},
      bare_word(column));
}

bool are_negative_and_positive(std::string_view first, std::string_view second) {
  const std::string negative = lower_case(first), positive = lower_case(second);
  return std::ranges::find(two_classes, std::array<std::string_view, 2>{negative, positive}) !=
         two_classes.end();
}

bool is_negative(std::string_view name) {
  return name == "0" ||
         std::ranges::any_of(two_classes, [&](const auto& two) { return two[0] == lower_case(name); });
}

bool is_time(std::string_view column) { return contains(time_names, bare_word(column)); }

std::optional<std::string> star_text(std::string_view pattern, std::string_view name) {
  if (pattern == name) return "";
  const auto star = pattern.find('*');
  if (star == std::string_view::npos || name.size() + 1 < pattern.size()) return std::nullopt;
  if (!name.starts_with(pattern.substr(0, star)) || !name.ends_with(pattern.substr(star + 1)))
    return std::nullopt;
  return std::string(name.substr(star, name.size() + 1 - pattern.size()));
}

std::optional<std::size_t> whole_number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string_view without_zeros(std::string_view text) {
  const std::size_t point = text.find('.');
  const bool zeros = point != text.npos && text.find_first_not_of('0', point + 1) == text.npos;
  return zeros && whole_number(text.substr(0, point)) ? text.substr(0, point) : text;
}

bool are_words(const std::set<std::string>& values) {
  const auto is_number = [](const auto& value) { return parse_number(value).has_value(); };
  return !values.empty() && std::ranges::none_of(values, is_number);
}

std::optional<ScoreName> split_score_name(std::string_view column) {
  const std::string small = lower_case(column);
  std::optional<ScoreName> best;
  std::size_t longest = 0;
  for (const auto& [kind, texts] : prefixes)
    for (const std::string_view text : texts) {
      if (!small.starts_with(text) || text.size() < longest) continue;
      std::string_view rest = column.substr(text.size());
      const bool mark = rest.find_first_of("_-.: (/") == 0, digit = rest.find_first_of("0123456789") == 0;
      if (!rest.empty() && !mark && !digit) continue;
      ScoreName split{std::string(text), kind, {}};
      if (mark) {
        split.prefix += rest.front();
        if (rest.front() == '(' && rest.ends_with(')')) rest.remove_suffix(1);
        rest.remove_prefix(1);
      }
      split.suffix = std::string(rest);
      longest = text.size();
      best = std::move(split);
    }
  return best;
}

void read_weka_columns(CsvTable& table, std::string_view name) {
  const auto first = table.find("distribution"), actual = table.find("actual"),
             predicted = table.find("predicted");
  if (!actual || !predicted) return;
  if (!first && table.find("inst#") && table.find("prediction"))
    refuse(name, "a column distribution (Weka writes it with -distribution)",
           "scores of predicted classes only");
  if (!first) return;
  std::size_t end = *first + 1;
  while (end < table.header.size() && table.header[end].empty()) ++end;
  if (end - *first < 2) return;
  std::map<std::string, std::string> names;
  for (const std::size_t column : {*predicted, *actual})
    for (std::string_view& field : table.columns[column]) take_name(field, names);
  for (std::size_t j = *first; j < end; ++j) {
    const auto known = names.find(std::to_string(j - *first + 1));
    table.header[j] =
        "prob_" + (known == names.end() ? fmt::format("class{}", j - *first + 1) : known->second);
    for (std::string_view& field : table.columns[j])
      if (field.starts_with('*')) field.remove_prefix(1);
  }
}

bool is_row_name(std::string_view column) {
  return column.empty() || column == "rownames" || column == "Unnamed: 0";
}

std::vector<std::size_t> numbers_after_word(std::span<const std::string> names) {
  const std::size_t digit = names.front().find_first_of("0123456789");
  if (digit == 0 || digit == std::string::npos) return {};
  std::vector<std::size_t> numbers;
  for (const std::string& name : names) {
    const bool shared = name.starts_with(names.front().substr(0, digit));
    const auto number = shared ? whole_number(std::string_view(name).substr(digit)) : std::nullopt;
    if (!number) return {};
    numbers.push_back(*number);
  }
  return numbers;
}

bool counts_up(std::span<const std::size_t> numbers) {
  const std::set<std::size_t> sorted(numbers.begin(), numbers.end());
  return numbers.size() > 1 && sorted.size() == numbers.size() && *sorted.begin() <= 1 &&
         *sorted.rbegin() - *sorted.begin() + 1 == sorted.size();
}

}  // namespace leeway
