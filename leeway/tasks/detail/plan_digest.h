// What decides the numbers of work that is saved as it goes: a saved state of another digest is not used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/result.h"
#include "leeway/record/json.h"

namespace leeway::tasks {

// `made_of`: what decides model and inputs, digests of files.
template <class Options>
[[nodiscard]] std::string plan_digest(Options options, std::uint64_t seed, std::vector<std::string> made_of) {
  return record::digest_of([&](record::Fields& f) {
    std::string program = version, set(name_of(instruction_set));
    f("options", options, "");
    f("seed", seed, "");
    f("version", program, "");
    f("instruction_set", set, "");
    f("made_of", made_of, "");
  });
}

}  // namespace leeway::tasks
