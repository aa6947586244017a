#include "leeway/endpoint/http.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
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
  decltype(&curl_global_init) global_init = find<decltype(global_init)>("curl_global_init");
  decltype(&curl_easy_init) easy_init = find<decltype(easy_init)>("curl_easy_init");
  decltype(&curl_easy_setopt) easy_setopt = find<decltype(easy_setopt)>("curl_easy_setopt");
  decltype(&curl_easy_getinfo) easy_getinfo = find<decltype(easy_getinfo)>("curl_easy_getinfo");
  decltype(&curl_easy_strerror) easy_strerror = find<decltype(easy_strerror)>("curl_easy_strerror");
  decltype(&curl_easy_cleanup) easy_cleanup = find<decltype(easy_cleanup)>("curl_easy_cleanup");
  decltype(&curl_slist_append) slist_append = find<decltype(slist_append)>("curl_slist_append");
  decltype(&curl_slist_free_all) slist_free_all = find<decltype(slist_free_all)>("curl_slist_free_all");
  decltype(&curl_multi_init) multi_init = find<decltype(multi_init)>("curl_multi_init");
  decltype(&curl_multi_setopt) multi_setopt = find<decltype(multi_setopt)>("curl_multi_setopt");
  decltype(&curl_multi_add_handle) multi_add_handle =
      find<decltype(multi_add_handle)>("curl_multi_add_handle");
  decltype(&curl_multi_remove_handle) multi_remove_handle =
      find<decltype(multi_remove_handle)>("curl_multi_remove_handle");
  decltype(&curl_multi_perform) multi_perform = find<decltype(multi_perform)>("curl_multi_perform");
  decltype(&curl_multi_poll) multi_poll = find<decltype(multi_poll)>("curl_multi_poll");
  decltype(&curl_multi_info_read) multi_info_read = find<decltype(multi_info_read)>("curl_multi_info_read");
  decltype(&curl_multi_cleanup) multi_cleanup = find<decltype(multi_cleanup)>("curl_multi_cleanup");
  decltype(&curl_url) url = find<decltype(url)>("curl_url");
  decltype(&curl_url_set) url_set = find<decltype(url_set)>("curl_url_set");
  decltype(&curl_url_get) url_get = find<decltype(url_get)>("curl_url_get");
  decltype(&curl_url_cleanup) url_cleanup = find<decltype(url_cleanup)>("curl_url_cleanup");
  decltype(&curl_free) free = find<decltype(free)>("curl_free");
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
  if (const char* const authorities = std::getenv("SSL_CERT_FILE")) set(CURLOPT_CAINFO, authorities);
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
