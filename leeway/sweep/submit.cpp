#include "leeway/sweep/submit.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
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

// What sbatch says on several lines, each behind its own name.
std::string one_line(const std::string& text) {
  constexpr std::string_view name = "sbatch: ";
  std::string line;
  for (std::string part : record::split(text, '\n')) {
    if (part.starts_with(name)) part.erase(0, name.size());
    if (!part.empty()) line += (line.empty() ? "" : "; ") + part;
  }
  return printable(line, 500);
}

Ended run_sbatch(const fs::path& folder, const std::vector<std::string>& words) {
  try {
    const Process process("sbatch", words, folder, "sbatch.out", "sbatch.err");
    process.wait();
    return process.reap();
  } catch (const std::runtime_error& failure) {
    const std::string_view message = failure.what();
    throw std::runtime_error(fmt::format("sbatch: cannot be started{}", message.substr(message.rfind(": "))));
  }
}

// The job's number, which --parsable prints, before the cluster's name where there is one.
std::string submitted(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "--parsable");
  const Ended ended = run_sbatch(folder, words);
  const std::string said = contents(folder / "sbatch.out");
  const std::string number = said.substr(0, said.find_first_of(";\n"));
  if (ended.code != 0 || number.empty())
    throw std::runtime_error(fmt::format("sbatch: {}", one_line(contents(folder / "sbatch.err"))));
  return number;
}

}  // namespace

Submitted submit_to_slurm(const ScriptOptions& options, const std::function<void()>& accepted) {
  const fs::path folder = fs::path(options.folder) / "slurm";
  fs::create_directories(folder);
  write_text(folder / "array.sh", slurm_array_script(options));
  write_text(folder / "last.sh", slurm_last_script(options));
  const fs::path table = fs::path(options.folder) / collected_table, aside = folder / collected_table;
  fs::remove(aside);
  if (fs::exists(table)) fs::rename(table, aside);
  Submitted jobs;
  try {
    jobs.array = submitted(folder, {"array.sh"});
  } catch (...) {
    if (fs::exists(aside)) fs::rename(aside, table);
    throw;
  }
  fs::remove(aside);
  accepted();
  jobs.last = submitted(folder, {"--dependency=afterany:" + jobs.array, "last.sh"});
  return jobs;
}

}  // namespace leeway::sweep
