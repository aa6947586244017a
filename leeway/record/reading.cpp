#include "leeway/record/reading.h"

namespace leeway::record {

void score_fields(OutputsReading& reading, Fields& f) {
  f.choice("binary", reading.binary, {{"logit", ""}, {"prob", ""}},
           "what a vector of outputs holds for the positive class of two: logit or prob");
  f.choice("as", reading.as, {{"logits", ""}, {"probs", ""}},
           "what matrices of outputs hold: logits or probs (default: what their name says, but logits whose "
           "rows all "
           "are probabilities are taken as such)");
  f("label_column", reading.label_column,
    "column of tables that holds labels; none: none does (default: y_true, label, labels, y, or the like)");
  f("class_columns", reading.class_columns,
    "columns of tables that hold scores, one a class: names by commas, or prob_* for all that begin so");
  f("group_columns", reading.group_columns, "columns of tables that hold groups, besides attr_*");
  f("id_column", reading.id_column, "column of tables that tells rows apart; none: none does (default: id)");
  f("separator", reading.separator,
    "between the columns of tables: comma, semicolon or tab (default: the one that fits)");
  f("class_names", reading.class_names,
    "names of the classes in their order: by commas, or a file with one a line or an array class_names");
  f("first_label", reading.first_label, from_to(0, 1),
    "number of the first class in labels (default: 0; 1 where labels reach k and none is 0)");
}

void labels_field(OutputsReading& reading, Fields& f) {
  f("labels", reading.labels,
    "labels of the first set (clean, source) in a file of their own: .npy, .npz, .csv, IDX; in assess also "
    "those of a target, SHIFT=FILE by commas");
}

void groups_field(OutputsReading& reading, Fields& f) {
  f("groups", reading.groups,
    "groups of the first set in a file of their own: .csv, a column each, or .npy, .npz with `groups`");
}

void row_fields(OutputsReading& reading, Fields& f) {
  f("index", reading.index,
    "CSV index,split, as conds draw writes it: the rows that --split names alone, of every set");
  f.choice("split", reading.split, {{"train", ""}, {"val", ""}, {"test", ""}},
           "which rows of --index: train, val, test");
}

void time_field(OutputsReading& reading, Fields& f) {
  f("time_column", reading.time_column,
    "column or array that holds the times of a target's rows (default: time, timestamp, datetime or date)");
}

void fields(OutputsReading& reading, Fields& f) {
  score_fields(reading, f);
  labels_field(reading, f);
  groups_field(reading, f);
  row_fields(reading, f);
}

}  // namespace leeway::record
