#include "leeway/endpoint/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "leeway/core/message.h"

namespace leeway::endpoint {

struct Url {
  std::string scheme, host, port;

  [[nodiscard]] bool known() const { return !host.empty() && (scheme == "http" || scheme == "https"); }
  [[nodiscard]] std::string origin() const { return fmt::format("{}://{}:{}", scheme, host, port); }
};

struct Transfer {
  CURL* handle = nullptr;
  std::string body;
  HttpReply reply;
  int redirects = 0;
};

namespace {

constexpr std::size_t most_bytes = std::size_t{4} << 20;
constexpr int most_redirects = 5;

// The functions of libcurl that are used.
struct Curl {
  void* library = ::dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
#define LEEWAY_CURL(name) decltype(&curl_##name) name = find<decltype(&curl_##name)>("curl_" #name)
  LEEWAY_CURL(global_init);
  LEEWAY_CURL(easy_init);
  LEEWAY_CURL(easy_setopt);
  LEEWAY_CURL(easy_getinfo);
  LEEWAY_CURL(easy_strerror);
  LEEWAY_CURL(easy_cleanup);
  LEEWAY_CURL(slist_append);
  LEEWAY_CURL(slist_free_all);
  LEEWAY_CURL(multi_init);
  LEEWAY_CURL(multi_setopt);
  LEEWAY_CURL(multi_add_handle);
  LEEWAY_CURL(multi_remove_handle);
  LEEWAY_CURL(multi_perform);
  LEEWAY_CURL(multi_poll);
  LEEWAY_CURL(multi_info_read);
  LEEWAY_CURL(multi_cleanup);
  LEEWAY_CURL(url);
  LEEWAY_CURL(url_set);
  LEEWAY_CURL(url_get);
  LEEWAY_CURL(url_cleanup);
  LEEWAY_CURL(free);
#undef LEEWAY_CURL
  bool whole = library != nullptr;

  Curl() {
    if (whole) global_init(CURL_GLOBAL_DEFAULT);
  }
  template <class Function>
  Function find(const char* name) {
    void* const found = library == nullptr ? nullptr : ::dlsym(library, name);
    if (found == nullptr) library = nullptr;
    return reinterpret_cast<Function>(found);
  }
};

const Curl& curl() {
  static const Curl found;
  if (!found.whole)
    throw std::runtime_error(
        "libcurl.so.4: not found; requests to an endpoint need it (apt-get install libcurl4)");
  return found;
}

Url parsed(const std::string& text) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl().url(), curl().url_cleanup);
  if (curl().url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return {};
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    if (curl().url_get(url.get(), which, &value, CURLU_DEFAULT_PORT) != CURLUE_OK) return std::string();
    const std::unique_ptr<char, decltype(&curl_free)> held(value, curl().free);
    return lower_case(value);
  };
  return {part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_PORT)};
}

std::size_t take_body(const char* bytes, std::size_t, std::size_t size, void* transfer) {
  std::string& body = static_cast<Transfer*>(transfer)->reply.body;
  if (body.size() + size > most_bytes) return 0;
  body.append(bytes, size);
  return size;
}

std::size_t take_header(const char* bytes, std::size_t, std::size_t size, void* transfer) {
  const std::string line = lower_case({bytes, size});
  for (const auto& [name, factor] : {std::pair("retry-after:", 1.), {"retry-after-ms:", 1e-3}}) {
    if (!line.starts_with(name)) continue;
    const std::size_t first = line.find_first_of("0123456789");
    double value = 0;
    if (first != std::string::npos &&
        std::from_chars(line.data() + first, line.data() + line.size(), value).ec == std::errc() &&
        line.find_first_not_of(" \t", std::string_view(name).size()) == first)
      static_cast<Transfer*>(transfer)->reply.retry_after = value * factor;
  }
  return size;
}

}  // namespace

struct HttpClient::State {
  std::string url;
  Url of;
  curl_slist* headers = nullptr;
  CURLM* multi = nullptr;
  std::map<CURL*, std::unique_ptr<Transfer>> running;

  ~State() {
    for (const auto& [handle, transfer] : running) remove(handle);
    if (multi != nullptr) curl().multi_cleanup(multi);
    curl().slist_free_all(headers);
  }
  void remove(CURL* handle) const {
    curl().multi_remove_handle(multi, handle);
    curl().easy_cleanup(handle);
  }
  [[nodiscard]] bool redirected(CURL* handle, Transfer& transfer);
  [[nodiscard]] HttpReply finished(CURL* handle, CURLcode code);
};

HttpClient::HttpClient(const std::string& url, const std::string& key, std::size_t parallel)
    : state_(std::make_unique<State>()) {
  state_->url = url, state_->of = parsed(url);
  if (!state_->of.known()) refuse("--endpoint", "a URL such as http://localhost:8000/v1", in_quotes(url));
  if (key.find_first_of("\r\n") != std::string::npos)
    refuse("LEEWAY_API_KEY", "a key without line breaks", "one with line breaks");
  const auto add = [&](const std::string& line) {
    state_->headers = curl().slist_append(state_->headers, line.c_str());
  };
  add("Content-Type: application/json");
  add("Expect:");
  if (!key.empty()) add("Authorization: Bearer " + key);
  state_->multi = curl().multi_init();
  curl().multi_setopt(state_->multi, CURLMOPT_MAXCONNECTS, static_cast<long>(parallel));
}

HttpClient::~HttpClient() = default;

std::string HttpClient::origin() const { return state_->of.origin(); }
bool HttpClient::encrypted() const { return state_->of.scheme == "https"; }
std::size_t HttpClient::running() const { return state_->running.size(); }

void HttpClient::start(std::size_t id, std::string body, double timeout_seconds) {
  CURL* const handle = curl().easy_init();
  auto& transfer = *(state_->running[handle] = std::make_unique<Transfer>());
  transfer.handle = handle, transfer.body = std::move(body), transfer.reply.id = id;
  const auto set = [&](CURLoption option, auto value) { curl().easy_setopt(handle, option, value); };
  set(CURLOPT_URL, state_->url.c_str());
  set(CURLOPT_POST, 1L);
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(transfer.body.size()));
  set(CURLOPT_POSTFIELDS, transfer.body.c_str());
  set(CURLOPT_HTTPHEADER, state_->headers);
  set(CURLOPT_WRITEFUNCTION, take_body);
  set(CURLOPT_WRITEDATA, &transfer);
  set(CURLOPT_HEADERFUNCTION, take_header);
  set(CURLOPT_HEADERDATA, &transfer);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, 10L);
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout_seconds * 1000));
  curl().multi_add_handle(state_->multi, handle);
}

// Starts a transfer that was redirected within its origin again; false: it is not redirected, or elsewhere.
bool HttpClient::State::redirected(CURL* handle, Transfer& transfer) {
  char* target = nullptr;
  curl().easy_getinfo(handle, CURLINFO_REDIRECT_URL, &target);
  if (target == nullptr || transfer.reply.status / 100 != 3) return false;
  const Url other = parsed(target);
  transfer.reply.final = true;
  if (!other.known() || other.origin() != of.origin()) {
    transfer.reply.failure = fmt::format("a redirect to another host, {}", printable(other.origin()));
    return false;
  }
  if (++transfer.redirects > most_redirects) {
    transfer.reply.failure = "too many redirects";
    return false;
  }
  const std::string next = target;
  const std::size_t id = transfer.reply.id;
  transfer.reply = {};
  transfer.reply.id = id;
  curl().multi_remove_handle(multi, handle);
  curl().easy_setopt(handle, CURLOPT_URL, next.c_str());
  curl().multi_add_handle(multi, handle);
  return true;
}

HttpReply HttpClient::State::finished(CURL* handle, CURLcode code) {
  Transfer& transfer = *running.at(handle);
  curl().easy_getinfo(handle, CURLINFO_TOTAL_TIME, &transfer.reply.seconds);
  if (code != CURLE_OK) {
    transfer.reply.failure = code == CURLE_WRITE_ERROR ? "a reply above 4 MiB" : curl().easy_strerror(code);
    transfer.reply.final = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE;
  }
  HttpReply reply = std::move(transfer.reply);
  remove(handle);
  running.erase(handle);
  return reply;
}

std::vector<HttpReply> HttpClient::wait(std::chrono::milliseconds most) {
  int active = 0;
  std::vector<HttpReply> replies;
  const auto collect = [&] {
    curl().multi_perform(state_->multi, &active);
    int left = 0;
    while (const CURLMsg* const message = curl().multi_info_read(state_->multi, &left)) {
      CURL* const handle = message->easy_handle;
      const CURLcode code = message->data.result;
      Transfer& transfer = *state_->running.at(handle);
      curl().easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.reply.status);
      if (code == CURLE_OK && state_->redirected(handle, transfer)) continue;
      replies.push_back(state_->finished(handle, code));
    }
  };
  collect();
  if (!replies.empty()) return replies;
  curl().multi_poll(state_->multi, nullptr, 0, static_cast<int>(most.count()), nullptr);
  collect();
  return replies;
}

}  // namespace leeway::endpoint
