// What every command shares: common flags, inputs and their digests, the record, exit codes.
//
// A command declares its options (command_line.h) and a function that ends with Context::finish and returns
// an exit code: 0 ok, 1 runtime failure, 2 usage, 3 bad input, 4 a gate failed, 5 incomplete, 130 interrupted
// (state saved).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/leeway/command_line.h"
#include "apps/leeway/files.h"
#include "leeway/core/progress.h"
#include "leeway/core/result.h"
#include "leeway/describe/envelope.h"
#include "leeway/describe/fields.h"
#include "leeway/describe/view.h"
#include "leeway/tasks/input_log.h"

namespace leeway::app {

inline constexpr int exit_ok = 0, exit_runtime = 1, exit_usage = 2, exit_input = 3, exit_gate = 4,
                     exit_incomplete = 5, exit_interrupted = 130;

class Context {
 public:
  explicit Context(std::vector<std::string> arguments);

  // Declares --json --out --seed --threads --config --quiet --no-digest on a command; `out_help` says what
  // --out writes, `kind` and `endings` what files.h must know of it.
  void add_common_flags(const Command& command,
                        const std::string& out_help = "Write the JSON record to this file",
                        Written kind = Written::record, std::vector<std::string> endings = {});
  // --report, the page that finish() writes, and --figures, its charts and tables as files.
  void add_page_flag(const Command& command,
                     const std::string& help = "Write a self-contained HTML report to this file");
  void add_figures_flag(const Command& command);
  // Once the command line is parsed: checks the files that it names, sets the threads, starts the clock.
  void begin(const std::vector<Given>& given);

  // Notes an input of the record (tasks/input_log.h); what of a table was read as what is a line on stderr, too.
  void add_input(const std::string& path, const std::vector<std::size_t>& shape,
                 const std::string& reading = "") {
    inputs.add(path, shape, reading);
  }
  // A line on stderr, unless --quiet, once there is a result or progress: bad input gets only its error line.
  void warn(const std::string& line);
  void say(const std::string& line) const;  // at once, unless --quiet
  [[nodiscard]] Progress* progress();       // shows nothing with --quiet, but still hears Ctrl-C

  // A task's record with what the command knows: its words, its inputs, the seconds since begin(). Error where an
  // input is no longer the file that add_input() saw.
  template <class Record>
  [[nodiscard]] Record completed(Record record) {
    complete(record.envelope);
    return record;
  }
  // Prints the record (--json) or the text on stdout, and the warnings before it. Control characters of names do not
  // reach the terminal. std::runtime_error where not all of it could be written.
  void print(const Json& record, const std::string& shown);
  // Ends a command whose record is completed: writes the page (--report, --figures) and the record's file, prints the
  // record or what the view shows. Returns `code`.
  int end(const Json& record, const View& view, int code = exit_ok);
  // The same with the warnings, for a record that is not completed.
  template <class Record>
  int finish(Record record, int code = exit_ok) {
    warn_of(record.envelope);
    record = completed(std::move(record));
    return end(to_json(record), view(record), code);
  }
  // The same for a record with maxima that are not proved: a warning for each, and exit code 5.
  template <class Record>
  int finish_proved(Record record) {
    const std::vector<std::string> unproved = unproved_maxima(record);
    for (const std::string& line : unproved) warn(line + "; exit code 5");
    return finish(std::move(record), unproved.empty() ? exit_ok : exit_incomplete);
  }
  void warn_of(const Envelope& envelope);
  void end_progress() { progress_.reset(); }  // before a line that is no result
  [[nodiscard]] bool wants_page() const { return !page.empty() || !figures.empty(); }
  void write_page(const View& view);  // to --report, and --figures
  // The record's file beside the first of these that is written, claimed.
  void claim_manifest(const std::vector<std::string>& written);
  // The folder --out, files of these names in it that would be replaced, and its manifest.json, the record's file.
  void claim_folder(const std::vector<std::string>& names);

  bool json = false, quiet = false, no_digest = false;
  std::string out, page, figures, device = "cpu", config;  // config: applied already, noted as an input
  std::string record_file;  // where finish() writes the record: --out, a manifest, or empty
  std::uint64_t seed = 0;
  int threads = 0;
  CommandFiles files;
  tasks::InputLog inputs{
      [this](const std::string& path, const std::string& reading) { opened(path, reading); }};

 private:
  void opened(const std::string& path, const std::string& reading);  // an input
  void tell_warnings();
  void complete(Envelope& envelope);

  std::vector<std::string> arguments_;
  std::chrono::steady_clock::time_point started_;
  std::unique_ptr<Progress> progress_;
  std::vector<std::string> warnings_;  // not told yet
};

// Declares a flag for each field of a description: "shared_beta" is --shared-beta, with default, range or choices, and
// meaning. `options` must outlive the command. Lists of numbers are 0,0.5,1 or FIRST:LAST:STEP; lists of texts and whole
// numbers are a,b,c. Structs and other lists are std::logic_error. `group`: the heading in --help; empty: that of all
// options.
void add_option_flags(const Command& command, const Description& options, const std::string& group = "");

template <class Options>
void add_option_flags(const Command& command, Options& options) {
  add_option_flags(command, Description([&options](Fields& f) { fields(options, f); }));
}

// Adds a command to the program, or to another command. The visible list is in main.cpp.
using AddCommand = void(const Command& to, Context& context);
AddCommand add_pa, add_bound, add_distances, add_align, add_select, add_assess, add_report, add_shift,
    add_conds, add_data, add_train, add_adapt, add_infer, add_inspect, add_attack, add_attack_curve,
    add_mvn_cdf, add_list, add_schema, add_demo, add_average_case, add_sweep;
// leeway completion SHELL, over all commands that `line` has when it runs.
void add_completion(CommandLine& line, Context& context);
AddCommand add_units;  // all but sweep: what the units of a sweep may be

}  // namespace leeway::app
