// agreement, assess, select, distances, align, error_bound, estimates, evaluate_bounds: what outputs say.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "leeway/agreement/pairing.h"
#include "leeway/core/message.h"
#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/align/align.h"
#include "leeway/tasks/assess/assess.h"
#include "leeway/tasks/average_case/models_under_noise.h"
#include "leeway/tasks/bound/bound.h"
#include "leeway/tasks/bound_evaluate/bound_evaluate.h"
#include "leeway/tasks/distances/distances.h"
#include "leeway/tasks/pa/pa.h"
#include "leeway/tasks/select/select.h"
#include "python/src/arrays.h"
#include "python/src/classifier.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

constexpr std::string_view clean_meaning =
    "outputs on the clean inputs: an array of logits (n,k), a dictionary of arrays as in an outputs file, or "
    "a file's path";
constexpr std::string_view shifted_meaning =
    "outputs on the shifted samples, in the same order: one set, a list, or a dictionary of sets by name";

// Pairs of rows, checked against the sets they pair.
tasks::GivenPairs pairs_of(Request& request) {
  if (!request.has("pairs")) return {};
  const nb::object value = request["pairs"];
  if (is_path(value)) return tasks::pairs_of_file(request.log, nb::cast<std::string>(value));
  const Array array = array_of(value, "pairs");
  if (array.shape.size() != 2 || array.shape[1] != 2)
    refuse("pairs", "shape (m, 2): a clean row and a shifted row", "shape " + array.shape_text());
  return [rows = to_i64(array, "pairs")](std::size_t clean_rows, std::size_t shifted_rows) {
    std::vector<agreement::RowPair> pairs;
    const auto row = [&](std::size_t i, std::size_t n) {
      if (rows[i] < 0 || static_cast<std::size_t>(rows[i]) >= n)
        refuse("pairs", "rows in 0.." + std::to_string(n - 1),
               std::to_string(rows[i]) + " at row " + std::to_string(i / 2));
      return static_cast<std::size_t>(rows[i]);
    };
    for (std::size_t i = 0; i < rows.size(); i += 2)
      pairs.push_back({row(i, clean_rows), row(i + 1, shifted_rows)});
    return pairs;
  };
}

nb::object agreement_of(Request& request) {
  auto task = request.task<tasks::PaTask>();
  for (const auto& [model, sets] : request.pairs("models"))
    task.models.push_back(
        {model, request.outputs(nb::cast<std::string>(sets[0]), sets[1], task.options, tasks::SetRole::first),
         request.sets(sets[2], task.options, tasks::SetRole::other)});
  task.labels = request.labels(task.options);
  task.pairs = pairs_of(request);
  task.prior = tasks::prior_of_file(request.log, task.options);
  tasks::Pa record = request.run(tasks::pa, task);
  request.warnings = tasks::unproved_maxima(record);
  return request.finished(std::move(record));
}

// The values, or as many of `missing` as there are rows.
template <class T, class From>
void append(std::vector<T>& column, std::span<const From> values, std::size_t n, T missing) {
  if (values.empty())
    column.insert(column.end(), n, missing);
  else
    column.insert(column.end(), values.begin(), values.end());
}

template <class T>
Array column_of(std::vector<T>& values) {
  const std::size_t n = values.size();
  return make_array<T>({n}, std::move(values));
}

// Options that are none of the record's.
struct AssessExtras {
  bool rows = false;
  tasks::NoiseOptions noise;
};

void fields(AssessExtras& extras, Fields& f) {
  f("rows", extras.rows,
    "return the results of every row of every target in `rows`, an array with the columns of the command's "
    "--rows-csv; -1 and nan mean unknown");
  fields(extras.noise, f);
}

// What the command writes as rows.csv (tasks/assess/rows.h), column by column; -1 and NaN where that is empty.
class RowColumns {
 public:
  void add(const tasks::AssessRows& rows) {
    const std::size_t n = rows.shifted_classes.size();
    models_.emplace_back(rows.model), targets_.emplace_back(rows.target);
    counts_.push_back(static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i) {
      rows_.push_back(static_cast<std::int64_t>(i));
      flipped_.push_back(rows.clean_classes.empty() ? -1 : rows.clean_classes[i] != rows.shifted_classes[i]);
    }
    append<std::int64_t>(labels_, rows.labels, n, -1);
    append<std::int64_t>(clean_, rows.clean_classes, n, -1);
    append<std::int64_t>(shifted_, rows.shifted_classes, n, -1);
    append<double>(clean_confidences_, rows.clean_confidences, n, NAN);
    append<double>(shifted_confidences_, rows.shifted_confidences, n, NAN);
    append<double>(agreements_, rows.agreements, n, NAN);
  }

  // `model`, `target` and `n` of every target; the other columns of all rows.
  ArrayMap arrays() {
    const std::size_t targets = targets_.size();
    ArrayMap columns;
    columns["model"] = make_text_array({targets}, std::move(models_));
    columns["target"] = make_text_array({targets}, std::move(targets_));
    columns["n"] = column_of(counts_);
    columns["row"] = column_of(rows_);
    columns["label"] = column_of(labels_);
    columns["clean_pred"] = column_of(clean_);
    columns["shifted_pred"] = column_of(shifted_);
    columns["clean_confidence"] = column_of(clean_confidences_);
    columns["shifted_confidence"] = column_of(shifted_confidences_);
    columns["agreement"] = column_of(agreements_);
    columns["flipped"] = column_of(flipped_);
    return columns;
  }

 private:
  std::vector<std::string> models_, targets_;
  std::vector<std::int64_t> counts_, rows_, labels_, clean_, shifted_, flipped_;
  std::vector<double> clean_confidences_, shifted_confidences_, agreements_;
};

// Of the argument `noise`, a list of (model, what messages call it, a leeway.Classifier or a Jacobian); inputs are `x`. They
// point to the sources of `task`.
std::vector<tasks::NoiseSubject> noise_subjects(Request& request, const tasks::AssessTask& task) {
  std::vector<tasks::NoiseSubject> subjects;
  if (!request.has("noise")) return subjects;
  Array x;
  if (request.has("x")) x = request.inputs();
  for (const nb::handle one : nb::object(request["noise"])) {
    const auto model = nb::cast<std::string>(one[0]), name = nb::cast<std::string>(one[1]);
    const nb::object value = one[2];
    const auto source = std::ranges::find(task.sources, model, &tasks::AssessSource::model);
    tasks::NoiseSubject& subject = subjects.emplace_back();
    subject.name = model, subject.path = name, subject.outputs = &source->outputs;
    if (nb::hasattr(value, "logits")) {
      subject.functions = classifier_inputs(value, x);
    } else {
      subject.jacobian = request.array(name, value);
      tasks::check_jacobian(subject);
    }
  }
  return subjects;
}

nb::object assess_of(Request& request) {
  auto task = request.task<tasks::AssessTask>();
  task.gates = request.texts("fail_if");
  const tasks::OutputsReading of_sources = tasks::source_reading(task.options),
                              of_targets = tasks::target_reading(task.options);
  const auto open = [&](nb::handle name, nb::handle value, const tasks::OutputsReading& reading,
                        const std::vector<std::string>& names) {
    return request.open_outputs(nb::cast<std::string>(name), value, tasks::reading_for(reading, names),
                                tasks::SetRole::first);
  };
  std::vector<std::string> all_names;
  for (const auto& [model, value] : request.pairs("sources")) {
    task.sources.push_back({model, open(value[0], value[1], of_sources, {})});
    for (const nb::handle target : nb::object(value[2])) {
      const auto shift = nb::cast<std::string>(target[0]);
      const std::vector<std::string> names{shift, model + "/" + shift};
      task.targets.push_back({model, shift, open(target[1], target[2], of_targets, names)});
      all_names.insert(all_names.end(), names.begin(), names.end());
    }
  }
  tasks::require_names(task.options, all_names);
  AssessExtras extras;
  request.read(extras);
  RowColumns columns;
  if (extras.rows) task.rows = [&](const tasks::AssessRows& rows) { columns.add(rows); };
  const std::vector<tasks::NoiseSubject> subjects = noise_subjects(request, task);
  tasks::Assess record = request.run([&](Progress* progress) {
    if (!subjects.empty())
      task.noise = [&, progress] {
        return tasks::models_under_noise(subjects, extras.noise, request.seed, progress);
      };
    return tasks::assess(subjects.empty() ? std::move(task) : tasks::AssessTask(task), progress);
  });
  for (const tasks::ModelUnderNoise& model : record.average_case)
    for (const std::string& warning : model.warnings)
      request.warnings.push_back(model.model + ": " + warning);
  return request.finished(std::move(record), extras.rows ? columns.arrays() : ArrayMap());
}

void assess_options(Fields& f) {
  default_options<tasks::AssessOptions>(f);
  default_options<AssessExtras>(f);
}

nb::object select_of(Request& request) {
  auto task = request.task<tasks::SelectTask>();
  const auto names = request.texts("names");
  const auto clean = request.sets(request["clean"], task.options, tasks::SetRole::first),
             shifted = request.sets(request["shifted"], task.options, tasks::SetRole::other);
  if (clean.size() != shifted.size())
    throw Error("leeway.select: expected one clean and one shifted set per checkpoint, found " +
                std::to_string(clean.size()) + " and " + std::to_string(shifted.size()));
  if (!names.empty() && names.size() != clean.size())
    throw Error("leeway.select: expected " + std::to_string(clean.size()) +
                " names, one per checkpoint, found " + std::to_string(names.size()));
  for (std::size_t i = 0; i < clean.size(); ++i)
    task.checkpoints.push_back({names.empty() ? clean[i].name : names[i], clean[i], shifted[i]});
  task.labels = request.labels(task.options);
  if (task.labels) task.labels_name = "labels";
  tasks::Select record = request.run(tasks::select, task);
  request.warnings = tasks::unproved_maxima(record);
  return request.finished(std::move(record));
}

// Of the two tasks that compare shifted sets with a clean one.
template <class Task>
Task compared(Request& request) {
  auto task = request.task<Task>();
  task.clean = request.sets(request["clean"], task.options, tasks::SetRole::first, true).at(0);
  task.shifted = request.sets(request["shifted"], task.options, tasks::SetRole::other, true);
  return task;
}

nb::object distances_of(Request& request) {
  return request.finished(request.run(tasks::distances, compared<tasks::DistancesTask>(request)));
}

nb::object align_of(Request& request) {
  return request.finished(request.run(tasks::align, compared<tasks::AlignTask>(request)));
}

nb::object bound_of(Request& request, bool estimates_alone) {
  auto task = request.task<tasks::BoundTask>();
  if (estimates_alone && task.options.methods.empty())
    for (const auto& estimator : error_bound::estimators()) task.options.methods.emplace_back(estimator.name);
  task.source = request.sets(request["source"], task.options, tasks::SetRole::first).at(0);
  task.target = request.sets(request["target"], task.options, tasks::SetRole::other).at(0);
  task.labels = request.labels(task.options);
  return request.finished(request.run(tasks::bound, task));
}

nb::object error_bound_of(Request& request) { return bound_of(request, false); }
nb::object estimates_of(Request& request) { return bound_of(request, true); }

nb::object evaluate_bounds_of(Request& request) {
  const GivenTable table = request.table("table");
  auto task = request.task<tasks::BoundEvaluateTask>();
  task.name = table.name;
  task.table = request.run([&] {
    return table.text ? error_bound::parse_shift_table(*table.text, table.name, task.options.methods)
                      : error_bound::read_shift_table(table.name, task.options.methods);
  });
  request.note(table, {task.table.n});
  return request.finished(request.run(tasks::bound_evaluate, task));
}

}  // namespace

std::vector<Function> functions_of_outputs() {
  const std::vector<Argument> sets{
      {"source", "outputs",
       "labeled outputs: an array of logits (n,k), a dictionary of arrays, or a file's path", true},
      {"target", "outputs", "outputs of the same classifier without labels", true},
      {"labels", "labels", "labels of the source, if its outputs have none"}};
  const Argument clean{"clean", "outputs", clean_meaning, true},
      shifted{"shifted", "sets", shifted_meaning, true};
  return {{"agreement",
           "leeway pa",
           tasks::pa_schema,
           "Posterior agreement between clean and shifted outputs, with its interval and certified maximum.",
           {{"clean", "models", clean_meaning, true},
            {"shifted", "shifted", shifted_meaning, true},
            {"labels", "labels", "labels of the samples, if the outputs have none"},
            {"pairs", "array", "pairs (clean row, shifted row) of shape (m,2), in place of `pairing`"}},
           {"ratios"},
           default_options<tasks::PaOptions>,
           agreement_of},
          {"assess",
           "leeway assess",
           tasks::assess_schema,
           "Assessment of a classifier on shifted data from its outputs.",
           {{"source", "models", "outputs on the source data, or a dictionary of outputs by model", true},
            {"targets", "targets",
             "outputs on shifted data: a dictionary of sets by shift; for several models, a dictionary of "
             "such dictionaries by model",
             true},
            {"fail_if", "texts",
             "gates such as \"accuracy<0.8\": `passed` is false if one fails; `gates` lists the violations"},
            {"model", "classifiers",
             "a leeway.Classifier to evaluate on `x` under noise of standard deviation `sigma`, or a "
             "dictionary of classifiers by model"},
            {"x", "inputs", "inputs of the source, (n, ...), one for each row of its outputs"},
            {"jacobian", "jacobians",
             "in place of `model`: Jacobians of the source's logits with respect to the input, (n,k,d)"}},
           {},
           assess_options,
           assess_of},
          {"select",
           "leeway select",
           tasks::select_schema,
           "Selection of a checkpoint by posterior agreement, compared with accuracy.",
           {{"clean", "sets",
             "outputs of each checkpoint on clean validation samples: a list, or a dictionary by name", true},
            {"shifted", "sets", "outputs of the same checkpoints on the shifted samples", true},
            {"labels", "labels", "labels of the samples, if the outputs have none"},
            {"names", "texts", "names of the checkpoints (default: names of `clean`)"}},
           {},
           default_options<tasks::SelectOptions>,
           select_of},
          {"distances",
           "leeway distances",
           tasks::distances_schema,
           "Distances between clean and shifted outputs.",
           {clean, shifted},
           {},
           default_options<tasks::DistancesOptions>,
           distances_of},
          {"align",
           "leeway align",
           tasks::align_schema,
           "PCA alignment of clean and shifted features.",
           {clean, shifted},
           {},
           default_options<tasks::AlignOptions>,
           align_of},
          {"error_bound",
           "leeway bound",
           tasks::bound_schema,
           "The error on a target without labels: an upper bound (Dis2) and estimates.",
           sets,
           {},
           default_options<tasks::BoundOptions>,
           error_bound_of},
          {"estimates",
           "leeway bound",
           tasks::bound_schema,
           "Estimates of the error on a target without labels: all `methods` except the bound dis2.",
           sets,
           {},
           default_options<tasks::BoundOptions>,
           estimates_of},
          {"evaluate_bounds",
           "leeway bound evaluate",
           tasks::bound_evaluate_schema,
           "Evaluation of bounds and estimates on many shifts with known errors.",
           {{"table", "table",
             "table with one row per shift: data_set, target_accuracy or target_error, one column per "
             "method; a DataFrame, a dictionary of columns, or a CSV file's path",
             true}},
           {},
           default_options<tasks::BoundEvaluateOptions>,
           evaluate_bounds_of}};
}

}  // namespace leeway::python
