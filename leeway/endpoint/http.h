// Several HTTP POST requests at once, by libcurl, which is opened when the first client is made.
//
// TLS certificates are verified, with the authorities of the file SSL_CERT_FILE (PEM) if this environment variable
// is set, else with those of the system. A redirect is followed if it leads to the same scheme, host and port; any
// other one fails the request. Replies above 4 MiB are cut off and fail. One thread uses a client.
// Errors: Error for a URL that is not http or https, or a key with line breaks; std::runtime_error where
// libcurl is missing. The failure of one request is part of its reply.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace leeway::endpoint {

struct HttpReply {
  std::size_t id = 0;  // as start() got it
  long status = 0;     // 0: no reply
  std::string body;
  std::string failure;                // why there is no whole reply; empty: there is one
  bool final = false;                 // another try would fail likewise: certificate, redirect
  std::optional<double> retry_after;  // seconds, where the server says so
  double seconds = 0;                 // from the start to the end of the transfer
};

class HttpClient {
 public:
  // `url`: of all requests; `key`: sent as bearer token, empty: none.
  HttpClient(const std::string& url, const std::string& key, std::size_t parallel);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  [[nodiscard]] std::string origin() const;  // "http://host:8000"
  [[nodiscard]] bool encrypted() const;      // https
  [[nodiscard]] std::size_t running() const;
  void start(std::size_t id, std::string body, double timeout_seconds);
  // The replies that arrived; waits at most so long for the first one.
  [[nodiscard]] std::vector<HttpReply> wait(std::chrono::milliseconds most);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace leeway::endpoint
