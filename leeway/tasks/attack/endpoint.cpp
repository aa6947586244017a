#include "leeway/tasks/attack/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "leeway/core/message.h"
#include "leeway/core/numbers.h"
#include "leeway/io/columns.h"

namespace leeway::tasks {

// Requests of one attack in place of what others report; Ctrl-C reaches all.
class RequestProgress : public Progress {
 public:
  explicit RequestProgress(Progress* shown) : shown_(shown) {}
  void begin(std::size_t most) { before_ = 0, most_ = most; }
  void add(std::size_t done) { before_ += done; }
  void update(std::string_view task, std::size_t done, std::size_t, std::string_view note) override {
    if (shown_ != nullptr && task.starts_with("asking")) shown_->update(task, before_ + done, most_, note);
  }
  [[nodiscard]] bool stop_requested() const override { return shown_ != nullptr && shown_->stop_requested(); }

 private:
  Progress* shown_;
  std::size_t before_ = 0, most_ = 0;
};

namespace {

void check(const attack::AttackOptions& options, const InferEndpointOptions& endpoint) {
  if (options.attack != "square" && options.attack != "hopskipjump")
    throw OptionError(fmt::format(
        "--attack: expected square or hopskipjump with --endpoint, which has no gradients, found {}",
        options.attack));
  if (endpoint.no_class != name_of(endpoint::NoClass::own))
    throw OptionError(
        fmt::format("--no-class: expected the value class with an attack, found {}", endpoint.no_class));
}

}  // namespace

void fields(AttackEndpointOptions& options, Fields& f) {
  fields(static_cast<attack::AttackOptions&>(options), f);
  fields(static_cast<InferEndpointOptions&>(options), f);
}

// Evaluations as in attack/square.cpp and attack/hopskipjump.cpp, those before and after the attack are equal.
std::size_t most_passes(const attack::AttackOptions& complete, std::size_t d) {
  const auto& given = complete.parameters;
  if (complete.attack == "square")
    return 2 + static_cast<std::size_t>(given.at("queries") * given.at("restarts"));
  constexpr double most_halvings = 40;
  const double exponent = complete.norm == attack::Norm::l2 ? -1.5 : -2,
               bisections = std::ceil(-std::log2(std::min(1e-3, std::pow(static_cast<double>(d), exponent))));
  double passes = 2 + given.at("start-draws") + bisections;
  for (double step = 1; step <= given.at("steps"); ++step)
    passes +=
        bisections + most_halvings +
        std::floor(std::min(given.at("first-evaluations") * std::sqrt(step), given.at("most-evaluations")));
  return static_cast<std::size_t>(passes);
}

struct EndpointUnderAttack::State {
  State(Images given, const InferEndpointOptions& endpoint_options, std::uint64_t seed, Progress* shown)
      : images(std::move(given)),
        options(endpoint_options),
        asker(std::make_shared<endpoint::Asker>(ask_options(options, images.class_names, seed))),
        progress(shown),
        rows(endpoint::classifier_of(asker, images.channels(), images.height(), images.width(), &progress,
                                     [this](const endpoint::Asked& asked) { note(asked); }),
             images) {}

  void note(const endpoint::Asked& asked) {
    cost.requests += asked.requests, cost.retries += asked.retries;
    cost.prompt_tokens += asked.prompt_tokens, cost.completion_tokens += asked.completion_tokens;
    progress.add(asked.requests);
  }

  Images images;
  InferEndpointOptions options;
  std::shared_ptr<endpoint::Asker> asker;
  RequestProgress progress;
  AttackedEndpoint cost;
  ModelUnderAttack rows;
  std::function<void(const std::string&)> say;
};

EndpointUnderAttack::EndpointUnderAttack(Images images, const InferEndpointOptions& options,
                                         std::uint64_t seed, std::function<void(const std::string&)> say,
                                         Progress* progress) {
  if (images.are_rows()) refuse("--endpoint", "images", "rows");
  const auto names = ask_options(options, images.class_names, seed).classes;
  align_classes(Columns{"--classes", names.size(), false, names}, images);
  state_ = std::make_unique<State>(std::move(images), options, seed, progress);
  state_->say = std::move(say);
}
EndpointUnderAttack::~EndpointUnderAttack() = default;

const Images& EndpointUnderAttack::images() const { return state_->images; }
std::size_t EndpointUnderAttack::classes() const { return state_->asker->options().classes.size(); }

AttackFound EndpointUnderAttack::attack(attack::AttackOptions options) {
  State& s = *state_;
  check(options, s.options);
  options.levels = attack::Levels::eight_bit;
  const std::size_t n = s.images.n(), samples = s.options.samples,
                    passes = most_passes(attack::complete(options), s.images.pixels_per_image());
  if (s.say)
    s.say(fmt::format(
        "{}: at most {} requests to {} ({} images, {} each) without retries; images leave this machine",
        options.attack, count(n * passes * samples), s.asker->origin(), count(n), count(passes * samples)));
  s.progress.begin(n * passes * samples);
  s.cost = {s.asker->origin(), prompt_text(endpoint::prompt_of(s.options.prompt, classes()),
                                           s.asker->options().classes, s.asker->options().form)};
  AttackFound found = tasks::attack({s.rows.target(), options}, &s.progress);
  found.record.results.front().endpoint = s.cost;
  found.record.results.front().model = s.options.endpoint_model.value_or("");
  return found;
}

}  // namespace leeway::tasks
