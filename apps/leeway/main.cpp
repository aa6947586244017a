// leeway: how far may the data shift before a classifier breaks, and how sure can one be?
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

#include "apps/leeway/command.h"
#include "apps/leeway/terminal.h"
#include "leeway/core/instruction_set.h"
#include "leeway/core/lapack.h"
#include "leeway/core/message.h"
#include "leeway/endpoint/ask.h"

namespace {

using namespace leeway;
using namespace leeway::app;

constexpr AddCommand* commands[] = {add_pa,      add_bound,        add_select, add_distances, add_align,
                                    add_assess,  add_average_case, add_report, add_train,     add_infer,
                                    add_inspect, add_adapt,        add_attack, add_mvn_cdf,   add_list,
                                    add_shift,   add_conds,        add_data};

int fail(const std::string& message, int code) {
  std::string line = "leeway: " + message;
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  std::fputs((printable(line, std::string::npos) + "\n").c_str(), stderr);
  return code;
}

// What asked for memory is unknown here; what was to be read is known.
int fail_for_memory(const Context& context) {
  const std::string largest = context.files.largest_input();
  return fail("the system cannot provide more memory" +
                  (largest.empty() ? "" : " (the largest input: " + largest + ")"),
              exit_runtime);
}

// Threads of OpenMP (OpenBLAS, LibTorch) spin for microseconds before they sleep, not for milliseconds as by default. Threads
// that spin compete with other programs: a decomposition took up to ten times as long.
void wait_briefly() { setenv("GOMP_SPINCOUNT", "10000", 0); }

}  // namespace

void leeway::app::add_units(const Command& root, Context& context) {
  for (const auto add : commands) add(root, context);
}

int main(int argc, char** argv) {
  CommandLine line("How far may the data shift before a classifier breaks, and how sure can one be?",
                   "leeway help COMMAND, or leeway COMMAND --help, describes a command.\n"
                   "Exit codes: 0 ok, 1 runtime failure, 2 usage, 3 bad input, 4 a gate failed, 5 "
                   "incomplete, 130 interrupted.");
  end_where_files_are_cut();
  end_with_runner();
  std::vector<std::string> arguments(argv, argv + argc);
  if (!arguments.empty())
    arguments.front() = "leeway";  // wherever it is installed: the record is read elsewhere
  Context context(arguments);
  add_units(line.root(), context);
  add_sweep(line.root(), context);
  add_schema(line.root(), context);
  add_demo(line.root(), context);
  add_completion(line, context);
  const auto ended = [&](const std::string& message, int code) {
    context.end_progress();
    return fail(message, code);
  };
  try {
    or_usage_error([] { check_instruction_set(); });
    name_processor_for_openblas();
    wait_briefly();
    const auto run = line.parse(arguments);
    if (!run) return exit_ok;
    context.begin(line.given());
    return run();
  } catch (const UsageError& mistake) {
    return ended(mistake.what(), exit_usage);
  } catch (const OptionError& mistake) {
    return ended(mistake.what(), exit_usage);
  } catch (const Interrupted& stop) {
    return ended(stop.what(), exit_interrupted);
  } catch (const endpoint::Unanswered& left) {
    return ended(left.what(), exit_incomplete);
  } catch (const Error& bad_input) {
    return ended(bad_input.what(), exit_input);
  } catch (const std::bad_alloc&) {
    context.end_progress();
    return fail_for_memory(context);
  } catch (const std::exception& failure) {
    return ended(failure.what(), exit_runtime);
  }
}
