// Requests and replies of an OpenAI-style chat endpoint: POST URL/chat/completions.
//
// A request has one user message, the image before the text. A reply gives the text of choices[0], its
// finish_reason, the alternatives of its first token and the tokens that were used. Servers word errors in
// two ways, {"error": {"message", "code"}} and {"message", "code"} at the top; both are read. parse_reply
// never throws: an invalid reply has a `failure`. Cost: linear in the size of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace leeway::endpoint {

struct ChatRequest {
  std::string model, text;
  std::string image;  // "data:image/png;base64,..."
  double temperature = 0;
  std::uint64_t seed = 0;
  std::size_t max_tokens = 64;
  bool log_probabilities = false;  // of the 20 most likely first tokens
  bool completion_tokens = false;  // the limit is called max_completion_tokens
};
[[nodiscard]] std::string body_of(const ChatRequest& request);

struct ChatReply {
  std::string text;      // at most 4,096 bytes
  std::string finish;    // "stop", "length", "content_filter", ...
  std::string refusal;   // what the model says in place of an answer
  bool readable = true;  // the answer is a text
  std::vector<std::pair<std::string, double>>
      tokens;  // of the first token that is not blank, with logarithms
  std::size_t prompt_tokens = 0, completion_tokens = 0;  // 0: the server does not say
  std::string model;                                     // as the server calls it
};

// A reply, or why there is none.
struct ReadReply {
  ChatReply reply;
  std::string failure;       // "HTTP 429: ..."; empty: there is a reply
  bool retry = false;        // another try may succeed
  bool fatal = false;        // every other request would fail, too: the key, the model or the quota
  bool other_limit = false;  // the server asks for max_completion_tokens
};
// `status`: of HTTP.
[[nodiscard]] ReadReply parse_reply(long status, std::string_view body);

}  // namespace leeway::endpoint
