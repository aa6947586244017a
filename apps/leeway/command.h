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
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "apps/leeway/files.h"
#include "leeway/core/progress.h"
#include "leeway/core/result.h"
#include "leeway/record/envelope.h"

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

  // Declares --json --out --seed --threads --config --quiet --no-digest on a subcommand;
  // `out_help` says what --out writes, `kind` and `beside` what files.h must know of it.
  void add_common_flags(CLI::App& command, const std::string& out_help, Written kind = Written::record,
                        Beside beside = {});

  // Notes an input of the record and starts its digest in the background. `path` may also be a name such as
  // "fashion-mnist:test", which has no digest.
  void add_input(const std::string& path, const std::vector<std::size_t>& shape);
  void start_clock();  // the first input is about to be opened
  void stop_clock();   // the result is finished
  // A line on stderr, unless --quiet, once there is a result or progress to show: input that turns out to be bad
  // gets one line, its own.
  void warn(const std::string& line);
  void say(const std::string& line) const;  // at once, unless --quiet
  [[nodiscard]] Progress* progress();       // shows nothing with --quiet, but still hears Ctrl-C

  // {"schema", "command", "inputs", "seed", "version", "instruction_set", "seconds", "results": results}. Error where an
  // input is no longer the file that add_input() saw.
  [[nodiscard]] Json record(const std::string& schema, Json results);
  // The same for a typed record: with its command and inputs.
  template <class Record>
  [[nodiscard]] Record completed(Record record) {
    record.envelope.command = arguments_;
    record.envelope.inputs = take_inputs();
    return record;
  }
  template <class Record>
  [[nodiscard]] Json complete(Record record) {
    return to_json(completed(std::move(record)));
  }
  // Prints the record (--json) or the table on stdout, and the warnings before it. Control characters of names do not
  // reach the terminal. std::runtime_error where not all of it could be written.
  void print(const Json& record, const std::string& table);
  // Writes the record to --out, where it was given: for commands whose product is the record itself.
  void write_record(const Json& record) const;

  bool json = false, quiet = false, digests = true;
  std::string out, device = "cpu", config;  // config: applied already (config_flags.h), noted as an input
  std::uint64_t seed = 0;
  int threads = 0;
  CommandFiles files;

 private:
  // Size and time of the last change; nothing where there is no such file.
  using FileState = std::optional<std::pair<std::uint64_t, std::filesystem::file_time_type>>;
  struct Input {
    std::string path;
    std::vector<std::size_t> shape;
    FileState state;
    std::future<std::string> digest;
  };
  [[nodiscard]] static FileState state_of(const std::string& path);
  void tell_warnings();
  [[nodiscard]] std::vector<record::Input> take_inputs();

  std::vector<std::string> arguments_;
  std::vector<Input> inputs_;
  std::chrono::steady_clock::time_point started_, stopped_;
  std::unique_ptr<Progress> progress_;
  std::vector<std::string> warnings_;  // not told yet
};

// A record as it is printed and written: JSON, in which control characters are escaped.
[[nodiscard]] std::string record_text(const Json& record);

// The record with all its texts printable(), for tables in which a line end of a name would begin another line.
[[nodiscard]] Json printable_strings(Json record);

// The visible list of commands is in main.cpp. Each sets `run` to what is to be done when it was chosen.
using Run = std::function<int()>;

void add_pa(CLI::App& root, Context& context, Run& run);
void add_bound(CLI::App& root, Context& context, Run& run);
void add_distances(CLI::App& root, Context& context, Run& run);
void add_select(CLI::App& root, Context& context, Run& run);
void add_assess(CLI::App& root, Context& context, Run& run);
void add_report(CLI::App& root, Context& context, Run& run);
void add_shift(CLI::App& root, Context& context, Run& run);
void add_conds(CLI::App& root, Context& context, Run& run);
void add_conds_draw(CLI::App& room, Context& context, Run& run);
void add_conds_describe(CLI::App& room, Context& context, Run& run);
void add_data(CLI::App& root, Context& context, Run& run);
void add_data_render(CLI::App& room, Context& context, Run& run);
void add_data_load(CLI::App& room, Context& context, Run& run);
void add_train(CLI::App& root, Context& context, Run& run);
void add_infer(CLI::App& root, Context& context, Run& run);
void add_inspect(CLI::App& root, Context& context, Run& run);
void add_attack(CLI::App& root, Context& context, Run& run);
void add_mvn_cdf(CLI::App& root, Context& context, Run& run);
void add_list(CLI::App& root, Context& context, Run& run);
void add_demo(CLI::App& root, Context& context, Run& run);
void add_average_case(CLI::App& root, Context& context, Run& run);

}  // namespace leeway::app
