// A study as units: processes to run, each once, whoever asks for it.
//
// A unit is a command with its options and what it reads. Its name is a digest (XXH3-128) of leeway's version, the
// command, the options in the order of their description, the number of threads, the contents of the files it reads
// (their paths do not count, their names do), and the names of the units whose files it reads. So combinations that
// ask for the same share one unit, and a changed study keeps what still holds. Units that nothing reads are one for
// each combination of their axes that the rules leave; others are there where one of those needs them.
//
// Words of a unit are for a process in a folder of the store (store.h): files of other units are named from there,
// files of the user from the root.
//
// An axis of a stage that no chosen value names is none of a unit's: of data = ["{a}", "{b}"] those that read {a} neither
// have the axes of [b] nor wait for it.
//
// Errors (Error): an option's value that the command does not take, a combination that it refuses, a name that is none,
// a parameter that what is named does not have (detail/members.h), no units, more than 10 million, a file that cannot be
// read. Cost: a few microseconds a unit; a digest of each file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
  // The user's files among the words, as the units name them, each with names and digests of its contents (input_words.h).
  std::map<std::string, std::string> inputs;
  std::size_t combinations = 0;  // that were asked for, and that the rules left out
  std::size_t left_out = 0;
};

[[nodiscard]] Plan make_plan(const Study& study, const Catalog& catalog, const std::string& name);

}  // namespace leeway::sweep
