// What the program can do, as a study may ask for it. The command line makes it from the descriptions that its own
// flags come from, so that an option is an axis of sweeps without a word here.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::sweep {

struct CatalogOption {
  std::string name;  // "weight-decay"; of a positional its name in lower case
  bool positional = false, flag = false;
  bool number = false, whole = false;
  bool file = false;         // it names what is written
  bool record = false;       // what is written is the record, which a sweep keeps itself
  std::string default_text;  // of a number; empty: none
  double low = -std::numeric_limits<double>::infinity();  // its legal values, both included
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // empty: any
};

struct CatalogCommand {
  std::string words;  // "data render"
  std::vector<CatalogOption> options;
};

struct CatalogFamily {
  std::string option;  // "algorithm"
  std::vector<Member> members;
};

struct Catalog {
  std::vector<CatalogCommand> commands;
  // What is wrong with a whole command line, without the program's name; empty: nothing.
  std::function<std::string(const std::vector<std::string>& words)> mistake_in;
  // The family whose parameters `set` of a command takes, and the option that names its members; empty: there is none.
  std::function<CatalogFamily(const std::string& command)> family_of = {};
};

}  // namespace leeway::sweep
