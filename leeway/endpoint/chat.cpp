#include "leeway/endpoint/chat.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "leeway/core/error.h"
#include "leeway/core/message.h"
#include "leeway/core/result.h"
#include "leeway/core/utf8.h"

namespace leeway::endpoint {
namespace {

constexpr std::size_t longest_text = 4096, most_alternatives = 20;

// The value at the end of a path of keys; null where the path ends early. A number is a place in a list.
const Json& value_at(const Json& json, std::initializer_list<std::string_view> path) {
  static const Json nothing;
  const Json* at = &json;
  for (const std::string_view key : path) {
    if (key == "0" && at->is_array() && !at->empty())
      at = &at->front();
    else if (const auto found = at->is_object() ? at->find(key) : at->end(); found != at->end())
      at = &*found;
    else
      return nothing;
  }
  return *at;
}

std::string text_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json& value = value_at(json, path);
  return value.is_string() ? value.get<std::string>() : "";
}

std::size_t count_at(const Json& json, std::initializer_list<std::string_view> path) {
  const Json& value = value_at(json, path);
  return value.is_number_unsigned() ? value.get<std::size_t>() : 0;
}

std::string cut(std::string text) {
  if (text.size() <= longest_text) return text;
  std::size_t end = longest_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // whole characters
  text.resize(end);
  return text;
}

// A text, or a list of parts with texts.
std::string content_of(const Json& content) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (content.is_array())
    for (const Json& part : content) text += text_at(part, {"text"});
  return text;
}

std::vector<std::pair<std::string, double>> alternatives(const Json& choice) {
  std::vector<std::pair<std::string, double>> found;
  const Json& tokens = value_at(choice, {"logprobs", "content"});
  if (!tokens.is_array()) return found;
  const auto blank = [](const Json& token) {
    return text_at(token, {"token"}).find_first_not_of(" \t\r\n") == std::string::npos;
  };
  const auto first = std::ranges::find_if_not(tokens, blank);
  if (first == tokens.end()) return found;
  const Json& list = value_at(*first, {"top_logprobs"});
  if (!list.is_array()) return found;
  for (const Json& one : list) {
    const Json& value = value_at(one, {"logprob"});
    if (!value.is_number() || found.size() == most_alternatives) continue;
    found.emplace_back(cut(text_at(one, {"token"})), std::min(0., value.get<double>()));
  }
  return found;
}

ChatReply reply_of(const Json& json) {
  const Json& choice = value_at(json, {"choices", "0"});
  const Json& content = value_at(choice, {"message", "content"});
  ChatReply reply;
  reply.text = cut(content_of(content));
  reply.finish = cut(text_at(choice, {"finish_reason"}));
  reply.refusal = cut(text_at(choice, {"message", "refusal"}));
  reply.readable = content.is_string() || content.is_array() || !reply.refusal.empty() ||
                   (content.is_null() && reply.finish == "content_filter");
  reply.tokens = alternatives(choice);
  reply.prompt_tokens = count_at(json, {"usage", "prompt_tokens"});
  reply.completion_tokens = count_at(json, {"usage", "completion_tokens"});
  reply.model = cut(text_at(json, {"model"}));
  return reply;
}

// What the server says went wrong, in either form.
std::string error_of(const Json& json) {
  for (const std::string& text :
       {text_at(json, {"error", "message"}), text_at(json, {"error"}), text_at(json, {"message"})})
    if (!text.empty()) return text;
  return "";
}

bool is_quota(const Json& json) {
  return text_at(json, {"error", "code"}) == "insufficient_quota" ||
         text_at(json, {"error", "type"}) == "insufficient_quota";
}

Json parsed_body(std::string_view body) {
  try {
    return parse_nested(body, "reply");
  } catch (const Json::exception&) {
  } catch (const Error&) {
  }
  return {};
}

}  // namespace

std::string body_of(const ChatRequest& request) {
  Json body{{"model", request.model},
            {"messages",
             {{{"role", "user"},
               {"content",
                {{{"type", "image_url"}, {"image_url", {{"url", request.image}}}},
                 {{"type", "text"}, {"text", request.text}}}}}}},
            {"temperature", request.temperature},
            {"seed", request.seed},
            {request.completion_tokens ? "max_completion_tokens" : "max_tokens", request.max_tokens},
            {"n", 1},
            {"stream", false}};
  if (request.log_probabilities) body["logprobs"] = true, body["top_logprobs"] = most_alternatives;
  return body.dump();
}

ReadReply parse_reply(long status, std::string_view body) {
  ReadReply read;
  const Json json = parsed_body(body);
  const std::string error = error_of(json);
  if (status == 200 && error.empty() && value_at(json, {"choices", "0"}).is_object()) {
    read.reply = reply_of(json);
    return read;
  }
  const auto one_of = [&](std::initializer_list<long> all) { return std::ranges::count(all, status) > 0; };
  read.other_limit = status == 400 && error.find("max_completion_tokens") != std::string::npos;
  read.fatal = one_of({401, 403, 404}) || (status == 429 && is_quota(json));
  read.retry = !read.fatal && (one_of({200, 408, 409, 429}) || status >= 500);
  if (!error.empty())
    read.failure = fmt::format("HTTP {}: {}", status, printable(error, 300));
  else if (status == 200)
    read.failure = json.is_null() ? "a reply that is not JSON" : "a reply without an answer";
  else
    read.failure = fmt::format("HTTP {}", status);
  return read;
}

}  // namespace leeway::endpoint
