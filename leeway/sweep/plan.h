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
// Errors (Error): a value that the command does not take, a refused combination, an unknown name, a parameter
// that the named member lacks (detail/members.h), no units, more than a million combinations, a value of more than
// 100,000 characters or 10,000 references, an unreadable file; Interrupted. Cost: some 50 microseconds and 1 kB a
// unit; a digest of each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "leeway/core/progress.h"
#include "leeway/sweep/study.h"

namespace leeway::sweep {

struct Unit {
  std::string name;  // 32 hexadecimal digits
  std::size_t stage = 0;
  std::vector<std::size_t> axes;    // of the plan, ascending
  std::vector<std::string> values;  // of those axes
  std::vector<std::string> words;   // the command line without the program's name
  std::vector<std::size_t> needs;   // units before this one
};

struct PlannedStage {
  std::string name, command;
};

struct Plan {
  std::vector<PlannedStage> stages;
  std::vector<std::string> axes;
  std::size_t threads = 1;
  std::uint64_t memory = 0;
  std::vector<Unit> units;  // each behind those it needs
  // The user's files among the words, as the units name them, each with names and digests of its contents (checked_files.h).
  std::map<std::string, std::string> inputs;
  std::size_t combinations = 0;  // that were asked for, and that the rules left out
  std::size_t left_out = 0;
};

[[nodiscard]] Plan make_plan(const Study& study, const Catalog& catalog, const std::string& name,
                             Progress* progress = nullptr);

}  // namespace leeway::sweep
