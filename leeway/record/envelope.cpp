#include "leeway/record/envelope.h"

namespace leeway::record {

void fields(Input& input, Fields& f) {
  f("path", input.path, "a file, or the name of a data set such as fashion-mnist:test");
  f("bytes", input.bytes, "0 for a data set that has a name");
  f("shape", input.shape, "of the array that was read");
  f.unless_empty("xxh3_128", input.xxh3_128,
                 "digest; null with --no-digest and for a data set that has a name");
  f.unless_empty("reading", input.reading,
                 "of outputs: what was read as what, what was ignored and why; null where all names are the "
                 "standard ones");
}

void fields(Envelope& envelope, Fields& f) {
  f.choice("schema", envelope.schema, {{envelope.schema, ""}}, "what kind of record this is, and its number");
  f("command", envelope.command, "the command line, one word each");
  f("inputs", envelope.inputs, "the files that were read");
  f("seed", envelope.seed, "of everything random");
  f("version", envelope.version, "of leeway");
  f.choice("instruction_set", envelope.instruction_set, {{"baseline", ""}, {"avx2", ""}, {"avx512", ""}},
           "of leeway's own kernels");
  f("seconds", envelope.seconds, at_least(0),
    "from opening the first input to the finished result, digests excluded");
  f("headline", envelope.headline, "the result in a sentence or two");
  f("findings", envelope.findings, "what else is worth knowing, a sentence each");
  f("warnings", envelope.warnings, "what speaks against the inputs or the result, a line each");
}

}  // namespace leeway::record
