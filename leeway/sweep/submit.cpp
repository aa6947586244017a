#include "leeway/sweep/submit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "leeway/core/file.h"
#include "leeway/core/message.h"
#include "leeway/sweep/process.h"

namespace leeway::sweep {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string one_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  std::ranges::replace(text, '\n', ';');
  return printable(text, 500);
}

// The job's number, which --parsable prints, before the cluster's name where there is one.
std::string submitted(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "--parsable");
  const auto ended = [&] {
    try {
      const Process process("sbatch", words, folder, "sbatch.out", "sbatch.err");
      process.wait();
      return process.reap();
    } catch (const std::runtime_error&) {
      throw std::runtime_error("sbatch cannot be started: this machine has no Slurm to submit to");
    }
  }();
  const std::string said = contents(folder / "sbatch.out");
  const std::string number = said.substr(0, said.find_first_of(";\n"));
  if (ended.code != 0 || number.empty())
    throw std::runtime_error(fmt::format("sbatch: {}", one_line(contents(folder / "sbatch.err"))));
  return number;
}

}  // namespace

Submitted submit_to_slurm(const ScriptOptions& options) {
  const fs::path folder = fs::path(options.folder) / "slurm";
  fs::create_directories(folder);
  const fs::path table = fs::path(options.folder) / collected_table, before = folder / "runs.before.csv";
  if (fs::exists(table)) fs::rename(table, before);
  write_text(folder / "array.sh", slurm_array_script(options));
  write_text(folder / "last.sh", slurm_last_script(options));
  Submitted jobs;
  try {
    jobs.array = submitted(folder, {"array.sh"});
  } catch (...) {
    if (fs::exists(before)) fs::rename(before, table);
    throw;
  }
  fs::remove(before);
  jobs.last = submitted(folder, {"--dependency=afterany:" + jobs.array, "last.sh"});
  return jobs;
}

}  // namespace leeway::sweep
