// What every subcommand shares: common flags, inputs and their digests, the record, exit codes.
//
// A command is a function that declares its options on a CLI::App and sets the callback that runs it. It
// writes its result through Context::finish and returns an exit code:
//   0 ok, 1 runtime failure, 2 usage, 3 bad input, 4 a gate failed, 5 incomplete, 130 interrupted with state
//   saved.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/core/result.h"

namespace leeway::app {

// A mistake in how the command was called: exit 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr int exit_ok = 0, exit_runtime = 1, exit_usage = 2, exit_input = 3, exit_gate = 4,
                     exit_incomplete = 5, exit_interrupted = 130;

class Context {
 public:
  explicit Context(std::vector<std::string> arguments);

  // Declares --json --out --seed --threads --device --config --quiet --no-digest on a subcommand;
  // `out_help` says what --out writes.
  void add_common_flags(CLI::App& command, const std::string& out_help);

  // Notes an input of the record and starts its digest in the background. `path` may also be a name such as
  // "fashion-mnist:test", which has no digest.
  void add_input(const std::string& path, const std::vector<std::size_t>& shape);
  void start_clock();                        // the first input is about to be opened
  void stop_clock();                         // the result is finished
  void warn(const std::string& line) const;  // one line on stderr, unless --quiet
  [[nodiscard]] Progress* progress();        // shows nothing with --quiet, but still hears Ctrl-C

  // {"schema", "command", "inputs", "seed", "version", "seconds", "results": results}
  [[nodiscard]] Json record(const std::string& schema, Json results);
  // Prints the record (--json) or the table on stdout.
  void print(const Json& record, const std::string& table) const;
  // Writes the record to --out, where it was given: for commands whose product is the record itself.
  void write_record(const Json& record) const;

  bool json = false, quiet = false, digests = true;
  std::string out, device = "cpu", config;  // config: applied already (config_flags.h), noted as an input
  std::uint64_t seed = 0;
  int threads = 0;

 private:
  struct Input {
    std::string path;
    std::vector<std::size_t> shape;
    std::future<std::pair<std::uint64_t, std::string>> bytes_and_digest;
  };
  std::vector<std::string> arguments_;
  std::vector<Input> inputs_;
  std::chrono::steady_clock::time_point started_, stopped_;
  std::unique_ptr<Progress> progress_;
};

// The visible list of commands is in main.cpp. Each sets `run` to what is to be done when it was chosen.
using Run = std::function<int()>;

void add_pa(CLI::App& root, Context& context, Run& run);
void add_bound(CLI::App& root, Context& context, Run& run);
void add_distances(CLI::App& root, Context& context, Run& run);
void add_select(CLI::App& root, Context& context, Run& run);
void add_assess(CLI::App& root, Context& context, Run& run);
void add_report(CLI::App& root, Context& context, Run& run);
void add_shift(CLI::App& root, Context& context, Run& run);
void add_train(CLI::App& root, Context& context, Run& run);
void add_infer(CLI::App& root, Context& context, Run& run);
void add_inspect(CLI::App& root, Context& context, Run& run);
void add_attack(CLI::App& root, Context& context, Run& run);
void add_mvn_cdf(CLI::App& root, Context& context, Run& run);
void add_list(CLI::App& root, Context& context, Run& run);
void add_demo(CLI::App& root, Context& context, Run& run);
void add_average_case(CLI::App& root, Context& context, Run& run);

}  // namespace leeway::app
