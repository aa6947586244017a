#include <fmt/format.h>

#include "leeway/tasks/shift_text/shift_text.h"

namespace leeway {

static void fields(shift::ChangedText& line, Fields& f) {
  f("row", line.row, "row of the file, from 0, without the header");
  f("distance", line.distance, "minimum number of characters inserted, deleted or replaced");
  f("before", line.before, "text around the first difference; `...` marks omissions");
  f("after", line.after, "the same part of the text after the shift");
}

}  // namespace leeway

namespace leeway::tasks {

void fields(ShiftTextOptions& options, Fields& f) {
  f("column", options.column, "column of texts");
  f("strength", options.strength, "strength of the shift; meaning and default depend on the shift");
  f("label", options.label,
    "column with the label of a text, positive or negative, for amplify and contradict (default: label)");
  f.choice("mode", options.mode,
           {{"replace", "replace words (default)"}, {"insert", "insert words between words"}},
           "how amplify and contradict place words");
  f("words", options.words,
    "words for amplify and contradict: adjectives (default), or a CSV file with columns word and sign "
    "(positive, negative or a number)");
  f("positive", options.positive, "labels of positive texts (default: 1,pos,positive)");
  f("negative", options.negative, "labels of negative texts (default: 0,-1,neg,negative)");
  f("sheet", options.sheet, "show ten random changed texts before and after the shift");
}

void fields(ShiftedTexts& set, Fields& f) {
  f("shift", set.shift, "shift, see `leeway list text-shifts`");
  f("strength", set.strength, at_least(0), "strength of the shift");
  f("strength_means", set.strength_means, "meaning and unit of the strength");
  f("edits", set.edits, "2^strength, rounded; null if the strength is a share");
  f("column", set.column, "column of texts");
  f("label", set.label, "column of labels; null if the shift does not use labels");
  f("mode", set.mode, "replace or insert; null if the shift places no words");
  f("words", set.words, "source of the words; null if the shift places no words");
  f("n", set.n, "number of rows");
  f("n_changed", set.n_changed, "number of rows whose text changed");
  f("n_overwritten", set.n_overwritten,
    "number of rows with two or more words, all replaced; null if the shift replaces no words");
  f("mean_characters", set.mean_characters, at_least(0),
    "mean length of a text before the shift, in code points");
  f("mean_words", set.mean_words, at_least(0), "mean number of words of a text before the shift");
  f("mean_distance", set.mean_distance, at_least(0),
    "mean over all rows of the minimum number of characters inserted, deleted or replaced (Levenshtein)");
  f("mean_words_changed", set.mean_words_changed, at_least(0),
    "mean over all rows of the minimum number of words inserted, deleted or replaced");
  f.unless_empty("out", set.out, "file of texts; null: none");
  f("sheet", set.sheet, "with --sheet: ten random changed rows, or all; otherwise empty");
}

std::string headline_of(const ShiftText& record) {
  const ShiftedTexts& set = record.results.front();
  return fmt::format(
      "{} of {} texts changed under {} of strength {:g}: on average, {:.1f} of {:.1f} characters and {:.1f} "
      "of {:.1f} words.",
      set.n_changed, set.n, set.shift, set.strength, set.mean_distance, set.mean_characters,
      set.mean_words_changed, set.mean_words);
}

std::vector<std::string> findings_of(const ShiftText& record) {
  const ShiftedTexts& set = record.results.front();
  if (set.n_overwritten.value_or(0) == 0) return {};
  return {fmt::format(
      "In {} of {} texts, all words were replaced: the inserted words reveal the label to any model.",
      *set.n_overwritten, set.n)};
}

}  // namespace leeway::tasks
