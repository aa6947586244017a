// What the program can do, for studies, from the descriptions of the flags: every option can be an axis.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "leeway/core/family.h"

namespace leeway::sweep {

struct CatalogOption {
  std::string name;       // "weight-decay"; of a positional its name in lower case
  std::string help = {};  // its first line
  bool positional = false, flag = false;
  bool number = false, whole = false;
  bool file = false;         // it names what is written
  bool record = false;       // what is written is the record, which a sweep keeps itself
  bool input = false;        // all its values name files to read
  std::string default_text;  // of a number; empty: none
  double low = -std::numeric_limits<double>::infinity();  // its legal values, both included
  double high = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  // empty: any
  // What it is in a comparison of runs (roles.h): algorithm, case, repeats, over, start, select; network: algorithm, or
  // over where other axes are algorithms. Empty: a hyperparameter.
  std::string role = {};
};

struct CatalogCommand {
  std::string words;  // "data render"
  std::vector<CatalogOption> options;
};

// What an option names, and the parameters that what it names has.
struct CatalogFamily {
  std::string option;  // "algorithm", whose value is a member's name
  std::string what;    // "an algorithm"
  std::vector<Member> members;
  // The option that gives parameters: as NAME=VALUE ("set"), or itself, where it takes numbers ("strength"). Empty: none.
  std::string parameters = {};
  bool several = false;       // names by commas, each of which has the parameters that are given
  bool heads = false;         // "HEAD:NAME" is a member, too
  std::string fallback = {};  // who has them where the option is not given; empty: nobody that is known
};

struct Catalog {
  std::vector<CatalogCommand> commands;
  // What is wrong with a whole command line, without the program's name; empty: nothing.
  std::function<std::string(const std::vector<std::string>& words)> mistake_in;
  // What these options of a command name. std::runtime_error where that cannot be known here.
  std::function<std::vector<CatalogFamily>(const std::string& command,
                                           const std::vector<std::string>& options)>
      families_of = {};
};

}  // namespace leeway::sweep
