#include "leeway/endpoint/ask.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/core/parallel.h"
#include "leeway/core/random.h"
#include "leeway/core/result.h"
#include "leeway/endpoint/chat.h"
#include "leeway/endpoint/http.h"
#include "leeway/endpoint/journal.h"
#include "leeway/io/png.h"

namespace leeway::endpoint {
namespace {

using Clock = std::chrono::steady_clock;
using Known = std::unordered_map<std::string, Answer>;

constexpr double first_timeout = 600, longest_delay = 8, longest_wait = 60;  // seconds
constexpr std::size_t shortest_key = 8;  // shorter ones, such as "EMPTY", are no secrets
constexpr std::size_t kept_text = 200, least_failures = 20, most_reasons = 20;

Clock::duration seconds(double value) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(value));
}

void remove_secret(std::string& text, const std::string& key) {
  if (key.size() < shortest_key) return;
  for (std::size_t at = 0; (at = text.find(key)) != std::string::npos;) text.replace(at, key.size(), "[key]");
}

// "http://host/v1" -> "http://host/v1/chat/completions".
std::string chat_url(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  constexpr std::string_view path = "/chat/completions";
  return url.ends_with(path) ? url : url + std::string(path);
}

// All that decides an answer besides the image.
Json settings_of(const AskOptions& options, const PromptMember& prompt) {
  return {{"model", options.model},
          {"prompt", prompt_text(prompt, options.classes, options.form)},
          {"temperature", options.temperature},
          {"seed", options.seed},
          {"max_tokens", options.max_tokens},
          {"logprobs", options.form == AnswerForm::letters && options.samples == 1}};
}

Aliases aliases_of(const AskOptions& options, const PromptMember& prompt) {
  Aliases aliases = options.aliases;
  for (std::size_t j = 0; j < prompt.answers.size(); ++j)
    if (std::ranges::find(options.classes, prompt.answers[j]) == options.classes.end())
      aliases.emplace_back(prompt.answers[j], options.classes[j]);
  return aliases;
}

}  // namespace

struct Asker::State {
  // An answer to ask for.
  struct Unit {
    std::size_t row = 0, sample = 0, attempts = 0;
    Known::value_type* known = nullptr;
    bool completion_tokens = false;  // as it was sent
  };

  explicit State(AskOptions given);
  void take(const JournalEntry& entry, bool from_file);
  std::vector<const Answer*> plan(const Levels& images);
  void prepare(const Levels& images);
  void start_some(const Levels& images);
  void handle(HttpReply reply);
  void settle(Unit& unit, HttpReply&& http, ChatReply&& reply);
  void fail(std::string why, bool fatal);
  void rename_limit(std::size_t unit);
  [[nodiscard]] Clock::duration delay_of(const Unit& unit, std::optional<double> retry_after) const;
  [[nodiscard]] bool may_start() const;
  [[nodiscard]] std::chrono::milliseconds pause() const;
  void tell(Progress* progress) const;

  AskOptions options;
  PromptMember prompt;
  AnswerReader reader;
  std::string settings;  // digest
  HttpClient client;
  Known known;  // by key
  bool has_settings = false, answered = false;
  std::size_t sent = 0;  // requests of this object
  Asked asked;           // of one call of ask(), as all below
  Journal journal;       // it fills `known` and the models of `asked`
  std::vector<Unit> units;
  std::size_t next = 0, done = 0, in_a_row = 0;
  std::deque<std::pair<std::size_t, std::string>> ready;  // unit and body
  std::multimap<Clock::time_point, std::size_t> waiting;  // units to try again
  Clock::time_point next_start = {};
  std::string gave_up;  // why nothing more is asked
};

Asker::State::State(AskOptions given)
    : options(std::move(given)),
      prompt(prompt_of(options.prompt, options.classes.size())),
      reader(options.classes, options.form, aliases_of(options, prompt)),
      settings(digest_text(settings_of(options, prompt).dump())),
      client(chat_url(options.url), options.key, options.parallel),
      journal(options.journal, [this](const JournalEntry& entry) { take(entry, true); }) {
  if (options.model.empty()) refuse("--endpoint-model", "the name of a model", "none");
  if (options.samples < 1 || options.parallel < 1) refuse("--samples, --parallel", "at least 1", "0");
  if (options.samples > 1 && options.temperature <= 0)
    refuse("--samples", "a --temperature above 0, so that samples differ", "0");
}

// Makes an entry known.
void Asker::State::take(const JournalEntry& entry, bool from_file) {
  if (from_file && entry.settings != settings) return;
  has_settings = true;
  const auto label = reader.class_in(entry.reply.text);
  Answer& answer = known[entry.key];
  answer.kind = kind_of(entry.reply, label.has_value());
  answer.label = static_cast<std::uint32_t>(label.value_or(0));
  answer.prompt_tokens = static_cast<std::uint32_t>(entry.reply.prompt_tokens);
  answer.completion_tokens = static_cast<std::uint32_t>(entry.reply.completion_tokens);
  if (auto scores = reader.scores_of(entry.reply.tokens)) {
    answer.logarithms = std::move(scores->logarithms);
    answer.censored = static_cast<std::uint32_t>(scores->censored);
  }
  if (answer.kind != AnswerKind::parsed)
    answer.text = printable(entry.reply.refusal.empty() ? entry.reply.text : entry.reply.refusal, kept_text);
  asked.models.insert(entry.reply.model);
}

// The answers of all rows and samples, of which those that are not known become units.
std::vector<const Answer*> Asker::State::plan(const Levels& images) {
  std::vector<const Answer*> answers;
  answers.reserve(images.n * options.samples);
  const std::string shape =
      fmt::format("{} {}x{}x{}", settings, images.channels, images.height, images.width);
  for (std::size_t row = 0; row < images.n; ++row) {
    const std::vector<std::uint8_t> levels = images.row(row);
    const std::string image =
        digest_bytes({std::as_bytes(std::span(shape)), std::as_bytes(std::span(levels))});
    for (std::size_t sample = 0; sample < options.samples; ++sample) {
      const auto [at, added] = known.try_emplace(fmt::format("{}-{}", image, sample));
      answers.push_back(&at->second);
      if (added) units.push_back({row, sample, 0, &*at});
    }
  }
  return answers;
}

// The bodies of the next units.
void Asker::State::prepare(const Levels& images) {
  std::vector<std::size_t> some;
  for (const auto now = Clock::now();
       some.size() < options.parallel && !waiting.empty() && waiting.begin()->first <= now;
       waiting.erase(waiting.begin()))
    some.push_back(waiting.begin()->second);
  while (some.size() < options.parallel && next < units.size()) some.push_back(next++);
  std::vector<std::string> bodies(some.size());
  parallel_for(some.size(), [&](std::size_t i) {
    const Unit& unit = units[some[i]];
    const std::vector<std::uint8_t> levels = images.row(unit.row);
    bodies[i] = body_of({.model = options.model,
                         .text = prompt_text(prompt, options.classes, options.form),
                         .image = png_data_uri(images.channels, images.height, images.width, levels),
                         .temperature = options.temperature,
                         .seed = options.seed + unit.sample,
                         .max_tokens = options.max_tokens,
                         .log_probabilities = options.form == AnswerForm::letters && options.samples == 1,
                         .completion_tokens = asked.other_limit});
  });
  for (std::size_t i = 0; i < some.size(); ++i) ready.emplace_back(some[i], std::move(bodies[i]));
}

bool Asker::State::may_start() const {
  return gave_up.empty() && client.running() < options.parallel && Clock::now() >= next_start;
}

void Asker::State::start_some(const Levels& images) {
  while (may_start()) {
    if (options.max_requests && sent >= *options.max_requests) {
      gave_up = "--max-requests is reached";
      return;
    }
    if (ready.empty()) prepare(images);
    if (ready.empty()) return;
    auto [unit, body] = std::move(ready.front());
    ready.pop_front();
    asked.retries += units[unit].attempts > 0;
    units[unit].completion_tokens = asked.other_limit;
    ++units[unit].attempts, ++sent, ++asked.requests;
    client.start(unit, std::move(body),
                 answered ? options.timeout : std::max(options.timeout, first_timeout));
    if (options.rate > 0) next_start = std::max(next_start, Clock::now()) + seconds(60 / options.rate);
  }
}

Clock::duration Asker::State::delay_of(const Unit& unit, std::optional<double> retry_after) const {
  if (retry_after && *retry_after <= longest_wait) return seconds(*retry_after);
  Random random(options.seed, stream("retry"), unit.row);
  const double jitter = .75 + .5 * random.uniform();
  return seconds(jitter * std::min(longest_delay, .5 * std::pow(2., static_cast<double>(unit.attempts - 1))));
}

void Asker::State::fail(std::string why, bool fatal) {
  remove_secret(why, options.key);
  if (asked.failures.size() >= most_reasons && !asked.failures.contains(why)) why = "other reasons";
  ++asked.failures[why], ++done, ++in_a_row;
  if (fatal || in_a_row >= std::max(least_failures, 2 * options.parallel)) gave_up = why;
}

void Asker::State::settle(Unit& unit, HttpReply&& http, ChatReply&& reply) {
  for (std::string* const text : {&reply.text, &reply.finish, &reply.refusal, &reply.model})
    remove_secret(*text, options.key);
  for (auto& [token, logarithm] : reply.tokens) remove_secret(token, options.key);
  if (!has_settings) journal.add_settings(settings_of(options, prompt).dump());
  JournalEntry entry{unit.known->first, settings,     unit.row,        unit.sample,
                     unit.attempts,     http.seconds, std::move(reply)};
  journal.add(entry);
  take(entry, false);
  asked.prompt_tokens += entry.reply.prompt_tokens, asked.completion_tokens += entry.reply.completion_tokens;
  ++done, in_a_row = 0, answered = true;
}

void Asker::State::handle(HttpReply http) {
  Unit& unit = units[http.id];
  asked.seconds += http.seconds;
  ReadReply read;
  if (http.failure.empty())
    read = parse_reply(http.status, http.body);
  else
    read = {{}, http.failure, !http.final, http.final};
  if (read.failure.empty()) return settle(unit, std::move(http), std::move(read.reply));
  if (read.other_limit && !unit.completion_tokens) return rename_limit(http.id);
  if (read.retry && unit.attempts <= options.retries)
    waiting.emplace(Clock::now() + delay_of(unit, http.retry_after), http.id);
  else
    fail(read.failure, read.fatal);
}

// The unit, and those with a body that is not sent yet, get a body with the other name of the limit.
void Asker::State::rename_limit(std::size_t unit) {
  asked.other_limit = true;
  ready.emplace_back(unit, "");
  for (const auto& [next, body] : ready) waiting.emplace(Clock::now(), next);
  ready.clear();
}

// How long the loop may sleep until something can be started.
std::chrono::milliseconds Asker::State::pause() const {
  constexpr std::chrono::milliseconds longest(100);
  if (!gave_up.empty() || client.running() >= options.parallel) return longest;
  auto until = Clock::now() + longest;
  if (!waiting.empty()) until = std::min(until, waiting.begin()->first);
  if (next_start > Clock::now()) until = std::min(until, next_start);
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  return std::clamp(left, std::chrono::milliseconds(1), longest);
}

void Asker::State::tell(Progress* progress) const {
  if (progress == nullptr) return;
  const std::string note = asked.retries == 0 ? "" : fmt::format("{} retries", count(asked.retries));
  progress->update("asking " + client.origin(), done, units.size(), note);
}

Asker::Asker(AskOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Asker::~Asker() = default;

const AskOptions& Asker::options() const { return state_->options; }
std::string Asker::origin() const { return state_->client.origin(); }
bool Asker::encrypted() const { return state_->client.encrypted(); }

Asked Asker::ask(const Levels& images, Progress* progress) {
  State& s = *state_;
  if (images.channels != 1 && images.channels != 3)
    refuse("--endpoint", "images of 1 or 3 channels", images.channels);
  s.asked.requests = s.asked.retries = s.asked.prompt_tokens = s.asked.completion_tokens = 0;
  s.asked.seconds = 0, s.asked.failures.clear();
  for (const State::Unit& unit : s.units)
    if (const std::string key = unit.known->first; unit.known->second.kind == AnswerKind::missing)
      s.known.erase(key);
  s.units.clear(), s.ready.clear(), s.waiting.clear(), s.gave_up.clear();
  s.next = s.done = s.in_a_row = 0;
  const std::vector<const Answer*> answers = s.plan(images);
  s.asked.from_journal = answers.size() - s.units.size();
  s.tell(progress);
  while (true) {
    stop_if_asked(progress,
                  "endpoint: stopped; the journal has all answers that arrived, and the same command "
                  "requests only the missing ones");
    s.start_some(images);
    const bool left = s.next < s.units.size() || !s.ready.empty() || !s.waiting.empty();
    if (s.client.running() == 0 && (!left || !s.gave_up.empty())) break;
    std::vector<HttpReply> replies = s.client.wait(s.pause());
    for (HttpReply& reply : replies) s.handle(std::move(reply));
    if (!replies.empty()) s.tell(progress);
  }
  if (s.done < s.units.size()) s.asked.failures[s.gave_up] += s.units.size() - s.done;
  Asked found = s.asked;
  for (const Answer* const answer : answers) found.answers.push_back(*answer);
  if (found.requests > 0 &&
      std::ranges::all_of(answers, [](const Answer* one) { return one->kind == AnswerKind::missing; }))
    refuse(origin(), "answers", found.failures.begin()->first);
  return found;
}

}  // namespace leeway::endpoint
