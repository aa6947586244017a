#include "leeway/tasks/infer/infer.h"

#include "leeway/core/message.h"
#include "leeway/core/rows.h"
#include "leeway/io/npy.h"
#include "leeway/io/shards.h"
#include "leeway/tasks/model.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {

Inferred infer(const InferTask& task, Progress* progress) {
  const TaskClock clock;
  Inferred found;
  Outputs& outputs = found.outputs;
  outputs = task.model.outputs(task.images, progress);
  outputs.class_names = task.model.info().class_names;
  if (outputs.class_names.empty()) outputs.class_names = class_names_of(task.images, outputs.k());
  found.record.options = task.options;
  InferredSet& set = found.record.results.emplace_back();
  set.data = task.data, set.n = outputs.n(), set.k = outputs.k();
  set.parameters = task.model.info().parameters;
  if (outputs.features) set.features = outputs.features->shape[1];
  if (outputs.labels) set.accuracy = accuracy_of(outputs);
  found.record = clock.finished(std::move(found.record), task.seed);
  return found;
}

void add_set(Infer& all, Infer one) {
  if (all.results.empty()) {
    all = std::move(one);
    return;
  }
  for (std::string& line : one.envelope.warnings) append_new(all.envelope.warnings, line);
  for (InferredSet& set : one.results) all.results.push_back(std::move(set));
  all.envelope.seconds += one.envelope.seconds;
  all.envelope.headline = headline_of(all);
}

std::vector<InferredSplit> accuracy_by_split(const Outputs& outputs, const data::RowSplit& split) {
  std::vector<InferredSplit> found;
  for (const auto& [word, rows] :
       {std::pair("train", &split.train), {"val", &split.validation}, {"test", &split.test}}) {
    if (rows->empty()) continue;
    InferredSplit& part = found.emplace_back(InferredSplit{word, rows->size(), {}});
    if (outputs.labels) part.accuracy = accuracy_of(take({outputs.logits, outputs, {}}, *rows).rest);
  }
  return found;
}

ArrayMap take_rows(const ArrayMap& arrays, std::size_t n, std::span<const std::size_t> rows) {
  ArrayMap some;
  for (const auto& [name, array] : arrays) {
    if (array.shape.empty() || array.shape[0] != n || n == 0) continue;
    std::vector<std::size_t> shape = array.shape;
    shape[0] = rows.size();
    const std::size_t width = array.size() / n;
    if (array.type == ElementType::text) {
      std::vector<std::string> texts;
      for (const std::size_t row : rows)
        for (std::size_t j = 0; j < width; ++j) texts.push_back((*array.texts)[row * width + j]);
      some[name] = make_text_array(std::move(shape), std::move(texts));
    } else {
      some[name] = Rows(Array{array.type, {n, width}, array.storage, {}}).take(rows);
      some[name].shape = std::move(shape);
    }
  }
  return some;
}

void write_outputs(const std::filesystem::path& path, const Outputs& outputs, const ArrayMap& of_images) {
  ArrayMap arrays = arrays_of(outputs);
  for (const char* const name : {"norms", "groups"})
    if (const auto found = of_images.find(name); found != of_images.end()) arrays[name] = found->second;
  write_npz(path, arrays);
}

}  // namespace leeway::tasks
