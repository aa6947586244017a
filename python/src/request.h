// One call of a function of the package: its arguments as a task takes them, and its record as a result.
//
// Everything that touches Python is done before and after the task; in between the GIL is released.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/io/images.h"
#include "leeway/io/outputs.h"
#include "leeway/render/terminal.h"
#include "leeway/tasks/input_log.h"
#include "leeway/tasks/named_outputs.h"
#include "leeway/tasks/outputs_reading.h"
#include "leeway/tasks/report/page.h"
#include "python/src/guard.h"
#include "python/src/options.h"
#include "python/src/progress.h"

namespace leeway::python {

namespace nb = nanobind;

// A record as Python holds it. Neither is made before it is asked for.
struct SavedRecord {
  std::function<Json()> json;
  std::function<std::string()> text;  // as the terminal shows it
};

// A table of a call: a CSV file, or the text that such a file would hold and a name for messages.
struct GivenTable {
  std::string name;
  std::optional<std::string> text;
};

// Adapters of the package make str of every path.
[[nodiscard]] bool is_path(nb::handle value);

class Request {
 public:
  // `function`: "leeway.agreement". `given`: values by the names of arguments and options; sets of outputs are paths,
  // dictionaries of NumPy arrays, or lists of (name, one of these).
  Request(std::string function, nb::dict given);

  [[nodiscard]] bool has(const char* argument) const;  // and it is not None
  [[nodiscard]] nb::object operator[](const char* argument) const;
  [[nodiscard]] std::string text(const char* argument) const;
  [[nodiscard]] std::vector<std::string> texts(const char* argument) const;
  // A list of (name, value).
  [[nodiscard]] std::vector<std::pair<std::string, nb::object>> pairs(const char* argument) const;

  // A task with the options and the seed of the call, and nothing else.
  template <class Task>
  [[nodiscard]] Task task() const {
    Task task{};
    read(task.options);
    if constexpr (requires { task.seed; }) task.seed = seed;
    return task;
  }

  // Sets opened by a task, noted as inputs the first time: of a list of (name, value), one of them.
  [[nodiscard]] std::vector<tasks::NamedOutputs> sets(nb::handle list, const tasks::OutputsReading& reading,
                                                      tasks::SetRole role, bool check_finite = false);
  [[nodiscard]] tasks::NamedOutputs outputs(const std::string& name, nb::handle value,
                                            const tasks::OutputsReading& reading, tasks::SetRole role,
                                            bool check_finite = false);
  [[nodiscard]] Outputs open_outputs(const std::string& name, nb::handle value,
                                     const tasks::OutputsReading& reading, tasks::SetRole role,
                                     bool check_finite = false);
  // Of the argument `labels`, where it is an array, as the reading of outputs says; a path is one of its options.
  using Labels = tasks::GivenLabels;
  [[nodiscard]] Labels labels(const tasks::OutputsReading& reading);
  // Where labels may be those of the first of these rows alone.
  [[nodiscard]] Labels labels_or_file(const tasks::OutputsReading& reading, const tasks::SetRows& rows);
  [[nodiscard]] Array array(const char* argument);
  [[nodiscard]] Array array(const std::string& name, nb::handle value);
  [[nodiscard]] Array inputs();  // the argument `x`, inputs of a model; bytes of 0 and 1 alone give a warning
  [[nodiscard]] Images images(const std::string& name, nb::handle value,
                              const data::PictureOptions& pictures = {});
  [[nodiscard]] GivenTable table(const char* argument) const;
  void note(const GivenTable& table, const std::vector<std::size_t>& shape);  // as an input that was read

  template <class Options>
  void read(Options& options) const {
    read_options([&options](Fields& f) { fields(options, f); }, options_given(), function);
  }

  // work(Progress*), or work(), without the GIL. Interrupted becomes what the signal raised.
  template <class Work>
  auto run(const Work& work) {
    Bar bar(quiet);
    try {
      const Released release;
      if constexpr (std::is_invocable_v<Work>)
        return work();
      else
        return work(static_cast<Progress*>(&bar));
    } catch (const Interrupted&) {
    }
    bar.raise();
  }

  // The same of a task, with Progress* or without.
  template <class Record, class Task, class... Progresses>
  Record run(Record (*work)(const Task&, Progresses...), const std::type_identity_t<Task>& task) {
    return run([&](Progresses... progress) { return work(task, progress...); });
  }

  // (record, arrays, warnings), once the record names its inputs.
  template <class Record>
  [[nodiscard]] nb::object finished(Record record, const ArrayMap& arrays = {}) {
    complete(record.envelope);
    auto kept = std::make_shared<const Record>(std::move(record));
    return result(
        {[kept] { return to_json(*kept); }, [kept] { return render::terminal(tasks::view(*kept)); }}, arrays);
  }

  std::string function;
  std::uint64_t seed = 0;
  std::optional<std::size_t> threads;
  bool quiet = false;
  std::vector<std::string> warnings;  // those of the record, and others
  tasks::InputLog log;

 private:
  [[nodiscard]] nb::dict options_given() const;
  void complete(Envelope& envelope);
  [[nodiscard]] nb::object result(SavedRecord record, const ArrayMap& arrays);

  nb::dict given_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace leeway::python
