// leeway: how far may the data shift before a classifier breaks, and how sure can one be?
#include <cstdio>
#include <iostream>
#include <new>
#include <string>

#include "apps/leeway/command.h"
#include "apps/leeway/config_flags.h"
#include "apps/leeway/cut_files.h"
#include "apps/leeway/given_values.h"
#include "leeway/core/error.h"
#include "leeway/core/instruction_set.h"
#include "leeway/core/message.h"

namespace {

using namespace leeway;
using namespace leeway::app;

constexpr void (*commands[])(CLI::App&, Context&, Run&) = {
    add_pa,     add_bound, add_select, add_distances, add_assess, add_average_case,
    add_report, add_train, add_infer,  add_inspect,   add_attack, add_mvn_cdf,
    add_list,   add_shift, add_conds,  add_data,      add_demo,
};

int fail(const std::string& message, int code) {
  std::string line = "leeway: " + message;
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  std::fputs((printable(line, std::string::npos) + "\n").c_str(), stderr);
  return code;
}

void check_environment() {
  try {
    check_instruction_set();
  } catch (const Error& unusable) {
    throw UsageError(unusable.what());
  }
}

// --help and --version, which CLI11 prints.
int show(const CLI::App& app, const CLI::Success& done) {
  const int code = app.exit(done);
  return std::cout.flush() && std::fflush(stdout) == 0 ? code
                                                       : fail("stdout: cannot write the text", exit_runtime);
}

// What asked for memory is unknown here; what was to be read is known.
int fail_for_memory(const Context& context) {
  const std::string largest = context.files.largest_input();
  return fail(
      "the system refuses more memory" + (largest.empty() ? "" : " (the largest input: " + largest + ")"),
      exit_runtime);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"How far may the data shift before a classifier breaks, and how sure can one be?", "leeway"};
  app.set_version_flag("--version", std::string(version));
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  app.footer(
      "leeway COMMAND --help says everything about a command.\n"
      "Exit codes: 0 ok, 1 runtime failure, 2 usage, 3 bad input, 4 a gate failed, 5 incomplete, 130 "
      "interrupted.");
  end_where_files_are_cut();
  std::vector<std::string> arguments(argv, argv + argc);
  if (!arguments.empty())
    arguments.front() = "leeway";  // wherever it is installed: the record is read elsewhere
  Context context(arguments);
  Run run;
  for (const auto add : commands) add(app, context, run);
  try {
    check_environment();
    apply_config(app, arguments);
    app.parse(argc, argv);
    check_given_values(app);
    context.files.check(app);
    return run();
  } catch (const CLI::Success& done) {
    return show(app, done);
  } catch (const CLI::ParseError& mistake) {
    return fail(std::string(mistake.what()) + " (see leeway --help)", exit_usage);
  } catch (const UsageError& mistake) {
    return fail(mistake.what(), exit_usage);
  } catch (const Interrupted& stop) {
    return fail(stop.what(), exit_interrupted);
  } catch (const Error& bad_input) {
    return fail(bad_input.what(), exit_input);
  } catch (const std::bad_alloc&) {
    return fail_for_memory(context);
  } catch (const std::exception& failure) {
    return fail(failure.what(), exit_runtime);
  }
}
