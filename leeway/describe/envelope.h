// What every record begins with: how it came about, and what it says in words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/core/json_fwd.h"
#include "leeway/core/version.h"
#include "leeway/describe/fields.h"

namespace leeway {

struct Input {
  std::string path;       // a file, or the name of a data set such as fashion-mnist:test
  std::size_t bytes = 0;  // 0 for a data set that has a name
  std::vector<std::size_t> shape;
  std::string xxh3_128;      // empty: no digest
  std::string reading = {};  // what was read as what; empty: all names are the standard ones

  bool operator==(const Input&) const = default;
};

struct Envelope {
  std::string schema;                // "leeway.pa/2"
  std::vector<std::string> command;  // the command line, one word each
  std::vector<Input> inputs;
  std::uint64_t seed = 0;
  std::string version = leeway::version, instruction_set;
  double seconds = 0;
  std::string headline;
  std::vector<std::string> findings, warnings;
  std::vector<std::vector<std::string>>
      joined_commands;  // of the other records that were joined to this one; not written
};

[[nodiscard]] inline Envelope envelope_of(std::string_view schema) {
  Envelope envelope;
  envelope.schema = schema;
  return envelope;
}

// The keys of a description, in its order.
[[nodiscard]] Json written(const Description& describe);

// A struct that fields() describes, as JSON. Callers include core/result.h, which defines Json.
template <class Record, class Result = Json>
requires requires(Record& record, Fields& f) { fields(record, f); }
[[nodiscard]] Result to_json(const Record& record) {
  Record copy = record;  // fields() takes a reference for reading and for writing
  return written([&](Fields& f) { fields(copy, f); });
}

void fields(Input& input, Fields& f);

void fields(Envelope& envelope, Fields& f);  // its schema is the one that it has

// What most records begin with.
template <class Record>
void common_fields(Record& record, Fields& f) {
  fields(record.envelope, f);
  f("options", record.options, "options of the command");
}

// A record that is its options and results. `each`: what one result is about.
inline constexpr std::string_view one_result = "a single result";
template <const std::string_view& schema, class Options, class Result,
          const std::string_view& each = one_result>
struct RecordOf {
  Envelope envelope = envelope_of(schema);
  Options options;
  std::vector<Result> results;
};

template <const std::string_view& schema, class Options, class Result, const std::string_view& each>
void fields(RecordOf<schema, Options, Result, each>& record, Fields& f) {
  common_fields(record, f);
  f("results", record.results, each);
}

}  // namespace leeway
