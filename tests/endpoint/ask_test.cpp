// Asking a server of our own, server.py, that answers well, badly and not at all.
#include "leeway/endpoint/ask.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "leeway/attack/attack.h"
#include "leeway/core/random.h"
#include "tests/files.h"
#include "tests/message_of.h"
#include "tests/stopping.h"

namespace leeway::endpoint::ask_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string here = LEEWAY_REFERENCE "/../endpoint/";

// A process of server.py, ended at the end.
class Server {
 public:
  explicit Server(std::vector<std::string> arguments = {}) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("pipe failed");
    arguments.insert(arguments.begin(), {"python3", here + "server.py"});
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execvp("python3", words.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    const std::unique_ptr<FILE, decltype(&std::fclose)> out(::fdopen(ends[0], "r"), &std::fclose);
    if (std::fscanf(out.get(), "%d", &port_) != 1) throw std::runtime_error("server.py does not start");
  }
  ~Server() { ::kill(process_, SIGKILL), ::waitpid(process_, nullptr, 0); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  [[nodiscard]] std::string url(const std::string& path = "/v1", const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + path;
  }

 private:
  pid_t process_ = -1;
  int port_ = 0;
};

const std::string secret = "sk-never-to-be-seen";

AskOptions options_of(const std::string& url) {
  AskOptions options;
  options.url = url, options.model = "m", options.key = secret,
  options.classes = {"square", "ellipse", "heart"};
  return options;
}

// Image i has the first pixel i and random others.
Levels images_of(std::size_t n) {
  return {n, 1, 5, 4, [](std::size_t row) {
            Random random(0, stream("test"), row);
            std::vector<std::uint8_t> levels(20);
            for (std::uint8_t& level : levels) level = static_cast<std::uint8_t>(random.below(256));
            levels[0] = static_cast<std::uint8_t>(row);
            return levels;
          }};
}

void expect_right(const Asked& asked) {
  for (std::size_t i = 0; i < asked.answers.size(); ++i) {
    EXPECT_EQ(asked.answers[i].kind, AnswerKind::parsed) << i;
    EXPECT_EQ(asked.answers[i].label, i % 256 % 3) << i;
  }
}

std::size_t lines_in(const std::filesystem::path& path) {
  const std::string text = read_bytes(path);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Ask, AnswersSurviveFaultsAndAreNotAskedForTwice) {
  const TemporaryFolder folder;
  const Server server({"--faults", "0.2", "--log", (folder / "log").string()});
  AskOptions options = options_of(server.url());
  options.journal = (folder / "j.jsonl").string(), options.parallel = 32;
  const Asked first = Asker(options).ask(images_of(60));
  expect_right(first);
  EXPECT_GT(first.retries, 0u);
  EXPECT_EQ(first.requests, 60 + first.retries);
  const std::size_t asked = lines_in(folder / "log");
  const Asked again = Asker(options).ask(images_of(65));
  expect_right(again);
  EXPECT_EQ(again.from_journal, 60u);
  EXPECT_LE(lines_in(folder / "log"), asked + 5 + again.retries);
  EXPECT_THAT(read_bytes(folder / "j.jsonl"), Not(HasSubstr(secret)));
}

TEST(Ask, EqualImagesAreAskedForOnceAndMaxRequestsEnds) {
  const Server server;
  AskOptions options = options_of(server.url());
  options.max_requests = 3;
  Levels images = images_of(6);
  images.row = [row = images.row](std::size_t i) { return row(i / 2); };
  Asker asker(options);
  EXPECT_EQ(asker.ask(images).requests, 3u);
  const Asked more = asker.ask(images_of(6));
  EXPECT_EQ(more.from_journal, 3u);
  EXPECT_EQ(more.failures.at("--max-requests is reached"), 3u);
  EXPECT_EQ(more.answers[5].kind, AnswerKind::missing);
}

struct Refusal {
  const char* path;
  const char* parts;
};

TEST(Ask, RefusalsEndTheRunAndTheKeyGoesNowhere) {
  const Server server;
  for (const Refusal& one : {Refusal{"/unauthorized", "HTTP 401: wrong key [key]"},
                             {"/quota", "HTTP 429: no credit"},
                             {"/foreign", "a redirect to another host, http://localhost:..."}})
    EXPECT_REFUSED(Asker(options_of(server.url(one.path))).ask(images_of(9)), one.parts);
  EXPECT_REFUSED(Asker(options_of("ftp://host/v1")),
                 "http://localhost:8000/v1, found 'ftp://host/v1/chat/completions'");
  expect_right(Asker(options_of(server.url("/same"))).ask(images_of(9)));
  const TemporaryFolder folder;
  AskOptions echo = options_of(server.url("/echo"));
  echo.journal = (folder / "j.jsonl").string();
  expect_right(Asker(echo).ask(images_of(9)));
  EXPECT_THAT(read_bytes(folder / "j.jsonl"), HasSubstr("square [key]"));
}

TEST(Ask, TheNameOfTheLimitIsSwitchedOnce) {
  const Server server;
  AskOptions options = options_of(server.url("/new"));
  options.parallel = 4, options.retries = 0;
  Asker asker(options);
  const Asked first = asker.ask(images_of(20)), more = asker.ask(images_of(25));
  expect_right(more);
  EXPECT_TRUE(first.other_limit);
  EXPECT_GT(first.retries, 0u);
  EXPECT_LE(first.retries, options.parallel);
  EXPECT_EQ(more.retries, 0u);
  EXPECT_FALSE(Asker(options_of(server.url())).ask(images_of(1)).other_limit);
}

TEST(Ask, CertificatesAreVerified) {
  const Server server({"--tls", here + "certificate.pem", here + "key.pem"});
  const AskOptions options = options_of(server.url("/v1", "https"));
  EXPECT_REFUSED(Asker(options).ask(images_of(1)), "SSL peer certificate...");
  ::setenv("SSL_CERT_FILE", (here + "certificate.pem").c_str(), 1);
  expect_right(Asker(options).ask(images_of(9)));
  ::unsetenv("SSL_CERT_FILE");
}

TEST(Ask, StopsOnRequestAndKeepsWhatArrived) {
  const TemporaryFolder folder;
  const Server server({"--seconds", "0.02"});
  AskOptions options = options_of(server.url());
  options.journal = (folder / "j.jsonl").string();
  Stopping stopping(9);
  EXPECT_REFUSED(Asker(options).ask(images_of(60), &stopping), "stopped...requests only the missing ones");
  EXPECT_EQ(stopping.tasks, std::set<std::string>{"asking " + server.url("")});
  const Asked rest = Asker(options).ask(images_of(60));
  EXPECT_GE(rest.from_journal, 9u);
  EXPECT_EQ(rest.from_journal + rest.requests, 60u);
}

TEST(Ask, ScoresComeFromTokensSamplesOrNothing) {
  const Server server;
  AskOptions options = options_of(server.url());
  const ClassScores hard = scores_of(Asker(options).ask(images_of(3)), options, NoClass::own);
  EXPECT_EQ(hard.from, Probabilities::one_hot);
  EXPECT_EQ(hard.logarithms[0], 0);
  EXPECT_LT(hard.logarithms[3], -700);
  options.samples = 2, options.temperature = 1;
  EXPECT_EQ(scores_of(Asker(options).ask(images_of(3)), options, NoClass::guess).from,
            Probabilities::samples);
  options.samples = 1, options.form = AnswerForm::letters;
  const ClassScores soft = scores_of(Asker(options).ask(images_of(3)), options, NoClass::guess);
  EXPECT_EQ(soft.from, Probabilities::log_probabilities);
  const double sum = .7 + .02 + .02;
  EXPECT_NEAR(std::exp(soft.logarithms[0]), .7 / sum, 1e-6);
  EXPECT_NEAR(std::exp(soft.logarithms[1]), .02 / sum, 1e-6);
  options.url = server.url("/hard"), options.form = AnswerForm::names;
  const Asked none = Asker(options).ask(images_of(6));
  const AnswerKind kinds[] = {AnswerKind::empty,      AnswerKind::cut_off,  AnswerKind::refused,
                              AnswerKind::unreadable, AnswerKind::unparsed, AnswerKind::unparsed};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(none.answers[i].kind, kinds[i]) << i;
  EXPECT_EQ(scores_of(none, options, NoClass::own).logarithms[3], 0);
}

TEST(Ask, AttacksThatNeedNoGradientsTakeTheClassifier) {
  const Server server;
  const Classifier classifier = classifier_of(std::make_shared<Asker>(options_of(server.url())), 1, 5, 4);
  std::vector<float> x(40, .5F);
  attack::Target target{classifier, x};
  target.picture = {1, 5, 4};
  const std::map<std::string, std::map<std::string, double>> attacks = {
      {"square", {{"queries", 20}}},
      {"hopskipjump", {{"steps", 2}, {"first-evaluations", 5}, {"most-evaluations", 5}, {"start-draws", 9}}}};
  for (const auto& [name, parameters] : attacks) {
    attack::AttackOptions options;
    options.attack = name, options.parameters = parameters;
    if (name == "square") options.eps = .3;
    EXPECT_THAT(run(target, options).success, Contains(1)) << name;
  }
}

}  // namespace
}  // namespace leeway::endpoint::ask_test
