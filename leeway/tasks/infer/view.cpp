#include "leeway/tasks/infer/infer.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const Infer& record) {
  using One = InferredSet;
  const std::vector<ColumnOf<One>> columns = {
      {text_column("File"), &One::out},
      {number_column("n"), &One::n},
      {number_column("Classes"), &One::k},
      {number_column("Features"),
       [](const One& one) {
         return one.features ? count_cell(*one.features) : dash_cell("the model gives no features");
       }},
      {interval_column("Accuracy"), &One::accuracy, "the images have no labels"}};
  struct Part {
    const One* set;
    const InferredSplit* split;
  };
  std::vector<Part> parts;
  for (const One& one : record.results)
    for (const InferredSplit& split : one.splits) parts.push_back({&one, &split});
  const std::vector<ColumnOf<Part>> of_parts = {
      {text_column("File"), [](const Part& part) { return text_cell(part.set->out); }},
      {text_column("Split"), [](const Part& part) { return text_cell(part.split->split); }},
      {number_column("n"), [](const Part& part) { return count_cell(part.split->n); }},
      {interval_column("Accuracy"),
       [](const Part& part) { return share_cell(part.split->accuracy, "the images have no labels"); }}};
  return plain_view("outputs of a model", record.envelope,
                    table_of("Outputs files", columns, record.results).block() +
                        table_of("By split", of_parts, parts).block(2));
}

}  // namespace leeway::tasks
