#include "leeway/io/outputs_csv.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/probabilities.h"
#include "leeway/io/column_words.h"
#include "leeway/io/csv.h"
#include "leeway/io/outputs_arrays.h"
#include "leeway/io/outputs_columns.h"

namespace leeway {
namespace {

using Texts = std::vector<std::string>;
using Ignored = decltype(OutputsColumns::ignored);

Array text_vector(const std::vector<std::string_view>& fields) {
  return make_text_array(Texts(fields.begin(), fields.end()));
}

// The names of two classes, the negative class first; nothing if the names do not show which it is.
std::optional<Texts> signs_of(const std::set<std::string>& names) {
  if (names.size() != 2) return std::nullopt;
  const std::string &first = *names.begin(), &second = *names.rbegin();
  if (are_negative_and_positive(first, second)) return Texts{first, second};
  return are_negative_and_positive(second, first) ? std::optional(Texts{second, first}) : std::nullopt;
}

class OutputsCsvReading {
 public:
  OutputsCsvReading(std::string_view text, std::string_view name, const OutputsOptions& options)
      : name_(name), options_(options), columns_(options.columns) {
    columns_.separator = options.columns.separator.value_or(find_separator(text, name));
    table_ =
        parse_csv(text, name,
                  {.separator = *columns_.separator, .numbered_header = true, .any_header = columns_.frame});
    read_weka_columns(table_, name);
  }

  TableOfOutputs outputs() {
    const OutputsColumns found = name_columns(table_, columns_, name_);
    classes_ = found.classes;
    if (*columns_.separator != ',')
      say(fmt::format("{} between columns", separator_name(*columns_.separator)));
    label_ = found.label;
    if (label_ && label_values_of(table_, label_).empty()) label_.reset();
    add_scores();
    if (found.label)
      add_labels(*found.label, found.ignored);
    else
      suggest_labels(found);
    Texts features;
    for (const std::size_t j : found.features) features.push_back(header(j).substr(5));
    if (!features.empty()) result_.arrays["features"] = matrix(found.features);
    if (!features.empty()) result_.arrays["feature_names"] = make_text_array(std::move(features));
    add_groups(found);
    add_ids(found);
    if (found.time) add_times(*found.time);
    if (found.norm) result_.arrays["norms"] = make_array({table_.rows()}, numbers(*found.norm));
    add_ignored(found);
    compare_predictions(found);
    if (comma_) remark("decimal commas");
    if (remarkable_) result_.reading = fmt::format("{}: {}", name_, fmt::join(parts_, "; "));
    return std::move(result_);
  }

  Array labels() {
    const std::size_t column = find_label_column(table_, columns_, name_);
    return label_array(column);
  }

 private:
  // Adds to the line about the reading, which is printed if it has a remark.
  void say(std::string part, bool remark = false) {
    parts_.push_back(std::move(part));
    remarkable_ = remarkable_ || remark;
  }
  void remark(std::string part) { say(std::move(part), true); }
  const std::string& header(std::size_t column) const { return table_.header[column]; }

  double number_at(std::size_t column, std::size_t row) const {
    const std::string_view field = table_.columns[column][row];
    const auto value = csv_number(field, *columns_.separator);
    if (!value)
      refuse(name_, fmt::format("numbers in column {}", in_quotes(header(column))),
             fmt::format("{} at row {}", in_quotes(field), row));
    return *value;
  }

  std::vector<double> numbers(std::size_t column) {
    const auto& fields = table_.columns[column];
    std::vector<double> values(fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      values[i] = number_at(column, i);
      const bool comma = fields[i].find(',') != fields[i].npos;
      if ((comma && point_) || (comma_ && fields[i].find('.') != fields[i].npos))
        refuse(name_, "one decimal mark",
               fmt::format("decimal commas and decimal points, first mixed in {} at row {}",
                           in_quotes(fields[i]), i));
      comma_ = comma_ || comma;
      point_ = point_ || fields[i].find('.') != fields[i].npos;
    }
    return values;
  }

  Array matrix(const std::vector<std::size_t>& columns) {
    const std::size_t n = table_.rows(), k = columns.size();
    std::vector<double> values(n * k);
    for (std::size_t j = 0; j < k; ++j) {
      const auto column = numbers(columns[j]);
      for (std::size_t i = 0; i < n; ++i) values[i * k + j] = column[i];
    }
    return make_array({n, k}, std::move(values));
  }

  void add_scores() {
    Array scores = matrix(classes_.columns);
    if (classes_.columns.size() == 1) return add_vector(std::move(scores));
    bool probs = classes_.kind == ScoreKind::probs;
    if (classes_.kind == ScoreKind::open) probs = opens_as_probs(scores);
    if (!probs && classes_.kind == ScoreKind::open && columns_.frame && columns_.classes.empty())
      refuse_counts();
    say(fmt::format("{} of {} classes from {}", probs ? "probabilities" : "logits", classes_.columns.size(),
                    column_list(table_, classes_.columns)),
        !classes_.standard);
    if (!classes_.names.empty()) result_.arrays["class_names"] = make_text_array(classes_.names);
    result_.arrays[probs ? "probs" : "logits"] = std::move(scores);
  }

  // Of a data frame: ages or labels of an unknown name beside logits, which are not whole.
  void refuse_counts() {
    std::vector<std::size_t> whole;
    bool fractions = false;
    const auto is_whole = [](double value) { return value == std::floor(value); };
    for (const std::size_t j : classes_.columns)
      if (const auto values = numbers(j); !std::ranges::all_of(values, is_whole))
        fractions = true;
      else if (std::ranges::count(values, 0.) < std::ssize(values))
        whole.push_back(j);
    if (fractions && !whole.empty())
      refuse(name_, "only columns of scores, or --class-columns and --label-column",
             fmt::format("only integers in {}", column_list(table_, whole)));
  }

  bool opens_as_probs(const Array& scores) const {
    if (options_.as != Scores::automatic) return options_.as == Scores::probs;
    if (table_.rows() == 0) return false;
    if (are_probabilities(scores) || are_rounded_probabilities(scores)) return true;
    refuse_percentages(scores, name_);
    const auto values = scores.view<double>();
    const bool shares = std::ranges::all_of(values, [](double v) { return v >= 0 && v <= 1; });
    if (shares)
      refuse(name_, "rows that sum to 1, or --as logits",
             fmt::format("numbers from 0 to 1 with other sums in {}", column_list(table_, classes_.columns)));
    return false;
  }

  // One column: the positive class of two. A column of unknown kind stays a vector, which requires --binary.
  void add_vector(Array scores) {
    const std::size_t column = classes_.columns.front();
    const auto values = scores.view<double>();
    std::optional<Binary> binary;
    if (options_.binary != Binary::refuse) binary = options_.binary;
    const bool decided = binary.has_value();
    const auto split = split_score_name(header(column));
    if (columns_.classes.empty() && split && is_negative(split->suffix) &&
        !are_words(label_values_of(table_, label_)))
      refuse(name_,
             fmt::format("scores of the positive class, or --class-columns {} to use these", header(column)),
             fmt::format("only column {}, of the negative class", in_quotes(header(column))));
    if (!decided) refuse_confidences(values, column, split && !split->suffix.empty());
    if (!decided && classes_.positive) binary = kind_of(values, column);
    if (!binary) {
      result_.arrays[classes_.kind == ScoreKind::probs ? "probs" : "logits"] = std::move(scores);
      return;
    }
    const bool probs = *binary == Binary::prob;
    if (decided && !probs && classes_.kind == ScoreKind::probs)
      refuse(name_, "logits (--binary logit)",
             fmt::format("probabilities in column {}", in_quotes(header(column))));
    const std::optional<Texts> names = names_of_two();
    remark(fmt::format("{} of the positive class{} from {}", probs ? "probability" : "logit",
                       names ? " (" + printable(names->back()) + ")" : "", printable(header(column))));
    if (names) result_.arrays["class_names"] = make_text_array(*names);
    result_.arrays[probs ? "probs" : "logits"] = positive_class_pairs(values, probs);
  }

  // By name, or for a score by value.
  std::optional<Binary> kind_of(std::span<const double> values, std::size_t column) {
    if (classes_.kind == ScoreKind::probs) return Binary::prob;
    if (classes_.kind == ScoreKind::logits) return Binary::logit;
    const std::string column_name = in_quotes(header(column));
    if (std::ranges::all_of(values, [](double v) { return v == 0 || v == 1; }))
      refuse(name_, "scores (--binary prob reads 0 and 1 as probabilities)",
             fmt::format("only 0 and 1 in column {}", column_name));
    if (std::ranges::all_of(values, [](double v) { return v >= 0 && v <= 1; })) {
      result_.warnings.push_back(fmt::format(
          "{}: {} is read as the probability of the positive class, because all values are from 0 "
          "to 1 (--binary logit changes this)",
          name_, column_name));
      return Binary::prob;
    }
    if (std::ranges::any_of(values, [](double v) { return v < 0; })) {
      result_.warnings.push_back(
          fmt::format("{}: {} is read as the logit of the positive class, because some values are negative "
                      "(--binary prob changes this)",
                      name_, column_name));
      return Binary::logit;
    }
    refuse(name_, "--binary logit or --binary prob, for a score of the positive class",
           fmt::format("numbers above 1, but none below 0, in column {}", column_name));
  }

  // The confidence of the predicted class, which is no score of the positive class: of more than two classes,
  // label and score of Hugging Face's pipelines, or at least 1/2 in all rows, be they `enough` or predicted as
  // other classes than 1. Other scores that are never small are a warning.
  void refuse_confidences(std::span<const double> values, std::size_t column, bool named) {
    constexpr std::size_t enough = 20, few = 5;
    std::vector<std::size_t> truths;
    std::optional<std::size_t> label;
    std::size_t k = 1;
    bool pipeline = false, predicted = false;
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      const bool piped = lower_case(header(j)) == "label" && lower_case(header(column)) == "score",
                 truth = columns_.label && !piped ? j == label_ : is_label(header(j));
      if (j == column || !(truth || is_prediction(header(j)))) continue;
      if (truth) truths.push_back(j);
      const std::set<std::string> classes = classes_in(j);
      pipeline = pipeline || (piped && are_words(classes));
      predicted = predicted || (is_prediction(header(j)) && classes.size() > classes.count("1"));
      if (piped || classes.size() > (label ? k : 0)) label = j, k = std::max(k, classes.size());
    }
    const double least = 1 / static_cast<double>(pipeline ? std::max<std::size_t>(k, 2) : 2);
    const bool alone = !label && !named, many = values.size() >= enough;
    const auto within = [&](double low) {
      return std::ranges::all_of(values, [&](double v) { return v >= low && v <= 1; });
    };
    if (within(least) && (pipeline || predicted || ((k > 1 || alone) && many)))
      refuse(name_,
             "a score for every class (top_k=None in Hugging Face's pipeline; --binary prob, if the score is "
             "the probability of the positive class)",
             fmt::format("confidences of predicted classes: no score below {:.3g} in {}", least,
                         column_list(table_, label ? std::vector{*label, column} : std::vector{column})));
    if (truths.size() > 1 && !columns_.label)  // one of them may be a prediction
      refuse(name_, "one column of labels (select it with --label-column)", column_list(table_, truths));
    if (k > 2)
      refuse(name_, "a score for every class",
             fmt::format("one score, {}, of {} classes in {}", printable(header(column)), k,
                         printable(header(*label))));
    if ((within(least) && values.size() >= few) || (within(0.1) && alone && many))
      result_.warnings.push_back(
          fmt::format("{}: {} is read as the score of the positive class, although none of its values is "
                      "small, as with confidences of predicted classes (--binary prob confirms this)",
                      name_, in_quotes(header(column))));
  }

  // The words or whole numbers of a column; none beside other numbers. -1 is a missing label of more than two.
  std::set<std::string> classes_in(std::size_t column) const {
    std::set<std::string> classes;
    for (const std::string& value : label_values_of(table_, column)) {
      if (const auto number = parse_number(value); number && *number != std::floor(*number)) return {};
      classes.emplace(without_zeros(value));
    }
    if (classes.size() > 2) classes.erase("-1");
    return classes;
  }

  // The negative and the positive class, if labels are text.
  std::optional<Texts> names_of_two() const {
    if (columns_.class_names.size() == 2 &&
        columns_.class_names.front() == (classes_.names.empty() ? "" : classes_.names.front()))
      refuse(
          name_,
          fmt::format("--class-names {},{}, because column {} scores the last class", columns_.class_names[1],
                      columns_.class_names[0], in_quotes(header(classes_.columns.front()))),
          fmt::format("{} last", in_quotes(columns_.class_names[1])));
    if (columns_.class_names.size() == 2) return columns_.class_names;
    const std::set<std::string> values = label_values_of(table_, label_);
    if (!are_words(values)) return std::nullopt;
    if (!classes_.names.empty() && values.size() <= 2) {
      const std::string& positive = classes_.names.front();
      for (const std::string& value : values)
        if (value != positive && (values.size() == 1 || values.contains(positive)))
          return Texts{value, positive};
    }
    if (const auto known = signs_of(values)) return known;
    refuse(name_, "--class-names NEGATIVE,POSITIVE, because one score is given and labels are text",
           fmt::format("labels {}", printable(fmt::format("{}", fmt::join(values, " and ")), 100)));
  }

  // The class names that labels may have.
  Texts class_names() const {
    const auto found = result_.arrays.find("class_names");
    if (!columns_.class_names.empty()) return columns_.class_names;
    return found == result_.arrays.end() ? Texts{} : *found->second.texts;
  }

  // Text if class names are words or no label is a number; missing labels are "" or NaN.
  Array label_array(std::size_t column) {
    const auto& fields = table_.columns[column];
    const Texts names = class_names();
    const auto is_number = [](std::string_view text) { return parse_number(text).has_value(); };
    const auto named = [&](std::string_view field) {
      return std::ranges::find(names, std::string(trimmed(field))) != names.end();
    };
    const auto missing = [&](std::string_view field) { return is_missing(field) && !named(field); };
    const bool words = std::ranges::any_of(names, [&](const auto& name) { return !is_number(name); });
    const bool all_named = !names.empty() && std::ranges::all_of(fields, [&](const auto& field) {
      return named(field) || missing(field);
    });
    const bool no_number =
        std::ranges::none_of(fields, [&](const auto& field) { return is_number(field) && !missing(field); });
    if (!fields.empty() && (all_named || no_number || (words && std::ranges::any_of(fields, named)))) {
      Texts texts;
      texts.reserve(fields.size());
      for (const auto field : fields) texts.emplace_back(missing(field) ? "" : trimmed(field));
      return make_text_array(std::move(texts));
    }
    std::vector<double> values;
    for (std::size_t i = 0; i < fields.size(); ++i)
      values.push_back(missing(fields[i]) ? NAN : number_at(column, i));
    if (!names.empty() && !words) place_labels(values, names);
    const std::size_t n = values.size();
    return make_array({n}, std::move(values));
  }

  // Replaces labels of classes named 1, 2, 3 or 3, 7 by the places of the classes.
  void place_labels(std::vector<double>& values, const Texts& names) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i])) continue;
      const auto found =
          std::ranges::find_if(names, [&](const auto& name) { return *parse_number(name) == values[i]; });
      if (found == names.end() && values[i] != no_label)
        refuse(name_,
               fmt::format("labels among the classes of the columns, {} (--class-names sets other names)",
                           comma_list(names)),
               fmt::format("{} at row {}", values[i], i));
      values[i] = found == names.end() ? NAN : static_cast<double>(found - names.begin());
    }
  }

  // Without a label column: names the columns that hold nothing but classes.
  void suggest_labels(const OutputsColumns& found) {
    if (columns_.label) return;
    const Texts names = class_names();
    const std::size_t k = std::max<std::size_t>(classes_.columns.size(), 2);
    std::vector<std::size_t> likely;
    for (const auto& [column, why] : found.ignored) {
      const std::set<std::string> values = label_values_of(table_, column);
      const auto is_class = [&](const std::string& value) {
        const auto number = parse_number(value);
        return std::ranges::find(names, value) != names.end() ||
               (number && *number >= -1 && *number <= static_cast<double>(k) &&
                *number == std::floor(*number));
      };
      if (why.empty() && values.size() > 1 && values.size() <= k &&
          (std::ranges::all_of(values, is_class) || (classes_.columns.size() == 1 && are_words(values))))
        likely.push_back(column);
    }
    if (!likely.empty() && (k == 2 || likely.size() < k))
      result_.warnings.push_back(
          fmt::format("{}: no labels, because no column has a known label name; --label-column selects one "
                      "(candidates: {}; none: no labels)",
                      name_, column_list(table_, likely)));
  }

  void add_labels(std::size_t column, const Ignored& ignored) {
    if (!label_) return remark(fmt::format("no labels: {} is empty", in_quotes(header(column))));
    result_.arrays["labels"] = label_array(column);
    say(fmt::format("labels from {}", printable(header(column))), !is_standard_label(header(column)));
    std::vector<std::size_t> others;
    for (const auto& [other, why] : ignored)
      if (is_label(header(other))) others.push_back(other);
    if (!others.empty() && !columns_.label)
      result_.warnings.push_back(
          fmt::format("{}: labels from {}; ignored: {} (--label-column selects other labels)", name_,
                      printable(header(column)), column_list(table_, others)));
  }

  // H2O, for example, predicts by the threshold of the best F1, not by the largest score.
  void compare_predictions(const OutputsColumns& found) {
    const Array& scores = result_.arrays.at(result_.arrays.contains("probs") ? "probs" : "logits");
    if (scores.shape.size() != 2) return;
    const std::size_t k = scores.shape[1];
    Texts names = class_names();
    for (std::size_t j = 0; names.size() == j && j < k; ++j) names.push_back(std::to_string(j));
    if (names.size() != k) return;
    for (const auto& [column, why] : found.ignored) {
      if (!is_prediction(header(column))) continue;
      std::size_t others = 0;
      for (std::size_t i = 0; i < table_.rows(); ++i) {
        const auto row = scores.view<double>().subspan(i * k, k);
        const auto name = std::ranges::find(names, trimmed(table_.columns[column][i]));
        if (name == names.end()) return;
        if (row[static_cast<std::size_t>(name - names.begin())] < std::ranges::max(row)) ++others;
      }
      if (others > 0)
        result_.warnings.push_back(fmt::format(
            "{}: {} is not the class of the largest score in {} of {} rows; leeway uses the largest score",
            name_, in_quotes(header(column)), others, table_.rows()));
    }
  }

  void add_groups(const OutputsColumns& found) {
    if (found.groups.empty()) return;
    Texts values;
    values.reserve(table_.rows() * found.groups.size());
    for (std::size_t i = 0; i < table_.rows(); ++i)
      for (const std::size_t j : found.groups) values.emplace_back(table_.columns[j][i]);
    result_.arrays["groups"] = make_text_array({table_.rows(), found.groups.size()}, std::move(values));
    result_.arrays["group_names"] = make_text_array(found.group_names);
    say(fmt::format("groups from {}", column_list(table_, found.groups)));
  }

  void add_ids(const OutputsColumns& found) {
    if (!found.id) return;
    result_.arrays["ids"] = text_vector(table_.columns[*found.id]);
    say(fmt::format("ids from {}", printable(header(*found.id))), header(*found.id) != "id");
  }

  void add_times(std::size_t column) {
    result_.arrays[columns_.time.value_or("time")] = text_vector(table_.columns[column]);
    say(fmt::format("times from {}", printable(header(column))), header(column) != "time");
  }

  void add_ignored(const OutputsColumns& found) {
    if (found.ignored.empty()) return;
    Texts known;
    std::vector<std::size_t> others;
    for (const auto& [column, why] : found.ignored) {
      if (why.empty())
        others.push_back(column);
      else if (known.size() < most_listed)
        known.push_back(fmt::format("{} ({})", in_quotes(header(column)), why));
      else if (known.size() == most_listed)
        known.emplace_back("...");
    }
    if (!others.empty())
      known.push_back(fmt::format("{} (see --group-columns and --id-column)", column_list(table_, others)));
    remark("ignored: " + fmt::format("{}", fmt::join(known, ", ")));
  }

  static constexpr std::size_t most_listed = 6;

  const std::string_view name_;
  const OutputsOptions& options_;
  ColumnOptions columns_;
  CsvTable table_;
  ClassColumns classes_;
  std::optional<std::size_t> label_;  // none if the column is empty
  TableOfOutputs result_;
  std::vector<std::string> parts_;
  bool remarkable_ = false, comma_ = false, point_ = false;  // decimal marks seen
};

}  // namespace

TableOfOutputs outputs_from_csv(std::string_view text, std::string_view name, const OutputsOptions& options) {
  return OutputsCsvReading(text, name, options).outputs();
}

Array labels_from_csv(std::string_view text, std::string_view name, const OutputsOptions& options) {
  return OutputsCsvReading(text, name, options).labels();
}

}  // namespace leeway
