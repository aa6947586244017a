#include "leeway/core/outputs_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "leeway/core/message.h"
#include "leeway/core/suggestion.h"
#include "leeway/core/text.h"

namespace leeway {
namespace {

using Indices = std::vector<std::size_t>;

// Columns whose names begin alike, and what follows.
struct Family {
  std::string text;  // "prob_"
  ScoreKind kind = ScoreKind::open;
  Indices columns;
  std::vector<std::string> suffixes;  // empty: the name is the prefix itself
};

class Naming {
 public:
  Naming(const CsvTable& table, const ColumnOptions& options, std::string_view name)
      : table_(table), options_(options), name_(name), taken_(table.header.size()) {}

  OutputsColumns run() {
    find_label();
    find_others();
    found_.classes = options_.classes.empty() ? find_classes() : named_classes();
    for (const std::size_t j : found_.classes.columns) taken_[j] = true;
    order_classes();
    list_ignored();
    require_once();
    return std::move(found_);
  }

  std::size_t label_alone() {
    find_label();
    if (!found_.label) {
      Indices others;
      for (std::size_t j = 0; j < table_.header.size(); ++j)
        if (!is_id(j)) others.push_back(j);
      if (others.size() == 1) found_.label = others.front();
    }
    if (!found_.label)
      refuse(name_, "a column y_true or label (--label-column names another)", all_columns());
    return *found_.label;
  }

 private:
  const std::string& header(std::size_t j) const { return table_.header[j]; }
  std::string all_columns() const {
    return printable(fmt::format("{}", fmt::join(table_.header, ", ")), 100);
  }
  [[noreturn]] void refuse_two(std::string_view what, std::string_view option, const std::string& first,
                               const std::string& second) const {
    refuse(name_, fmt::format("{} ({} decides)", what, option),
           fmt::format("{} and {}", printable(first), printable(second)));
  }

  bool is_number(const std::string& field) const {
    return csv_number(field, options_.separator.value_or(',')).has_value();
  }
  bool numeric(std::size_t j) const {
    return std::ranges::all_of(table_.columns[j], [&](const auto& field) { return is_number(field); });
  }
  // At least one number, so that another field is refused by name.
  bool holds_numbers(std::size_t j) const {
    const auto& fields = table_.columns[j];
    return fields.empty() || std::ranges::any_of(fields, [&](const auto& field) { return is_number(field); });
  }

  bool is_id(std::size_t j) const {
    return (options_.id && header(j) == *options_.id) || lower_case(header(j)) == "id" || header(j).empty();
  }

  void find_label() {
    if (options_.label) {
      if (*options_.label != "none" || table_.find("none"))
        found_.label = require_column(table_, *options_.label, "--label-column", name_);
    } else {
      found_.label = standard_label();
      if (!found_.label) found_.label = other_label();
    }
    if (found_.label) taken_[*found_.label] = true;
  }

  std::optional<std::size_t> standard_label() const {
    std::optional<std::size_t> found;
    for (const std::string_view alias : standard_label_names)
      if (const auto column = table_.find(alias)) {
        if (found) refuse_two("one column of labels", "--label-column", header(*found), header(*column));
        found = column;
      }
    return found;
  }

  // A column that is read must have its name to itself.
  void require_once() const {
    std::vector<bool> ignored(table_.header.size());
    for (const auto& [column, why] : found_.ignored) ignored[column] = true;
    for (std::size_t j = 0; j < table_.header.size(); ++j)
      if (!ignored[j] && std::ranges::count(table_.header, header(j)) > 1)
        refuse(name_, "columns of different names", in_quotes(header(j)) + " twice");
  }

  // Under another name; a name one letter off is asked about.
  std::optional<std::size_t> other_label() const {
    std::optional<std::size_t> found;
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (!is_label(header(j))) continue;
      if (found) refuse_two("one column of labels", "--label-column", header(*found), header(j));
      found = j;
    }
    for (std::size_t j = 0; j < table_.header.size() && !found; ++j)
      if (is_misspelt_label(header(j)))
        refuse(name_, "a column y_true or label, or --label-column with its name (none: there are no labels)",
               in_quotes(header(j)));
    return found;
  }

  void find_others() {
    if (options_.id) {
      if (*options_.id != "none" || table_.find("none"))
        found_.id = require_column(table_, *options_.id, "--id-column", name_);
    } else if (!(found_.id = table_.find("id"))) {
      for (std::size_t j = 0; j < table_.header.size(); ++j)
        if (lower_case(header(j)) == "id") {
          if (found_.id) refuse_two("one column of ids", "--id-column", header(*found_.id), header(j));
          found_.id = j;
        }
    }
    if (found_.id) taken_[*found_.id] = true;
    if (options_.times) find_time();
    found_.norm = table_.find("norm");
    if (found_.norm) taken_[*found_.norm] = true;
    for (const std::string& text : options_.groups)
      for (const auto& [column, rest] : matching(text, "--group-columns")) add_group(column, header(column));
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j]) continue;
      if (header(j).starts_with("attr_")) add_group(j, header(j).substr(5));
      if (header(j).starts_with("feat_")) found_.features.push_back(j), taken_[j] = true;
    }
  }

  void find_time() {
    if (options_.time) found_.time = require_column(table_, *options_.time, "--time-column", name_);
    for (std::size_t j = 0; j < table_.header.size() && !options_.time; ++j) {
      if (taken_[j] || !is_time(header(j))) continue;
      if (found_.time) refuse_two("one column of times", "--time-column", header(*found_.time), header(j));
      found_.time = j;
    }
    if (!found_.time)
      refuse(name_, "a column time, timestamp, datetime or date (--time-column names another)",
             all_columns());
    if (taken_[*found_.time])
      refuse(name_, "times in a column of their own", in_quotes(header(*found_.time)));
    taken_[*found_.time] = true;
  }

  void add_group(std::size_t column, const std::string& group) {
    if (std::ranges::find(found_.groups, column) != found_.groups.end()) return;
    found_.groups.push_back(column);
    found_.group_names.push_back(group);
    taken_[column] = true;
  }

  // The column of that name, or those that a star stands for, and for what it stands.
  std::vector<std::pair<std::size_t, std::string>> matching(const std::string& text,
                                                            std::string_view option) const {
    const auto star = text.find('*');
    if (star == std::string::npos || table_.find(text))
      return {{require_column(table_, text, option, name_), ""}};
    const std::string front = text.substr(0, star), back = text.substr(star + 1);
    std::vector<std::pair<std::size_t, std::string>> found;
    for (std::size_t j = 0; j < table_.header.size(); ++j)
      if (header(j).size() >= front.size() + back.size() && header(j).starts_with(front) &&
          header(j).ends_with(back))
        found.emplace_back(j, header(j).substr(front.size(), header(j).size() - front.size() - back.size()));
    if (found.empty()) refuse(name_, fmt::format("columns {}, as {} says", text, option), all_columns());
    return found;
  }

  ClassColumns named_classes() {
    Family family;
    std::set<std::size_t> seen;
    for (const std::string& text : options_.classes)
      for (const auto& [column, rest] : matching(text, "--class-columns")) {
        if (!seen.insert(column).second)
          refuse(name_, "each column once in --class-columns", in_quotes(header(column)) + " twice");
        family.columns.push_back(column);
        family.suffixes.push_back(rest.empty() ? header(column) : rest);
      }
    // A prefix that all of them share is not part of the names.
    const auto first = split_score_name(header(family.columns.front()));
    bool shared = first.has_value();
    for (const std::size_t j : family.columns) {
      const auto split = split_score_name(header(j));
      shared = shared && split && split->prefix == first->prefix && !split->suffix.empty();
    }
    if (shared) {
      family.kind = first->kind;
      family.text = first->prefix;
      for (std::size_t j = 0; j < family.columns.size(); ++j)
        family.suffixes[j] = split_score_name(header(family.columns[j]))->suffix;
    }
    if (family.columns.size() == 1) return {family.columns, {}, family.kind, false, true};
    return classes_of(family, true);
  }

  std::vector<Family> families() const {
    std::map<std::string, Family> by_prefix;
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j]) continue;
      const auto split = split_score_name(header(j));
      if (!split || (split->suffix.empty() && split->prefix == "class"))
        continue;  // of classes, not of scores
      const bool standard = header(j).starts_with("logit_") || header(j).starts_with("p_");
      if (!standard && !holds_numbers(j)) continue;
      Family& family = by_prefix[split->prefix];
      family.text = split->prefix, family.kind = split->kind;
      family.columns.push_back(j), family.suffixes.push_back(split->suffix);
    }
    std::vector<Family> all;
    for (auto& [text, family] : by_prefix) all.push_back(std::move(family));
    return all;
  }

  ClassColumns find_classes() {
    std::vector<Family> all = families(), logits, shares;
    for (const Family& family : all)
      if (family.columns.size() > 1) (family.kind == ScoreKind::logits ? logits : shares).push_back(family);
    const auto ambiguous = [&](const std::vector<Family>& two) {
      refuse_two("one set of columns of scores", "--class-columns", two[0].text + "*", two[1].text + "*");
    };
    if (logits.size() > 1) ambiguous(logits);
    if (logits.size() == 1) {
      for (const Family& family : shares)
        for (const std::size_t j : family.columns) ignore(j, "the logits are there");
      return classes_of(logits.front(), false);
    }
    if (shares.size() > 1) ambiguous(shares);
    if (shares.size() == 1) return classes_of(shares.front(), false);
    if (auto classes = bare_names()) return *classes;
    return positive_class(all);
  }

  // Classes numbered from 0, from 1, or named.
  ClassColumns classes_of(const Family& family, bool asked) {
    const bool exact = std::ranges::all_of(family.columns, [&](std::size_t j) {
      return header(j).starts_with("logit_") || header(j).starts_with("p_");
    });
    ClassColumns classes{family.columns, family.suffixes, family.kind, exact && !asked, false};
    if (whole_names_are_labels(family)) {
      classes.names = names_of(family.columns);
      return classes;
    }
    std::map<std::size_t, std::size_t> numbered;
    std::optional<std::size_t> named;
    std::vector<std::string> words;
    for (std::size_t j = 0; j < family.columns.size(); ++j) {
      const auto number = whole_number(family.suffixes[j]);
      if (!number)
        named = j, words.push_back(family.suffixes[j]);
      else if (!numbered.emplace(*number, family.columns[j]).second)
        refuse(name_, "classes that stand once", in_quotes(header(family.columns[j])) + " again");
    }
    if (numbered.empty()) return classes;
    // Words beside numbers are names, too, where the rows or the labels say that all columns are classes.
    if (named && (asked || sums_to_one(family.columns) || are_labels(words))) return classes;
    if (named && family.kind != ScoreKind::probs)
      refuse(
          name_, fmt::format("columns {}* that are all numbered or all named", family.text),
          fmt::format("{} beside {} numbered", in_quotes(header(family.columns[*named])), numbered.size()));
    for (std::size_t j = 0; j < family.columns.size(); ++j)
      if (!whole_number(family.suffixes[j])) ignore(family.columns[j], "not a numbered class");
    classes.columns.clear(), classes.names.clear();
    for (const auto& [number, column] : numbered) {
      classes.columns.push_back(column);
      classes.names.push_back(std::to_string(number));
    }
    const std::size_t first = numbered.begin()->first, last = numbered.rbegin()->first;
    const bool gapless = last - first + 1 == numbered.size();
    const bool counted = gapless && first <= 1;
    if (!counted && family.kind != ScoreKind::probs && !asked)  // probabilities sum to 1: none is missing
      refuse(name_,
             fmt::format("columns {0}0 to {0}{1} (--class-columns, where these are all)", family.text,
                         numbered.size() - 1),
             fmt::format("{}{}", family.text, last));
    if (gapless && first == 0)
      classes.names.clear();
    else
      classes.standard = false;
    return classes;
  }

  // Whether these names are labels of the table, and its label column has words.
  bool are_labels(const std::vector<std::string>& names) const {
    const std::set<std::string> values = label_values_of(table_, found_.label);
    return !names.empty() &&
           std::ranges::all_of(names, [&](const auto& one) { return values.contains(one); });
  }

  // Class1, Class2 beside labels Class1 and Class2: not classes 1 and 2.
  bool whole_names_are_labels(const Family& family) const {
    const std::set<std::string> values = label_values_of(table_, found_.label);
    const std::vector<std::string> names = names_of(family.columns);
    return names != family.suffixes && values.size() > 1 &&
           std::ranges::includes(std::set<std::string>(names.begin(), names.end()), values);
  }

  // Columns that bear nothing but the name of a class.
  std::optional<ClassColumns> bare_names() {
    if (!options_.class_names.empty()) {
      Indices columns;
      for (const std::string& text : options_.class_names)
        if (const auto column = table_.find(text); column && !taken_[*column]) columns.push_back(*column);
      if (columns.size() == options_.class_names.size() && columns.size() > 1)
        return ClassColumns{columns, options_.class_names, ScoreKind::open, false, false};
    }
    Indices open, numbered, labelled;
    const std::set<std::string> values = label_values_of(table_, found_.label);
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j] || header(j).empty() || !numeric(j) || is_prediction(header(j))) continue;
      open.push_back(j);
      if (whole_number(header(j))) numbered.push_back(j);
      if (values.contains(header(j))) labelled.push_back(j);
    }
    const auto classes = [&](const Indices& columns) {
      return classes_of({"", ScoreKind::open, columns, names_of(columns)}, true);
    };
    if (open.size() > 1 && sums_to_one(open)) return classes(open);
    const bool only = options_.frame && families().empty() && labelled.empty();
    for (std::size_t j = 0; only && j < table_.header.size(); ++j)
      if (!taken_[j] && !numeric(j) && !is_prediction(header(j)))
        refuse(name_, "columns of numbers, or --class-columns",
               fmt::format("text in column {}", in_quotes(header(j))));
    if (only && open.size() > 1 && open.size() == static_cast<std::size_t>(std::ranges::count(taken_, false)))
      return ClassColumns{open, names_of(open), ScoreKind::open, false, false};
    const bool within = std::ranges::all_of(labelled, [&](std::size_t j) { return contains(numbered, j); });
    if (within && counts_up(numbered)) return classes(numbered);
    if (labelled.size() < 2 || labelled.size() != values.size()) return std::nullopt;
    if (labelled == open || sums_to_one(labelled)) return classes(labelled);
    std::size_t other = 0;
    while (contains(labelled, open[other])) ++other;
    refuse(name_, "columns that are classes or are not (--class-columns decides)",
           fmt::format("{}, which are labels, and {}, which is none", column_list(table_, labelled),
                       in_quotes(header(open[other]))));
  }

  std::vector<std::string> names_of(const Indices& columns) const {
    std::vector<std::string> names;
    for (const std::size_t j : columns) names.push_back(header(j));
    return names;
  }

  // From 0 or 1 without a gap, in any order.
  bool counts_up(const Indices& columns) const {
    std::set<std::size_t> numbers;
    for (const std::size_t j : columns) numbers.insert(*whole_number(header(j)));
    return columns.size() > 1 && numbers.size() == columns.size() && *numbers.begin() <= 1 &&
           *numbers.rbegin() - *numbers.begin() + 1 == numbers.size();
  }

  static bool contains(const Indices& columns, std::size_t column) {
    return std::ranges::find(columns, column) != columns.end();
  }

  // Every row, to the rounding of two decimals.
  bool sums_to_one(const Indices& columns) const {
    constexpr double most = .1;
    const double allowed = std::min(most, .005 * static_cast<double>(columns.size()) + 1e-9);
    for (std::size_t i = 0; i < table_.rows(); ++i) {
      double sum = 0;
      for (const std::size_t j : columns) {
        const double value = csv_number(table_.columns[j][i], options_.separator.value_or(',')).value_or(NAN);
        if (!(value >= 0 && value <= 1 + allowed)) return false;
        sum += value;
      }
      if (!(std::abs(sum - 1) <= allowed)) return false;
    }
    return table_.rows() > 0;
  }

  // score, prob, p_1, ...
  ClassColumns positive_class(const std::vector<Family>& all) {
    std::vector<const Family*> alone;
    for (const Family& family : all)
      if (family.columns.size() == 1 && !is_prediction(header(family.columns.front())))
        alone.push_back(&family);
    if (alone.size() > 1)
      refuse_two("one column of scores", "--class-columns", header(alone[0]->columns[0]),
                 header(alone[1]->columns[0]));
    if (alone.empty())
      refuse(name_,
             "columns logit_*, p_* or prob_*, or named as the classes are (--class-columns names others)",
             all_columns());
    const Family& family = *alone.front();
    const std::string& suffix = family.suffixes.front();
    const bool said = suffix.empty() || (family.kind == ScoreKind::probs && suffix != "0");
    const bool name = said && !suffix.empty() && suffix != "1";
    return {family.columns, name ? std::vector{suffix} : std::vector<std::string>{}, family.kind, false,
            said};
  }

  // --class-names orders columns of the same names.
  void order_classes() {
    ClassColumns& classes = found_.classes;
    const std::vector<std::string>& wanted = options_.class_names;
    if (wanted.empty() || classes.positive || classes.names.size() != wanted.size()) return;
    Indices columns;
    for (const std::string& text : wanted) {
      const auto at = std::ranges::find(classes.names, text);
      if (at == classes.names.end()) return;
      columns.push_back(classes.columns[static_cast<std::size_t>(at - classes.names.begin())]);
    }
    classes.columns = std::move(columns), classes.names = wanted;
  }

  void ignore(std::size_t column, std::string why) {
    found_.ignored.emplace_back(column, std::move(why));
    taken_[column] = true;
  }

  void list_ignored() {
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j]) continue;
      if (header(j).empty() || header(j) == "Unnamed: 0")
        ignore(j, "row numbers");
      else
        ignore(j, is_prediction(header(j)) ? "a prediction" : "");
    }
    std::ranges::sort(found_.ignored);
  }

  const CsvTable& table_;
  const ColumnOptions& options_;
  const std::string_view name_;
  std::vector<bool> taken_;
  OutputsColumns found_;
};

}  // namespace

OutputsColumns name_columns(const CsvTable& table, const ColumnOptions& options, std::string_view name) {
  return Naming(table, options, name).run();
}

std::size_t find_label_column(const CsvTable& table, const ColumnOptions& options, std::string_view name) {
  return Naming(table, options, name).label_alone();
}

std::size_t require_column(const CsvTable& table, std::string_view column, std::string_view option,
                           std::string_view name) {
  if (const auto found = table.find(column)) return *found;
  for (const std::string& there : table.header)
    if (bare_word(there) == bare_word(column))
      refuse(name, fmt::format("a column {}, as {} says", in_quotes(column), option), in_quotes(there));
  refuse(
      name, fmt::format("a column {}, as {} says", in_quotes(column), option),
      printable(fmt::format("{}", fmt::join(table.header, ", ")), 100) + did_you_mean(column, table.header));
}

std::set<std::string> label_values_of(const CsvTable& table, std::optional<std::size_t> label) {
  std::set<std::string> values;
  if (!label) return values;
  for (const std::string& field : table.columns[*label])
    if (!is_missing(field) || table.find(trimmed(field))) values.insert(std::string(trimmed(field)));
  values.erase("");
  return values;
}

std::optional<double> csv_number(std::string_view field, char separator) {
  if (separator == ',' || field.find(',') == std::string_view::npos) return parse_number(field);
  std::string text(field);
  if (text.find('.') != std::string::npos) return std::nullopt;
  text.replace(text.find(','), 1, ".");
  return parse_number(text);
}

std::string column_list(const CsvTable& table, const std::vector<std::size_t>& columns) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns.size() > most && i == 2) {
      text += ", ...", i = columns.size() - 1;
    }
    text += (i == 0 ? "" : ", ") + printable(table.header[columns[i]], 40);
  }
  return columns.size() > most ? fmt::format("{} ({})", text, columns.size()) : text;
}

}  // namespace leeway
