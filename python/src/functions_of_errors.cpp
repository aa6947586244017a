// error_bound, estimates, evaluate_bounds: the error on a target without labels.

#include "leeway/error_bound/estimator.h"
#include "leeway/tasks/bound.h"
#include "leeway/tasks/bound_evaluate.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

nb::object bound_of(Request& request, bool estimates_alone) {
  tasks::BoundTask task{.source = {}, .target = {}, .seed = request.seed};
  request.read(task.options);
  if (estimates_alone && task.options.methods.empty())
    for (const auto& estimator : error_bound::estimators()) task.options.methods.emplace_back(estimator.name);
  const auto source = request.pairs("source"), target = request.pairs("target");
  task.source = request.outputs(source.at(0).first, source.at(0).second, task.options, tasks::SetRole::first);
  task.target = request.outputs(target.at(0).first, target.at(0).second, task.options, tasks::SetRole::other);
  task.labels = request.labels(task.options);
  return request.finished(request.run([&](Progress* progress) { return tasks::bound(task, progress); }));
}

nb::object error_bound_of(Request& request) { return bound_of(request, false); }
nb::object estimates_of(Request& request) { return bound_of(request, true); }

nb::object evaluate_bounds_of(Request& request) {
  const GivenTable table = request.table("table");
  tasks::BoundEvaluateTask task{.name = table.name, .open = {}, .seed = request.seed};
  request.read(task.options);
  task.open = [&] {
    error_bound::ShiftTable read =
        table.text ? error_bound::parse_shift_table(*table.text, table.name, task.options.methods)
                   : error_bound::read_shift_table(table.name, task.options.methods);
    request.note(table, {read.n});
    return read;
  };
  return request.finished(request.run([&](Progress*) { return tasks::bound_evaluate(task); }));
}

}  // namespace

std::vector<Function> functions_of_errors() {
  const std::vector<Argument> sets{
      {"source", "outputs",
       "labeled outputs: an array of logits (n,k), a dictionary of arrays, or a file's path", true},
      {"target", "outputs", "outputs of the same classifier without labels", true},
      {"labels", "labels", "labels of the source, if its outputs have none"}};
  return {{"error_bound",
           "leeway bound",
           record::bound_schema,
           "The error on a target without labels: an upper bound (Dis2) and estimates.",
           sets,
           {},
           default_options<record::BoundOptions>,
           error_bound_of},
          {"estimates",
           "leeway bound",
           record::bound_schema,
           "Estimates of the error on a target without labels: all `methods` except the bound dis2.",
           sets,
           {},
           default_options<record::BoundOptions>,
           estimates_of},
          {"evaluate_bounds",
           "leeway bound evaluate",
           record::bound_evaluate_schema,
           "Evaluation of bounds and estimates on many shifts with known errors.",
           {{"table", "table",
             "table with one row per shift: data_set, target_accuracy or target_error, one column per "
             "method; a DataFrame, a dictionary of columns, or a CSV file's path",
             true}},
           {},
           default_options<record::BoundEvaluateOptions>,
           evaluate_bounds_of}};
}

}  // namespace leeway::python
