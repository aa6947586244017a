#include "leeway/record/shift_text.h"

#include <fmt/format.h>

#include "leeway/record/json.h"

namespace leeway::record {

void fields(ShiftTextOptions& options, Fields& f) {
  f("column", options.column, "column of texts");
  f("strength", options.strength, "strength of the shift; meaning and default depend on the shift");
  f("label", options.label,
    "column with the label of a text, positive or negative, for amplify and contradict (default: label)");
  f.choice("mode", options.mode,
           {{"replace", "replace words (default)"}, {"insert", "insert words between words"}},
           "how amplify and contradict place words");
  f("words", options.words,
    "words of amplify and contradict: adjectives (default), or a CSV file with columns word and sign "
    "(positive, negative or a number)");
  f("positive", options.positive, "labels of positive texts (default: 1,pos,positive)");
  f("negative", options.negative, "labels of negative texts (default: 0,-1,neg,negative)");
  f("sheet", options.sheet, "show ten random changed texts before and after the shift");
}

static void fields(TextLine& line, Fields& f) {
  f("row", line.row, "of the file, from 0, the header not counted");
  f("distance", line.distance, "fewest characters inserted, deleted or replaced");
  f("before", line.before, "around the first difference; `...` where something is left out");
  f("after", line.after, "the same part after the shift");
}

static void fields(ShiftedTexts& set, Fields& f) {
  f("shift", set.shift, "a name that `leeway list text-shifts` prints");
  f("strength", set.strength, at_least(0), "how far");
  f("strength_means", set.strength_means, "its meaning and unit");
  f("edits", set.edits, "2^strength, rounded; null where the strength is a share");
  f("column", set.column, "column of texts");
  f("label", set.label, "the column of labels; null where the shift does not look at them");
  f("mode", set.mode, "replace or insert; null where the shift places no words");
  f("words", set.words, "whose words; null where the shift places none");
  f("n", set.n, "rows");
  f("n_changed", set.n_changed, "rows whose text is another");
  f("n_overwritten", set.n_overwritten,
    "rows with two words or more, all of which may be replaced; null where the shift replaces none");
  f("mean_characters", set.mean_characters, at_least(0), "mean length of a text before, code points");
  f("mean_words", set.mean_words, at_least(0), "mean number of words of a text before");
  f("mean_distance", set.mean_distance, at_least(0),
    "mean over all rows of the fewest characters inserted, deleted or replaced (Levenshtein)");
  f("mean_words_changed", set.mean_words_changed, at_least(0),
    "mean over all rows of the fewest words inserted, deleted or replaced");
  f.unless_empty("out", set.out, "the file; null where none was written");
  f("sheet", set.sheet, "of --sheet: ten changed rows at random, or all; else empty");
}

void fields(ShiftText& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, "one");
}

std::string headline_of(const ShiftText& record) {
  const ShiftedTexts& set = record.results.front();
  return fmt::format(
      "{} of {} texts changed under {} of strength {:g}; in the mean of all, {:.1f} of {:.1f} characters and "
      "{:.1f} of {:.1f} words.",
      set.n_changed, set.n, set.shift, set.strength, set.mean_distance, set.mean_characters,
      set.mean_words_changed, set.mean_words);
}

std::vector<std::string> findings_of(const ShiftText& record) {
  const ShiftedTexts& set = record.results.front();
  if (set.n_overwritten.value_or(0) == 0) return {};
  return {fmt::format(
      "In {} of {} texts every word was replaced: what was put in tells the label, whatever the model.",
      *set.n_overwritten, set.n)};
}

}  // namespace leeway::record
