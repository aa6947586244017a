#include "leeway/sweep/submit.h"

#include <fmt/format.h>

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

// The job's number, which --parsable prints, before the cluster's name where there is one.
std::string submitted(const fs::path& folder, std::vector<std::string> words) {
  words.insert(words.begin(), "--parsable");
  const Process process("sbatch", words, folder, "sbatch.out", "sbatch.err");
  process.wait();
  const Ended ended = process.reap();
  const std::string said = contents(folder / "sbatch.out");
  const std::string number = said.substr(0, said.find_first_of(";\n"));
  if (ended.code != 0 || number.empty())
    throw std::runtime_error(fmt::format("sbatch: {}", printable(contents(folder / "sbatch.err"), 500)));
  return number;
}

}  // namespace

Submitted submit_to_slurm(const ScriptOptions& options) {
  const fs::path folder = fs::path(options.folder) / "slurm";
  fs::create_directories(folder);
  fs::remove(fs::path(options.folder) / collected_table);
  write_text(folder / "array.sh", slurm_array_script(options));
  write_text(folder / "last.sh", slurm_last_script(options));
  Submitted jobs;
  jobs.array = submitted(folder, {"array.sh"});
  jobs.last = submitted(folder, {"--dependency=afterany:" + jobs.array, "last.sh"});
  return jobs;
}

}  // namespace leeway::sweep
