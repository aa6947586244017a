// shift, shift_text, infer_endpoint, conds.split, conds.describe, list: images, tables of attributes, and what there is.
#include <stdexcept>

#include "leeway/core/message.h"
#include "leeway/io/attribute_table.h"
#include "leeway/io/csv.h"
#include "leeway/tasks/conds_describe/conds_describe.h"
#include "leeway/tasks/conds_draw/conds_draw.h"
#include "leeway/tasks/infer_endpoint/infer_endpoint.h"
#include "leeway/tasks/list/list.h"
#include "leeway/tasks/shift/shift.h"
#include "leeway/tasks/shift_text/shift_text.h"
#include "python/src/functions.h"

namespace leeway::python {
namespace {

nb::object shift_of(Request& request) {
  ArrayMap arrays;
  auto task = request.task<tasks::ShiftTask>();
  task.shift = request.text("shift");
  task.take = [&](ArrayMap made) { arrays = std::move(made); };
  const auto images = request.pairs("images");
  task.images = in_memory(request.images(images.at(0).first, images.at(0).second, task.options.pictures));
  tasks::Shift record = request.run(tasks::shift_images, task);
  if (const auto& groups = task.options.groups) request.log.add(*groups, {task.images.n(), 1});
  return request.finished(std::move(record), arrays);
}

nb::object infer_endpoint_of(Request& request) {
  auto task = request.task<tasks::InferEndpointTask>();
  const auto images = request.pairs("images");
  task.images = request.images(images.at(0).first, images.at(0).second, task.options.pictures);
  std::vector<std::string> lines;
  task.say = [&](const std::string& line) { lines.push_back(line); };
  tasks::EndpointOutputs found =
      request.run([&](Progress* progress) { return tasks::infer_endpoint(std::move(task), progress); });
  request.warnings.insert(request.warnings.end(), lines.begin(), lines.end());
  return request.finished(std::move(found.record), arrays_of(found.outputs));
}

// The columns of a CSV text.
ArrayMap columns_of(const std::string& text, const std::string& name) {
  const CsvTable table = parse_csv(text, name);
  ArrayMap arrays;
  const std::size_t n = table.rows();
  for (std::size_t j = 0; j < table.header.size(); ++j)
    arrays[table.header[j]] = make_text_array({n}, {table.columns[j].begin(), table.columns[j].end()});
  return arrays;
}

nb::object shift_text_of(Request& request) {
  auto task = request.task<tasks::ShiftTextTask>();
  task.shift = request.text("shift");
  std::string shifted;
  task.take = [&](std::string text) { shifted = std::move(text); };
  const GivenTable table = request.table("table");
  task.data = table.name, task.text = table.text;
  task.was_read = [&](const std::string& path, const std::vector<std::size_t>& shape) {
    if (path == table.name)
      request.note(table, shape);
    else
      request.log.add(path, shape);
  };
  tasks::ShiftText record = request.run(tasks::shift_text, task);
  return request.finished(std::move(record), columns_of(shifted, task.data));
}

AttributeTable table_of(Request& request, const char* argument, const TableColumns& columns) {
  const GivenTable table = request.table(argument);
  AttributeTable read = request.run([&] {
    return table.text ? parse_attribute_table(*table.text, table.name, columns)
                      : read_attribute_table(table.name, columns);
  });
  request.note(table, {read.n(), read.columns().size()});
  return read;
}

Array rows_of(const std::vector<std::size_t>& rows) {
  return make_array({rows.size()}, std::vector<std::int64_t>(rows.begin(), rows.end()));
}

nb::object split_of(Request& request) {
  auto task = request.task<tasks::CondsDrawTask>();
  std::map<std::string, std::vector<std::string>> orders;
  if (request.has("order"))
    for (const auto& [attribute, values] : nb::cast<nb::dict>(request["order"]))
      for (const nb::handle value : values)
        orders[nb::cast<std::string>(attribute)].emplace_back(nb::str(value).c_str());
  task.table = table_of(request, "table", tasks::table_columns(task.options, orders));
  ArrayMap arrays;
  task.save = [&](const std::string& name, const conds::ConDSSplit& split) {
    const std::string before = task.options.all ? name + "/" : "";
    arrays[before + "train"] = rows_of(split.train);
    arrays[before + "val"] = rows_of(split.validation);
    arrays[before + "test"] = rows_of(split.test);
    return tasks::SavedSplit{};
  };
  tasks::CondsDraw record = request.run(tasks::conds_draw, task);
  return request.finished(std::move(record), arrays);
}

nb::object describe_of(Request& request) {
  auto task = request.task<tasks::CondsDescribeTask>();
  const bool tables = request.has("source");
  if (!tables && !request.has("outputs")) throw Error("leeway.conds.describe: expected source, or outputs");
  if (!tables && request.has("target")) throw Error("leeway.conds.describe: target requires source");
  if (tables && task.options.columns.empty())
    throw Error("leeway.conds.describe: expected the argument columns (names of the attributes)");
  if (!tables && (task.options.label || !task.options.columns.empty()))
    throw Error("leeway.conds.describe: label and columns require a table; outputs have their own");
  if (request.has("outputs")) {
    const auto outputs = request.pairs("outputs");
    task.inputs.outputs = request.open_outputs(outputs.at(0).first, outputs.at(0).second,
                                               task.options.reading, tasks::SetRole::first);
  }
  const TableColumns columns = tasks::described_columns(task.options);
  if (tables) task.inputs.source = table_of(request, "source", columns);
  if (request.has("target")) task.inputs.target = table_of(request, "target", columns);
  return request.finished(request.run(tasks::conds_describe, task));
}

nb::object list_of(Request& request) {
  auto task = request.task<tasks::ListTask>();
  task.session = []() -> const nn::Session& {
    throw std::runtime_error(
        "not available in this process; leeway.command([\"list\"]) lists it if the command has LibTorch");
  };
  return request.finished(tasks::list(task));
}

}  // namespace

std::vector<Function> functions_of_data() {
  return {
      {"shift",
       "leeway shift",
       tasks::shift_schema,
       "A shifted copy of images: `arrays` has x and y; for shifts that select rows also `rows`, the source "
       "rows.",
       {{"images", "images",
         "(n,c,h,w), uint8 or floats in [0,1], a dictionary with x and y, a file's path or a name such as "
         "fashion-mnist:test",
         true},
        {"shift", "text", "a name in leeway.list(\"shifts\")", true}},
       {"strength"},
       default_options<tasks::ShiftOptions>,
       shift_of},
      {"infer_endpoint",
       "leeway infer",
       tasks::infer_endpoint_schema,
       "Classes that a model behind a chat endpoint names for images: `arrays` has logits, labels and "
       "class_names. The server key is read from the environment variable LEEWAY_API_KEY.",
       {{"images", "images",
         "(n,c,h,w), uint8 or floats in [0,1], a dictionary with x and y, a file's path or a name such as "
         "fashion-mnist:test",
         true}},
       {"endpoint", "endpoint_model"},
       default_options<tasks::InferEndpointOptions>,
       infer_endpoint_of},
      {"shift_text",
       "leeway shift text",
       tasks::shift_text_schema,
       "A table with one text column shifted: `arrays` has its columns, as text.",
       {{"table", "table",
         "table with a text column: a DataFrame, a dictionary of columns, or a CSV file's path", true},
        {"shift", "text", "a name in leeway.list(\"text-shifts\")", true}},
       {"strength"},
       default_options<tasks::ShiftTextOptions>,
       shift_text_of},
      {"conds.split",
       "leeway conds draw",
       tasks::conds_draw_schema,
       "Training, validation and test sets with concurrent distribution shifts: `arrays` has the row numbers "
       "of train, val and test; with `all`, of every case as CASE/train and so on.",
       {{"table", "table",
         "table with a row for each sample, a label and attributes: a DataFrame, a dictionary of columns, or "
         "a CSV file's path",
         true},
        {"order", "orders",
         "dictionary that maps each attribute to all its values in order (default: ascending); the last "
         "value is rare or unseen"}},
       {},
       default_options<tasks::CondsDrawOptions>,
       split_of},
      {"conds.describe",
       "leeway conds describe",
       tasks::conds_describe_schema,
       "Shifts between two attribute tables, and the cells where a model is weak.",
       {{"source", "table",
         "training samples: attributes, and optionally a label; a DataFrame, a dictionary of columns, or a "
         "CSV file's path"},
        {"target", "table", "test samples (default: only the source is described)"},
        {"outputs", "outputs",
         "outputs of a model on the target (or on the source, without a target); without tables, the groups "
         "and labels of the outputs are described"}},
       {},
       default_options<tasks::CondsDescribeOptions>,
       describe_of},
      {"list",
       "leeway list",
       tasks::list_schema,
       "The members of families, with their parameters.",
       {},
       {"family"},
       default_options<tasks::ListOptions>,
       list_of}};
}

}  // namespace leeway::python
