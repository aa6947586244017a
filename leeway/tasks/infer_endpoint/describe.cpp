#include <fmt/format.h>

#include "leeway/core/message.h"
#include "leeway/endpoint/ask.h"
#include "leeway/tasks/infer_endpoint/infer_endpoint.h"
#include "leeway/tasks/model_reading.h"

namespace leeway::tasks {

void fields(InferEndpointOptions& options, Fields& f) {
  f("classes", options.classes,
    "class names, separated by commas, or a file with one name per line (default: those of the images)");
  flag_fields(options, f);
  fields(options.pictures, f);
}

void flag_fields(InferEndpointOptions& options, Fields& f) {
  f("endpoint", options.endpoint,
    "URL of a server with an OpenAI-style chat API, such as http://localhost:8000/v1");
  f("endpoint_model", options.endpoint_model, "name of the model on the server");
  f("prompt", options.prompt, "name of a prompt (leeway list prompts), or a text with {labels} or {list}");
  f.choice("answer", options.answer,
           {{"names", "class names"},
            {"letters", "A, B, ...; gives probabilities if the server returns log-probabilities"},
            {"numbers", "1, 2, ..."}},
           "form of the model's answers");
  f("aliases", options.aliases, "CSV file with columns alias and class: other words for the classes");
  f("journal", options.journal,
    "file of all answers (JSON lines); answers in the file are not requested again");
  f.choice("no_class", options.no_class,
           {{"class", "a separate class, (no class)"}, {"guess", "a random class"}},
           "output for an answer that names no class");
  f("samples", options.samples, at_least(1), "answers for each image; class shares are the probabilities");
  f("temperature", options.temperature, from_to(0, 2), "sampling temperature");
  f("max_tokens", options.max_tokens, at_least(1),
    "maximum length of an answer (default: 64; 4 for letters and numbers)");
  f("parallel", options.parallel, from_to(1, 1024), "maximum number of concurrent requests");
  f("rate", options.rate, at_least(0), "maximum number of requests per minute (0: no limit)");
  f("max_requests", options.max_requests, "maximum number of requests, retries included (0: only plan)");
  f("timeout", options.timeout, from_to(.01, 86400),
    "time limit of a request in seconds (first answer: at least 600)");
  f("retries", options.retries, from_to(0, 100), "maximum number of retries of a request");
}

static void fields(AnswerExample& example, Fields& f) {
  f("kind", example.kind, "kind: unparsed, empty, cut off, refused or unreadable");
  f("row", example.row, "row of the images, from 0");
  f("text", example.text, "first 200 bytes of the answer");
}

static void answer_fields(EndpointAnswers& set, Fields& f) {
  f("parsed", set.parsed, "number of answers that name one class");
  f("unparsed", set.unparsed, "number of answers that name no class or several classes");
  f("empty", set.empty, "number of empty answers");
  f("cut_off", set.cut_off, "number of answers that reached max_tokens without naming a class");
  f("refused", set.refused, "number of refusals by the model or a content filter");
  f("unreadable", set.unreadable, "number of answers that are not text");
  f("examples", set.examples, "first three answers of each kind without a class");
}

void fields(EndpointAnswers& set, Fields& f) {
  f.unless_empty("data", set.data, "file of images");
  f.unless_empty("out", set.out, "outputs file");
  f("host", set.host, "server that the images were sent to");
  f("served_models", set.served_models, "names of the model in the server's replies");
  f.choice("token_limit", set.token_limit,
           {{"max_tokens", ""}, {"max_completion_tokens", "the server refused max_tokens"}},
           "name of the request field that limits the answer length");
  f("prompt", set.prompt, "text of the prompt");
  f("n", set.n, "number of images");
  f("k", set.k, at_least(2), "number of classes");
  f("missing", set.missing, "number of images without an answer, which the outputs omit");
  f("failures", set.failures, "reasons for missing answers, with counts");
  answer_fields(set, f);
  f.choice("probabilities", set.probabilities,
           {{"logprobs", "log-probabilities of the first token"},
            {"samples", "shares of several answers"},
            {"one-hot", "0 and 1: the server returned no probabilities"}},
           "source of the class probabilities");
  f("mass_outside", set.mass_outside, a_share,
    "mean probability of first tokens that are not options; null: unknown");
  f("censored", set.censored, at_least(0), "mean number of options with only an upper bound; null: unknown");
  measured(
      f, "accuracy", set.accuracy, a_share,
      "share of answered images whose class is their label; no class counts as wrong; null without labels");
  measured(f, "accuracy_with_class", set.accuracy_with_class, a_share, "accuracy among answers with a class");
  f("accuracy_if_right", set.accuracy_if_right, a_share,
    "accuracy if all answers without a class were correct");
  f("requests", set.requests, "number of requests of this run");
  f("retries", set.retries, "number of requests that were retries");
  f("from_journal", set.from_journal, "number of answers taken from the journal or from an identical image");
  f("prompt_tokens", set.prompt_tokens, "prompt tokens of all answers; 0 if the server does not report them");
  f("completion_tokens", set.completion_tokens,
    "tokens of all answers; 0 if the server does not report them");
  f("seconds_per_request", set.seconds_per_request, at_least(0),
    "mean duration of a request; null without requests");
}

std::string headline_of(const InferEndpoint& record) {
  const EndpointAnswers& set = record.results.front();
  const std::string named =
      fmt::format("{} of the {} answers from {} name one of the {} classes", count(set.parsed),
                  count(set.parsed + set.without_class()), record.options.endpoint_model.value_or(""), set.k);
  if (!set.accuracy.value) return named + ".";
  return fmt::format("{}; {} of the images are classified correctly.", named,
                     value_words(set.accuracy, true));
}

std::vector<std::string> findings_of(const InferEndpoint& record) {
  const EndpointAnswers& set = record.results.front();
  std::vector<std::string> findings;
  if (set.missing > 0)
    findings.push_back(
        fmt::format("{} of {} images have no answer: {}. The same command with the journal requests only the "
                    "missing answers.",
                    count(set.missing), count(set.n), list_of(set.failures)));
  if (set.without_class() > 0)
    findings.push_back(
        fmt::format("{} answers name no class.{}", count(set.without_class()),
                    set.accuracy.value && set.accuracy_if_right
                        ? fmt::format(" The accuracy would be {} if these answers were correct.",
                                      percent(*set.accuracy_if_right, 1))
                        : ""));
  if (set.parsed > 0 && set.probabilities == name_of(endpoint::Probabilities::one_hot))
    findings.push_back(
        "The server returned no probabilities: the outputs are 0 and 1, and posterior agreement measures "
        "only the share of unchanged predictions (AFR). Use --answer letters, or --samples.");
  return findings;
}

}  // namespace leeway::tasks
