// The keys of a record, for documents and for conditions on a record.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/describe/fields.h"

namespace leeway {

struct Key {
  std::string path;  // "results[].decomposition.err.sum"; [] stands for an index
  std::string
      type;  // "a number from 0 to 1", "one of labels, ids, none", "a list of integers from 0"; "... or null"
  std::string meaning;  // and what its words mean, where it is one of several
  bool number = false;  // one number, which a condition can compare
  Range range = {};     // of the number, or of each number of a list; counts begin at 0
};

// Every key, each before those inside it, in the order of the description.
[[nodiscard]] std::vector<Key> keys_of(const Description& describe);

// The number at a dotted path such as "worst_class.accuracy"; lists are not entered. Nothing where it is null, and where no
// number stands there.
[[nodiscard]] std::optional<double> find_number(const Description& describe, std::string_view path);

// The keys as a table in Markdown: key, value, meaning.
[[nodiscard]] std::string key_table(const Description& describe);

}  // namespace leeway
