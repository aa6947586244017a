#include "python/src/assessment.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "python/src/arrays.h"
#include "python/src/classifier.h"

namespace leeway::python {
namespace {

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

}  // namespace

void fields(AssessExtras& extras, record::Fields& f) {
  f("rows", extras.rows,
    "keep the results of every row of every target: `rows`, an array with the columns of the command's "
    "--rows-csv; -1 and nan mark unknown values");
  fields(extras.noise, f);
}

void RowColumns::add(const tasks::AssessRows& rows) {
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

ArrayMap RowColumns::arrays() {
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

}  // namespace leeway::python
