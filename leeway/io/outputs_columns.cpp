#include "leeway/io/outputs_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "leeway/core/message.h"
#include "leeway/io/column_words.h"

namespace leeway {
namespace {

using Indices = std::vector<std::size_t>;
using Words = std::set<std::string>;

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
    Indices others;
    for (std::size_t j = 0; j < table_.header.size(); ++j)
      if (!is_id(j)) others.push_back(j);
    if (!found_.label && others.size() == 1) found_.label = others.front();
    if (!found_.label)
      refuse(name_, "a column y_true or label (--label-column selects another)", all_columns());
    return *found_.label;
  }

 private:
  const std::string& header(std::size_t j) const { return table_.header[j]; }
  std::string all_columns() const { return comma_list(table_.header); }
  std::size_t column(std::string_view wanted, std::string_view option) const {
    return place_of_column(table_.header, wanted, name_, option);
  }
  [[noreturn]] void refuse_two(std::string_view what, std::string_view option, const std::string& first,
                               const std::string& second) const {
    refuse(name_, fmt::format("{} (select it with {})", what, option),
           fmt::format("{} and {}", printable(first), printable(second)));
  }

  bool is_number(std::string_view field) const {
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
    return header(j) == options_.id || lower_case(header(j)) == "id" || is_row_name(header(j));
  }

  void find_label() {
    if (options_.label) {
      if (*options_.label != "none" || table_.find("none"))
        found_.label = column(*options_.label, "--label-column");
    } else {
      const auto label = [&](const auto& is_name) {
        return only_column("labels", "--label-column", [&](std::size_t j) { return is_name(header(j)); });
      };
      if (!(found_.label = label(is_standard_label)) && !(found_.label = label(is_label)))
        refuse_misspelt_label();
    }
    if (found_.label) taken_[*found_.label] = true;
  }

  // The column that fits. Error: two do.
  template <class Fits>
  std::optional<std::size_t> only_column(std::string_view what, std::string_view option,
                                         const Fits& fits) const {
    std::optional<std::size_t> found;
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (!fits(j)) continue;
      if (found) refuse_two(fmt::format("one column of {}", what), option, header(*found), header(j));
      found = j;
    }
    return found;
  }

  // The names of the columns that are read are unique.
  void require_once() const {
    std::vector<bool> ignored(table_.header.size());
    for (const auto& [column, why] : found_.ignored) ignored[column] = true;
    for (std::size_t j = 0; j < table_.header.size(); ++j)
      if (!ignored[j] && std::ranges::count(table_.header, header(j)) > 1)
        refuse(name_, "unique column names", in_quotes(header(j)) + " twice");
  }

  void refuse_misspelt_label() const {
    for (const std::string& column : table_.header)
      if (is_misspelt_label(column))
        refuse(name_, "a column y_true or label, or --label-column NAME (none: no labels)",
               in_quotes(column));
  }

  void find_others() {
    if (options_.id) {
      if (*options_.id != "none" || table_.find("none")) found_.id = column(*options_.id, "--id-column");
    } else if (!(found_.id = table_.find("id"))) {
      found_.id =
          only_column("ids", "--id-column", [&](std::size_t j) { return lower_case(header(j)) == "id"; });
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
    found_.time = options_.time ? column(*options_.time, "--time-column")
                                : only_column("times", "--time-column", [&](std::size_t j) {
                                    return !taken_[j] && is_time(header(j));
                                  });
    if (!found_.time)
      refuse(name_, "a column time, timestamp, datetime or date (--time-column selects another)",
             all_columns());
    if (taken_[*found_.time]) refuse(name_, "times in a separate column", in_quotes(header(*found_.time)));
    taken_[*found_.time] = true;
  }

  void add_group(std::size_t column, const std::string& group) {
    if (std::ranges::find(found_.groups, column) != found_.groups.end()) return;
    found_.groups.push_back(column);
    found_.group_names.push_back(group);
    taken_[column] = true;
  }

  // The column of that name, or the columns that match a star, each with the text in place of the star.
  std::vector<std::pair<std::size_t, std::string>> matching(const std::string& text,
                                                            std::string_view option) const {
    if (text.find('*') == std::string::npos || table_.find(text)) return {{column(text, option), ""}};
    std::vector<std::pair<std::size_t, std::string>> found;
    for (std::size_t j = 0; j < table_.header.size(); ++j)
      if (const auto rest = star_text(text, header(j))) found.emplace_back(j, *rest);
    if (found.empty()) refuse(name_, fmt::format("columns {} ({})", text, option), all_columns());
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
    // A prefix of all columns is not part of the class names.
    std::vector<ScoreName> splits;
    for (const std::size_t j : family.columns) {
      const auto split = split_score_name(header(j)).value_or(ScoreName{});
      if (!split.suffix.empty() && (splits.empty() || split.prefix == splits[0].prefix))
        splits.push_back(split);
    }
    if (splits.size() == family.columns.size()) {
      family.kind = splits[0].kind, family.text = splits[0].prefix;
      for (std::size_t j = 0; j < splits.size(); ++j) family.suffixes[j] = splits[j].suffix;
    }
    if (family.columns.size() == 1) return {family.columns, {}, family.kind, false, true};
    return classes_of(family, true);
  }

  std::vector<Family> families() const {
    std::map<std::string, Family> by_prefix;
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j] || is_confidence(header(j))) continue;
      const auto split = split_score_name(header(j));
      if (!split || (split->suffix.empty() && split->prefix == "class")) continue;  // a column of classes
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
        for (const std::size_t j : family.columns) ignore(j, "logits are used");
      return classes_of(logits.front(), false);
    }
    if (shares.size() > 1) ambiguous(shares);
    if (shares.size() == 1) return classes_of(shares.front(), false);
    if (auto classes = bare_names()) return *classes;
    return positive_class(all);
  }

  // Classes numbered from 0, from 1, or named.
  ClassColumns classes_of(Family family, bool asked) {
    number_classes(family);
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
        refuse(name_, "each class once", in_quotes(header(family.columns[j])) + " twice");
    }
    if (numbered.empty()) return classes;
    // Words and numbers are both class names if rows sum to 1 or the labels contain the words.
    if (named && (asked || sums_to_one(family.columns) || are_labels(words))) return classes;
    if (named && family.kind != ScoreKind::probs)
      refuse(name_, fmt::format("either numbers or names in columns {}*", family.text),
             fmt::format("{} and {} numbers", in_quotes(header(family.columns[*named])), numbered.size()));
    for (std::size_t j = 0; j < family.columns.size(); ++j)
      if (!whole_number(family.suffixes[j])) ignore(family.columns[j], "not a numbered class");
    classes.columns.clear(), classes.names.clear();
    for (const auto& [number, column] : numbered) {
      classes.columns.push_back(column);
      classes.names.push_back(std::to_string(number));
    }
    const std::size_t first = numbered.begin()->first, last = numbered.rbegin()->first;
    const bool gapless = last - first + 1 == numbered.size();
    if (!(gapless && first <= 1) && family.kind != ScoreKind::probs && !asked)  // shares sum to 1
      refuse(name_,
             fmt::format("columns {0}0 to {0}{1} (if no class is missing, use --class-columns)", family.text,
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
    const Words values = label_values_of(table_, found_.label);
    return !names.empty() &&
           std::ranges::all_of(names, [&](const auto& one) { return values.contains(one); });
  }

  // Class1, Class2 are names if the labels are Class1 and Class2, else the classes 1 and 2.
  bool whole_names_are_labels(const Family& family) const {
    const Words values = label_values_of(table_, found_.label);
    const std::vector<std::string> names = names_of(family.columns);
    return names != family.suffixes && !values.empty() &&
           std::ranges::includes(Words(names.begin(), names.end()), values);
  }

  ClassColumns bare_classes(const Indices& columns) {
    return classes_of({"", ScoreKind::open, columns, names_of(columns)}, true);
  }

  // Classes named by a word and a number, such as LABEL_1, LABEL_0: by number. R writes an X before a number.
  void number_classes(Family& family) const {
    const Indices numbers = numbers_after_word(family.suffixes);
    if (numbers.empty()) return;
    const Words values = label_values_of(table_, found_.label);
    const auto is_class = [&](const auto& value) {
      const double label = parse_number(value).value_or(NAN);
      return label == -1 || std::ranges::count(numbers, label) > 0;
    };
    const bool by_number = values.empty() ? header(family.columns[0]) == fmt::format("X{}", numbers[0])
                                          : std::ranges::all_of(values, is_class);
    for (std::size_t i = 0; by_number && i < numbers.size(); ++i)
      family.suffixes[i] = std::to_string(numbers[i]);
    if (by_number || !counts_up(numbers)) return;
    const auto by_length = [](const auto& text) { return std::pair(text.size(), text); };
    std::ranges::sort(family.columns, {}, [&](auto j) { return by_length(header(j)); });
    std::ranges::sort(family.suffixes, {}, by_length);
  }

  // Columns named by classes, without a prefix.
  std::optional<ClassColumns> bare_names() {
    if (!options_.class_names.empty()) {
      Indices columns;
      for (const std::string& text : options_.class_names)
        if (const auto column = table_.find(text); column && !taken_[*column]) columns.push_back(*column);
      if (columns.size() == options_.class_names.size() && columns.size() > 1)
        return ClassColumns{columns, options_.class_names, ScoreKind::open, false, false};
    }
    Indices open, numbered, numbers, labelled;
    const Words values = label_values_of(table_, found_.label);
    for (std::size_t j = 0; j < table_.header.size(); ++j) {
      if (taken_[j] || is_row_name(header(j)) || !numeric(j) || is_prediction(header(j))) continue;
      open.push_back(j);
      if (const auto number = whole_number(header(j))) numbered.push_back(j), numbers.push_back(*number);
      if (values.contains(header(j))) labelled.push_back(j);
    }
    if (open.size() > 1 && sums_to_one(open)) return bare_classes(open);
    const bool only = options_.frame && families().empty() && labelled.empty();
    for (std::size_t j = 0; only && j < table_.header.size(); ++j)
      if (!taken_[j] && !numeric(j) && !is_prediction(header(j)))
        refuse(name_, "columns of numbers, or --class-columns",
               fmt::format("text in column {}", in_quotes(header(j))));
    if (only && open.size() > 1 && open.size() == static_cast<std::size_t>(std::ranges::count(taken_, false)))
      return bare_classes(open);
    const bool within = std::ranges::all_of(labelled, [&](std::size_t j) { return contains(numbered, j); });
    if (within && counts_up(numbers)) return bare_classes(numbered);
    if (labelled.size() < 2 || labelled.size() != values.size()) return std::nullopt;
    if (labelled == open || sums_to_one(labelled)) return bare_classes(labelled);
    std::size_t other = 0;
    while (contains(labelled, open[other])) ++other;
    refuse(name_, "columns of class scores only, or --class-columns",
           fmt::format("{}, which are labels, and {}, which is not", column_list(table_, labelled),
                       in_quotes(header(open[other]))));
  }

  std::vector<std::string> names_of(const Indices& columns) const {
    std::vector<std::string> names;
    for (const std::size_t j : columns) names.push_back(header(j));
    return names;
  }

  static bool contains(const Indices& numbers, std::size_t number) {
    return std::ranges::find(numbers, number) != numbers.end();
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
    const auto confidence = std::ranges::find_if(table_.header, is_confidence);
    if (alone.empty())
      refuse(name_,
             fmt::format(
                 "columns logit_*, p_*, prob_* or named after classes (--class-columns selects others{})",
                 found_.label ? "" : ", --label-column the labels"),
             confidence == table_.header.end() ? all_columns()
                                               : "only confidences of predicted classes, " + *confidence);
    const Family& family = *alone.front();
    const std::string& suffix = family.suffixes.front();
    const bool said = suffix.empty() || (family.kind == ScoreKind::probs && suffix != "0");
    if (!said || suffix.empty() || suffix == "1") return {family.columns, {}, family.kind, false, said};
    return {family.columns, {suffix}, family.kind, false, true};
  }

  // --class-names orders columns of the same names. Else, unless --class-columns lists them, no precedes yes.
  void order_classes() {
    ClassColumns& classes = found_.classes;
    std::vector<std::string> wanted = options_.class_names;
    const std::vector<std::string>& names = classes.names;
    const bool listed = options_.classes.size() > 1;
    if (wanted.empty() && !listed && names.size() == 2 && are_negative_and_positive(names[1], names[0]))
      wanted = {names[1], names[0]};
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
      if (is_row_name(header(j)))
        ignore(j, "row names");
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

std::set<std::string> label_values_of(const CsvTable& table, std::optional<std::size_t> label) {
  std::set<std::string> values;
  if (!label) return values;
  for (const std::string_view field : table.columns[*label])
    if (!is_missing(field) || table.find(trimmed(field))) values.insert(std::string(trimmed(field)));
  values.erase("");
  return values;
}

std::optional<double> csv_number(std::string_view field, char separator) {
  const std::size_t comma = separator == ',' ? field.npos : field.find(',');
  if (comma == field.npos) return parse_number(field);
  if (field.find('.') != field.npos) return std::nullopt;
  return parse_number(std::string(field).replace(comma, 1, "."));
}

std::string column_list(const CsvTable& table, const std::vector<std::size_t>& columns) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns.size() > most && i == 2) text += ", ...", i = columns.size() - 1;
    text += (i == 0 ? "" : ", ") + printable(table.header[columns[i]], 40);
  }
  return columns.size() > most ? fmt::format("{} ({})", text, columns.size()) : text;
}

}  // namespace leeway
