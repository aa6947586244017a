// Asks a chat endpoint for the class of every image, several requests at once.
//
// Images are sent as PNG. Equal images are asked for once. Each answer goes to the journal as it arrives;
// what is in the journal under the same settings is not asked for again. Connection failures, timeouts, HTTP
// 408, 409, 429, 5xx and unreadable replies are retried after min(8, 2^k / 2) s, +-25%, or as long as the
// server requests, up to 60 s. After 401, 403, 404, an exhausted quota or a bad certificate, and where many
// requests fail one after the other, nothing more is asked. Rows without an answer are `missing`.
//
// Answers do not depend on the number of requests at once or on the order of rows. The key is sent only to
// the endpoint; it is removed from texts of the server before they are stored.
// Errors (Error): options, images of other than 1 or 3 channels, no answer at all, the journal. Interrupted
// on request, after which the journal has all answers that arrived. Memory: 200 bytes per row, and the
// requests in flight. Planning a million rows takes a few seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leeway/core/classifier.h"
#include "leeway/core/error.h"
#include "leeway/core/progress.h"
#include "leeway/endpoint/answers.h"
#include "leeway/endpoint/prompts.h"
#include "leeway/io/images.h"

namespace leeway::endpoint {

struct AskOptions {
  std::string url, model;  // "http://localhost:8000/v1"
  std::string key;         // empty: none
  std::vector<std::string> classes;
  std::string prompt = "general1";  // a name or a text
  AnswerForm form = AnswerForm::names;
  Aliases aliases = {};
  std::string journal;      // file; empty: answers are kept in memory alone
  std::size_t samples = 1;  // answers of each image
  double temperature = 0;
  std::size_t max_tokens = 64;
  std::uint64_t seed = 0;
  std::size_t parallel = 8;
  double rate = 0;                               // requests a minute; 0: any number
  std::optional<std::size_t> max_requests = {};  // of this object, retries counted
  double timeout = 120;                          // seconds; the first answer may take 600
  std::size_t retries = 6;                       // of a request
};

struct Answer {
  AnswerKind kind = AnswerKind::missing;
  std::uint32_t label = 0;  // of `parsed`
  std::uint32_t prompt_tokens = 0, completion_tokens = 0, censored = 0;
  std::vector<float> logarithms = {};  // k + 1, as in AnswerReader::Scores; empty: none were returned
  std::string text = {};               // of kinds that name no class
};

struct Asked {
  std::vector<Answer> answers;  // by row, then by sample
  std::size_t requests = 0, retries = 0, from_journal = 0;
  std::size_t prompt_tokens = 0, completion_tokens = 0;  // of the replies to these requests
  double seconds = 0;                                    // of all requests together
  std::map<std::string, std::size_t> failures;           // rows without an answer, by reason
  std::set<std::string> models;                          // as the server calls them
  bool other_limit = false;                              // the server asked for max_completion_tokens
};

// Images in levels from 0 to 255, (c,h,w).
struct Levels {
  std::size_t n = 0, channels = 0, height = 0, width = 0;
  std::function<std::vector<std::uint8_t>(std::size_t row)> row = {};
};
// `images` must outlive them.
[[nodiscard]] Levels levels_of(const Images& images);

class Asker {
 public:
  explicit Asker(AskOptions options);
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  [[nodiscard]] const AskOptions& options() const;
  [[nodiscard]] std::string origin() const;  // "http://localhost:8000"
  [[nodiscard]] bool encrypted() const;
  [[nodiscard]] Asked ask(const Levels& images, Progress* progress = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// What stands for an answer without a class: a class of its own behind the others, or a guess.
enum class NoClass { own, guess };
inline constexpr NoClass every_no_class[] = {NoClass::own, NoClass::guess};
[[nodiscard]] constexpr std::string_view name_of(NoClass what) {
  return what == NoClass::own ? "class" : "guess";
}
inline constexpr std::string_view no_class_name = "(no class)";

enum class Probabilities { log_probabilities, samples, one_hot };
[[nodiscard]] constexpr std::string_view name_of(Probabilities what) {
  constexpr std::string_view names[] = {"logprobs", "samples", "one-hot"};
  return names[static_cast<std::size_t>(what)];
}

// Logarithms of class probabilities (n, k + 1), or (n, k) with guesses; a missing row counts as one without a
// class. From the first token's where every row with a class has them, else shares of the samples, else 0 and
// 1. A guess is one of k classes at random, by seed and number of the row.
struct ClassScores {
  Probabilities from = Probabilities::one_hot;
  std::size_t k = 0;  // columns
  std::vector<float> logarithms;
};
[[nodiscard]] ClassScores scores_of(const Asked& asked, const AskOptions& options, NoClass no_class);

// Images without an answer. Where there is a journal, the same work goes on from its answers.
class Unanswered : public Error {
 public:
  using Error::Error;
};

// A classifier of images (c,h,w) in [0,1], which are rounded to 256 levels, without gradients: for attacks
// that only ask for logits. Its last class is that of answers without a class. `note` gets the result of each call.
// Errors: Unanswered.
[[nodiscard]] Classifier classifier_of(const std::shared_ptr<Asker>& asker, std::size_t channels,
                                       std::size_t height, std::size_t width, Progress* progress = nullptr,
                                       const std::function<void(const Asked&)>& note = {});

}  // namespace leeway::endpoint
