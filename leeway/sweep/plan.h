// A study as units: processes that each run once.
//
// A unit is a command with its options and inputs. Its name is a digest (XXH3-128) of leeway's version, the
// command, the options in the order of their description, the number of threads, the names and contents of
// the files it reads (not their paths), and the names of the units whose files it reads. Combinations with
// the same content share a unit, and a changed study keeps what still holds. A stage that no other reads has
// a unit for each combination of axes that the rules permit; other units exist where one of these needs them.
//
// A unit's words are for a process in a folder of the store (store.h): paths to other units' files are
// relative to that folder, paths to the user's files are absolute.
//
// A unit has only the axes that its chosen values name: with data = ["{a}", "{b}"], a unit that reads {a}
// neither has the axes of [b] nor waits for it.
//
// The file of a plan, plan.jsonl: one line about the plan, then one line per unit.
//
//   {"schema":"leeway.sweep/2","version":"0.1.0","threads":1,"memory":0,"stages":[{"name","command"}],
//    "axes":[{"name","role"}],"inputs":{"/home/me/test.npz":"test.npz:1f..."},"digest":"8a..."}
//   {"unit":"2f...","stage":"shift","axes":{"shift.strength":"0.1"},"words":["shift",...],"needs":["91..."]}
//
// Errors (Error): for a study, a value that the command does not take, a refused combination, an unknown
// name, a parameter that the named member lacks, no units, more than a million combinations, a value of more
// than 100,000 characters or 10,000 references, an unreadable file; Interrupted. For a plan file: a missing
// file, a malformed line, another schema, contents that do not match the digest. Cost: about 50 microseconds
// and 2 kB per unit; a digest of each file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/core/version.h"
#include "leeway/describe/fields.h"
#include "leeway/sweep/study.h"

namespace leeway::sweep {

inline constexpr const char* plan_schema = "leeway.sweep/2";

struct Unit {
  std::string name;  // 32 hexadecimal digits
  std::string stage;
  std::map<std::string, std::string> axes;  // the values of its axes
  std::vector<std::string> words;           // the command line without the program's name
  std::vector<std::string> needs;           // units before this one
};

struct PlannedStage {
  std::string name, command;
};

struct PlannedAxis {
  std::string name, role;  // role: of CatalogOption
};

struct Plan {
  std::string schema = plan_schema;
  std::string version = leeway::version;  // on which the results' bits depend
  std::vector<PlannedStage> stages;
  std::vector<PlannedAxis> axes;
  std::size_t threads = 1;
  std::size_t memory = 0;
  // The user's files among the words, as the units name them, each with names and digests of its contents (checked_files.h).
  std::map<std::string, std::string> inputs;
  std::string digest;            // of all else; empty until the plan is written
  std::vector<Unit> units;       // each behind those it needs
  std::size_t combinations = 0;  // that were asked for, and that the rules left out; not written
  std::size_t left_out = 0;
};

[[nodiscard]] Plan make_plan(const Study& study, const Catalog& catalog, const std::string& name,
                             Progress* progress = nullptr);

void write_plan(const std::filesystem::path& path, Plan plan);
[[nodiscard]] Plan read_plan(const std::filesystem::path& path);
// Whether the file is a plan of any version of leeway.
[[nodiscard]] bool is_plan(const std::filesystem::path& path);

// For those who run the units. Error: a plan of another version of leeway, whose results may have other bits, and words
// that no study gives (check_words in study.h). `name`: of the file.
void require_runnable(const Plan& plan, const Catalog& catalog, const std::string& name);

}  // namespace leeway::sweep
