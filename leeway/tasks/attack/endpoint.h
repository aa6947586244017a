// leeway attack --endpoint: attacks that need no gradients, on a model behind a chat endpoint.
//
// Every forward pass of a row is a request, unless the journal or an earlier pass has the answer; images are sent
// in 256 levels, so attacked images have these levels, too. An answer without a class is a further, last class:
// an attack after which the model names no class succeeds. The same call with the journal resumes.
// OptionError: an attack other than square and hopskipjump, answers without a class as guesses. Errors: those of
// endpoint/ask.h, Unanswered where --max-requests is reached. Interrupted on request, also between replies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "leeway/core/progress.h"
#include "leeway/endpoint/ask.h"
#include "leeway/io/images.h"
#include "leeway/tasks/attack/attack.h"
#include "leeway/tasks/infer_endpoint/infer_endpoint.h"

namespace leeway::tasks {

struct AttackEndpointOptions : attack::AttackOptions, InferEndpointOptions {
  AttackEndpointOptions() { attack = "square"; }
};
void fields(AttackEndpointOptions& options, Fields& f);

// Most forward passes of a row of d values.
[[nodiscard]] std::size_t most_passes(const attack::AttackOptions& complete, std::size_t d);

class EndpointUnderAttack {
 public:
  // `say` receives a message with the host and the largest number of requests before each attack.
  EndpointUnderAttack(Images images, const InferEndpointOptions& options, std::uint64_t seed,
                      std::function<void(const std::string& line)> say, Progress* progress);
  ~EndpointUnderAttack();
  EndpointUnderAttack(const EndpointUnderAttack&) = delete;
  EndpointUnderAttack& operator=(const EndpointUnderAttack&) = delete;

  [[nodiscard]] const Images& images() const;  // with the labels of the endpoint's classes
  [[nodiscard]] std::size_t classes() const;
  [[nodiscard]] AttackFound attack(attack::AttackOptions options);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leeway::tasks
