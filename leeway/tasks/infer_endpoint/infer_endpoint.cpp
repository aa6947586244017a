#include "leeway/tasks/infer_endpoint/infer_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/io/columns.h"
#include "leeway/tasks/assess/detail/comparison.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/task_clock.h"

namespace leeway::tasks {
namespace {

using endpoint::AnswerKind;

constexpr std::size_t examples_of_a_kind = 3;

template <class All>
auto named(const All& all, const std::string& word) {
  return *std::ranges::find_if(all, [&](auto one) { return name_of(one) == word; });
}

}  // namespace

endpoint::AskOptions ask_options(const InferEndpointOptions& given, const std::vector<std::string>& classes,
                                 std::uint64_t seed) {
  if (!given.endpoint || !given.endpoint_model)
    throw OptionError("--endpoint: expected the URL of a server and --endpoint-model");
  const char* const key = std::getenv("LEEWAY_API_KEY");
  endpoint::AskOptions ask{.url = *given.endpoint,
                           .model = *given.endpoint_model,
                           .key = key == nullptr ? "" : key,
                           .classes = given.classes ? class_names_in(*given.classes) : classes,
                           .prompt = given.prompt,
                           .form = named(endpoint::every_answer_form, given.answer),
                           .journal = given.journal.value_or(""),
                           .samples = given.samples,
                           .temperature = given.temperature,
                           .seed = seed,
                           .parallel = given.parallel,
                           .rate = given.rate,
                           .max_requests = given.max_requests,
                           .timeout = given.timeout,
                           .retries = given.retries};
  if (ask.classes.empty()) throw OptionError("--classes: expected the names of the classes, found none");
  if (given.aliases) ask.aliases = endpoint::read_aliases(*given.aliases);
  ask.max_tokens = given.max_tokens.value_or(ask.form == endpoint::AnswerForm::names ? 64 : 4);
  return ask;
}

namespace {

void count_answers(EndpointAnswers& set, const endpoint::Asked& asked, std::size_t samples) {
  std::size_t counts[endpoint::answer_kinds] = {}, shown[endpoint::answer_kinds] = {}, scored = 0;
  double outside = 0, censored = 0;
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    const endpoint::Answer& one = asked.answers[i];
    const auto kind = static_cast<std::size_t>(one.kind);
    ++counts[kind];
    set.prompt_tokens += one.prompt_tokens, set.completion_tokens += one.completion_tokens;
    if (one.kind > AnswerKind::parsed && shown[kind]++ < examples_of_a_kind)
      set.examples.push_back({std::string(name_of(one.kind)), i / samples, one.text});
    if (one.logarithms.empty()) continue;
    ++scored, outside += std::exp(static_cast<double>(one.logarithms.back())), censored += one.censored;
  }
  const auto of = [&](AnswerKind kind) { return counts[static_cast<std::size_t>(kind)]; };
  set.parsed = of(AnswerKind::parsed), set.unparsed = of(AnswerKind::unparsed);
  set.empty = of(AnswerKind::empty), set.cut_off = of(AnswerKind::cut_off);
  set.refused = of(AnswerKind::refused), set.unreadable = of(AnswerKind::unreadable);
  if (scored == 0) return;
  set.mass_outside = outside / static_cast<double>(scored);
  set.censored = censored / static_cast<double>(scored);
}

// `scores` have a column for no class.
void add_accuracy(EndpointAnswers& set, const endpoint::ClassScores& scores,
                  const std::vector<std::int64_t>& labels, const std::vector<std::size_t>& rows) {
  std::size_t right = 0, with_class = 0, n = 0;
  for (const std::size_t row : rows) {
    if (labels[row] == no_label) continue;
    const auto p = std::span(scores.logarithms).subspan(row * scores.k, scores.k);
    const auto predicted = static_cast<std::size_t>(std::ranges::max_element(p) - p.begin());
    ++n, with_class += predicted + 1 < scores.k, right += predicted == static_cast<std::size_t>(labels[row]);
  }
  if (n == 0) return;
  set.accuracy = assess::share(right, n, .95);
  if (with_class > 0) set.accuracy_with_class = assess::share(right, with_class, .95);
  set.accuracy_if_right = static_cast<double>(right + n - with_class) / static_cast<double>(n);
}

Outputs outputs_of(const endpoint::ClassScores& scores, const std::vector<std::string>& classes,
                   const Images& images, const std::vector<std::size_t>& rows) {
  Outputs outputs;
  std::vector<float> logits;
  std::vector<std::int64_t> labels;
  std::vector<std::string> ids;
  for (const std::size_t row : rows) {
    const auto p = std::span(scores.logarithms).subspan(row * scores.k, scores.k);
    logits.insert(logits.end(), p.begin(), p.end());
    ids.push_back(std::to_string(row));
    if (images.labels) labels.push_back((*images.labels)[row]);
  }
  outputs.logits = make_array({rows.size(), scores.k}, std::move(logits));
  if (images.labels) outputs.labels = std::move(labels);
  if (rows.size() < images.n()) outputs.ids = std::move(ids);
  outputs.class_names = classes;
  if (scores.k > classes.size()) outputs.class_names.emplace_back(endpoint::no_class_name);
  return outputs;
}

std::vector<std::size_t> answered_rows(const endpoint::Asked& asked, std::size_t samples) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < asked.answers.size(); i += samples)
    if (std::ranges::none_of(std::span(asked.answers).subspan(i, samples),
                             [](const auto& one) { return one.kind == AnswerKind::missing; }))
      rows.push_back(i / samples);
  return rows;
}

}  // namespace

EndpointOutputs infer_endpoint(InferEndpointTask task, Progress* progress) {
  const TaskClock clock;
  const endpoint::AskOptions options = ask_options(task.options, task.images.class_names, task.seed);
  align_classes(Columns{"--classes", options.classes.size(), false, options.classes}, task.images);
  const bool first = options.journal.empty() || !is_there(options.journal);
  endpoint::Asker asker(options);
  const std::string leave = fmt::format("images leave this machine: they are sent to {}", asker.origin());
  if (first && task.say) task.say(leave);
  const endpoint::Asked asked = asker.ask(endpoint::levels_of(task.images), progress);
  EndpointOutputs found;
  found.record.options = task.options;
  EndpointAnswers& set = found.record.results.emplace_back();
  set.data = task.data, set.host = asker.origin(), set.n = task.images.n(), set.k = options.classes.size();
  set.prompt = prompt_text(endpoint::prompt_of(options.prompt, set.k), options.classes, options.form);
  set.token_limit = asked.other_limit ? "max_completion_tokens" : "max_tokens";
  set.served_models.assign(asked.models.begin(), asked.models.end());
  for (const auto& [reason, number] : asked.failures)
    set.failures.push_back(fmt::format("{} ({})", reason, number));
  set.requests = asked.requests, set.retries = asked.retries, set.from_journal = asked.from_journal;
  if (set.requests > 0) set.seconds_per_request = asked.seconds / static_cast<double>(set.requests);
  count_answers(set, asked, options.samples);
  found.rows = answered_rows(asked, options.samples);
  set.missing = set.n - found.rows.size();
  endpoint::ClassScores scores = scores_of(asked, options, endpoint::NoClass::own);
  set.probabilities = name_of(scores.from);
  if (task.images.labels) add_accuracy(set, scores, *task.images.labels, found.rows);
  const auto no_class = named(endpoint::every_no_class, task.options.no_class);
  if (no_class == endpoint::NoClass::guess) scores = scores_of(asked, options, no_class);
  found.outputs = outputs_of(scores, options.classes, task.images, found.rows);
  if (!options.key.empty() && !asker.encrypted())
    found.record.envelope.warnings.push_back(
        fmt::format("{}: the key in LEEWAY_API_KEY was sent without encryption", set.host));
  found.record = clock.finished(std::move(found.record), task.seed);
  return found;
}

}  // namespace leeway::tasks
