// The folder of a sweep: files, in folders by a unit name's first two digits (100,000 units: 400 a folder).
//
//   plan.jsonl                  the plan (plan.h)
//   study.toml                  the study
//   units/ab/NAME/              a finished unit: record.json, the files it wrote, their digests
//                               (checked_files.h), log.txt if not empty
//   failed/ab/NAME/             a failed unit: failure.json, log.txt, and the files it wrote
//   work/ab/NAME.RUNNER/        where a process runs; renamed to one of the two above at its end, so that a
//                               unit is there whole or not at all, and once, whoever ran it
//   claims/ab/NAME.1, .2, ...   who runs it (claim.h)
//   runners/RUNNER              a process that runs units (claim.h)
//
// Errors: Error if one of these files or folders is a symbolic link, which would lead writes and removals
// elsewhere, or a pipe or device; std::runtime_error if the file system refuses an operation; DiskFull if it
// is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "leeway/describe/fields.h"
#include "leeway/sweep/plan.h"
#include "leeway/tasks/sweep/sweep.h"

namespace leeway::sweep {

class DiskFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Outcome { none, done, failed };

struct Failure {
  std::string message;    // the command's last line on stderr, or how it ended
  std::int64_t code = 0;  // its exit code, or 128 and the signal
  double seconds = 0;
};
void fields(Failure& failure, Fields& f);

// The path of another unit's file from the folder where a unit runs or lies.
[[nodiscard]] std::string seen_from_unit(const std::string& unit, std::string_view file);

class Store {
 public:
  explicit Store(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::filesystem::path plan() const { return folder_ / "plan.jsonl"; }
  [[nodiscard]] std::filesystem::path done(const std::string& unit) const;
  [[nodiscard]] std::filesystem::path failed(const std::string& unit) const;
  [[nodiscard]] std::filesystem::path work(const std::string& unit, const std::string& runner) const;
  [[nodiscard]] std::filesystem::path claim(const std::string& unit, std::size_t number) const;
  [[nodiscard]] std::filesystem::path runner(const std::string& runner) const;

  // Two looks at the file system.
  [[nodiscard]] Outcome outcome(const std::string& unit) const;
  // Names of finished or failed units, by one listing of each shard.
  [[nodiscard]] std::unordered_set<std::string> listed(Outcome outcome) const;
  // Those of one shard ("ab").
  [[nodiscard]] std::vector<std::string> listed(Outcome outcome, const std::string& shard) const;
  // Names of claims: UNIT.1.
  [[nodiscard]] std::vector<std::string> claimed() const;
  [[nodiscard]] std::vector<std::string> claimed(const std::string& shard) const;

  // A folder that is new and empty; what stood there is gone.
  void make_work(const std::string& unit, const std::string& runner) const;
  // The unit's folder as it was left, under its final name, unless it stands there already.
  void keep(const std::string& unit, const std::string& runner, Outcome outcome) const;
  void drop_work(const std::string& unit, const std::string& runner) const;
  // A unit that failed is to be run again.
  void forget_failure(const std::string& unit) const;
  [[nodiscard]] Failure failure(const std::string& unit) const;

 private:
  std::filesystem::path folder_;
};

// Whether a path below the folder of a sweep is one of the files and folders above.
[[nodiscard]] bool is_of_sweep(const std::filesystem::path& folder, const std::filesystem::path& path);

// A file in a folder that is renamed when it is complete.
void write_plain(const std::filesystem::path& path, std::string_view text);

// The first two digits of its name.
[[nodiscard]] std::string shard_of(const std::string& unit);

// Throws DiskFull or std::runtime_error: "PATH: WHAT: the system's words".
[[noreturn]] void fail_at(const std::filesystem::path& path, std::string_view what, int code);

// Progress of a sweep, from its folder. Cost: the plan, three folders a shard, a file for each failed unit.

// Folder, counts, failures and results. Claims of runners on other machines count as alive.
[[nodiscard]] tasks::SweepStatus status_of(const Plan& plan, const Store& store);

// Units of the plan that failed, by message.
[[nodiscard]] std::vector<tasks::SweepFailure> failures_of(const Plan& plan, const Store& store);

// What a plan comes to: units by stage, and how many are done.
[[nodiscard]] tasks::SweepPlan plan_record(const Plan& plan, const Store& store);

}  // namespace leeway::sweep
