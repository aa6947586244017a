#include <fmt/format.h>

#include "leeway/tasks/infer_endpoint/infer_endpoint.h"
#include "leeway/tasks/sections.h"

namespace leeway::tasks {

View view(const InferEndpoint& record) {
  using One = EndpointAnswers;
  const std::vector<ColumnOf<One>> accuracies = {
      {text_column("File"), &One::out},
      {number_column("n"), &One::n},
      {number_column("Missing"), &One::missing},
      {interval_column("Accuracy"), &One::accuracy, "the images have no labels"},
      {interval_column("With a class"), &One::accuracy_with_class,
       "none of the answers for the labeled images names a class"}};
  const std::vector<ColumnOf<One>> answers = {{text_column("Host"), &One::host},
                                              {number_column("Parsed"), &One::parsed},
                                              {number_column("Unparsed"), &One::unparsed},
                                              {number_column("Empty"), &One::empty},
                                              {number_column("Cut off"), &One::cut_off},
                                              {number_column("Refused"), &One::refused},
                                              {number_column("Unreadable"), &One::unreadable}};
  const std::vector<ColumnOf<One>> cost = {{text_column("Probabilities"), &One::probabilities},
                                           {number_column("Requests"), &One::requests},
                                           {number_column("Retries"), &One::retries},
                                           {number_column("From journal"), &One::from_journal},
                                           {number_column("Prompt tokens"), &One::prompt_tokens},
                                           {number_column("Answer tokens"), &One::completion_tokens}};
  std::vector<std::pair<std::string, std::string>> examples;
  for (const AnswerExample& example : record.results.front().examples)
    examples.emplace_back(fmt::format("row {}, {}", example.row, example.kind), example.text);
  Blocks lead = table_of("Outputs", accuracies, record.results).block() +
                table_of("Answers", answers, record.results).block() +
                table_of("Requests", cost, record.results).block();
  if (!examples.empty()) lead += subheading("Answers without a class") + term_list(std::move(examples));
  return plain_view("answers of an endpoint", record.envelope, std::move(lead));
}

}  // namespace leeway::tasks
