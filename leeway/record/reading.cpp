#include "leeway/record/reading.h"

namespace leeway::record {

void score_fields(OutputsReading& reading, Fields& f) {
  f.choice("binary", reading.binary, {{"logit", ""}, {"prob", ""}},
           "meaning of a vector of outputs of two classes: logit or probability of the positive class");
  f.choice("as", reading.as, {{"logits", ""}, {"probs", ""}},
           "content of matrices of outputs: logits or probabilities (default: by the array's name; logits "
           "whose rows are all probabilities count as probabilities)");
  f("label_column", reading.label_column,
    "column or array of labels; none: no labels (default: y_true, label, labels, y or similar)");
  f("class_columns", reading.class_columns,
    "columns of scores, one for each class: names separated by commas, or a prefix such as prob_*; of other "
    "files an array (n,k) or k vectors");
  f("group_columns", reading.group_columns, "columns of groups in tables, in addition to attr_*");
  f("id_column", reading.id_column,
    "column of row identifiers in tables; none: no identifiers (default: id)");
  f("separator", reading.separator,
    "separator of columns in tables: comma, semicolon or tab (default: detected)");
  f.choice("encoding", reading.encoding,
           {{"utf-8", ""}, {"windows-1252", ""}, {"latin-1", ""}, {"utf-16", ""}},
           "encoding of tables (default: utf-8)");
  f("class_names", reading.class_names,
    "class names in order: separated by commas, or a file with one name per line or an array class_names");
  f("first_label", reading.first_label, from_to(0, 1),
    "label of the first class (default: 0, or 1 if labels reach k and no label is 0)");
}

void labels_field(OutputsReading& reading, Fields& f) {
  f("labels", reading.labels,
    "file with the labels of the first set (clean, source): .npy, .npz, .csv, IDX; in assess also SHIFT=FILE "
    "for a target, separated by commas");
}

void groups_field(OutputsReading& reading, Fields& f) {
  f("groups", reading.groups,
    "file with the groups of the first set: .csv with one column for each attribute, or .npy, .npz with "
    "`groups`");
}

void row_fields(OutputsReading& reading, Fields& f) {
  f("index", reading.index,
    "CSV index,split, as conds draw writes it: use only the rows of --split, in every set");
  f.choice("split", reading.split, {{"train", ""}, {"val", ""}, {"test", ""}},
           "rows of --index to use: train, val or test");
}

void time_field(OutputsReading& reading, Fields& f) {
  f("time_column", reading.time_column,
    "column or array with the times of the target's rows (default: time, timestamp, datetime or date)");
}

void fields(OutputsReading& reading, Fields& f) {
  score_fields(reading, f);
  labels_field(reading, f);
  groups_field(reading, f);
  row_fields(reading, f);
}

}  // namespace leeway::record
