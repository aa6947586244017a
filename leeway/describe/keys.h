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
      type;  // "a number from 0 to 1", "one of labels, ids, none", "a list of whole numbers from 0"; "... or null"
  std::string meaning;  // and what its words mean, where it is one of several
  bool number = false;  // one number, which a condition can compare
  Range range = {};     // of the number, or of each number of a list; counts begin at 0
};

// Every key, each before those inside it, in the order of the description.
[[nodiscard]] std::vector<Key> keys_of(const Description& describe);

// What stands at a dotted path such as "worst_class.accuracy"; lists are not entered.
struct FoundNumber {
  bool known = false;            // there is such a key, be it null
  std::optional<double> number;  // nothing where it is null
  std::string other;  // what it is instead of a number: "object", "array", "\"cat\"", "true"; else empty
};
[[nodiscard]] FoundNumber find_number(const Description& describe, std::string_view path);

// The keys as a table in Markdown: key, value, meaning.
[[nodiscard]] std::string key_table(const Description& describe);

}  // namespace leeway
