#include "leeway/sweep/submit.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/record/number_list.h"
#include "leeway/sweep/process.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// What a program of Slurm says on several lines, each behind its own name.
std::string one_line(const std::string& text, const std::string& program) {
  std::string line;
  for (std::string part : record::split(text, '\n')) {
    if (part.starts_with(program + ": ")) part.erase(0, program.size() + 2);
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  }
  return printable(line, 500);
}

// What it prints.
std::string said_by(const std::string& program, const fs::path& folder,
                    const std::vector<std::string>& words) {
  const std::string out = program + ".out", err = program + ".err";
  Ended ended;
  try {
    const Process process(program, words, folder, out, err);
    process.wait();
    ended = process.reap();
  } catch (const std::runtime_error& failure) {
    const std::string_view message = failure.what();
    throw std::runtime_error(
        fmt::format("{}: cannot be started{}", program, message.substr(message.rfind(": "))));
  }
  if (ended.code != 0)
    throw std::runtime_error(fmt::format("{}: {}", program, one_line(contents(folder / err), program)));
  return contents(folder / out);
}

// The job's number, which --parsable prints, before the cluster's name where there is one.
std::string submitted(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "--parsable");
  const std::string said = said_by("sbatch", folder, words);
  std::string number = said.substr(0, said.find_first_of(";\n"));
  if (number.empty()) throw std::runtime_error("sbatch: no number of a job");
  return number;
}

}  // namespace

Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& before) {
  const fs::path folder = fs::path(options.folder) / "slurm";
  fs::create_directories(folder);
  write_text(folder / "array.sh", slurm_array_script(options));
  write_text(folder / "last.sh", slurm_last_script(options));
  Submitted jobs;
  jobs.array = submitted(folder, {"--hold", "array.sh"});
  before();
  fs::remove(fs::path(options.folder) / collected_table);
  (void)said_by("scontrol", folder, {"release", jobs.array});
  jobs.last = submitted(folder, {"--dependency=afterany:" + jobs.array, "last.sh"});
  return jobs;
}

}  // namespace leeway::sweep
