#include "leeway/describe/envelope.h"

namespace leeway {

void fields(Input& input, Fields& f) {
  f("path", input.path, "path of a file, or name of a data set such as fashion-mnist:test");
  f("bytes", input.bytes, "size in bytes; 0 for a named data set");
  f("shape", input.shape, "shape of the array");
  f.unless_empty("xxh3_128", input.xxh3_128,
                 "digest of the file; null with --no-digest and for a named data set");
  f.unless_empty("reading", input.reading,
                 "interpretation of outputs: what each array was read as, what was ignored and why; null if "
                 "all names are standard");
}

void fields(Envelope& envelope, Fields& f) {
  f.choice("schema", envelope.schema, {{envelope.schema, ""}}, "kind and version of this record");
  f("command", envelope.command, "command-line arguments");
  f("inputs", envelope.inputs, "files that were read");
  f("seed", envelope.seed, "seed of all random numbers");
  f("version", envelope.version, "version of leeway");
  f.choice("instruction_set", envelope.instruction_set, {{"baseline", ""}, {"avx2", ""}, {"avx512", ""}},
           "instruction set of leeway's kernels");
  f("seconds", envelope.seconds, at_least(0),
    "duration from opening the first input to the result, excluding digests");
  f("headline", envelope.headline, "summary of the result in one or two sentences");
  f("findings", envelope.findings, "further findings, one sentence each");
  f("warnings", envelope.warnings, "warnings about the inputs or the result, one line each");
}

}  // namespace leeway
