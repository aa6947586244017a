// What decides the numbers of work that is saved as it goes: a saved state of another digest is not used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/result.h"
#include "leeway/core/safetensors.h"
#include "leeway/describe/json.h"

namespace leeway::tasks {

// `made_of`: what decides model and inputs, digests of files.
template <class Options>
[[nodiscard]] std::string plan_digest(Options options, std::uint64_t seed, std::vector<std::string> made_of) {
  return digest_of([&](Fields& f) {
    std::string program = version, set(name_of(instruction_set));
    f("options", options, "");
    f("seed", seed, "");
    f("version", program, "");
    f("instruction_set", set, "");
    f("made_of", made_of, "");
  });
}

// What `parse` makes of the state file of this plan, whose metadata hold it as "plan". Nothing without such a file;
// `warn` gets a line about a damaged one.
template <class Parse>
[[nodiscard]] auto state_of_plan(const std::filesystem::path& path, const std::string& plan,
                                 const std::function<void(std::string)>& warn, const Parse& parse)
    -> std::optional<decltype(parse(Safetensors()))> {
  if (path.empty() || !std::filesystem::exists(path)) return std::nullopt;
  try {
    if (const auto state = read_state(path)) {
      if (state->metadata.at("plan") != plan) return std::nullopt;
      return parse(*state);
    }
  } catch (const std::logic_error&) {  // Error, std::out_of_range
  } catch (const Json::exception&) {
  }
  warn(damaged_state(path));
  return std::nullopt;
}

}  // namespace leeway::tasks
