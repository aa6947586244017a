// Saves the work of a task in a file, from which a task of the same plan resumes. The plan is the options, the seed, the
// version, the instruction set and the inputs. A state of another plan is ignored.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "leeway/core/instruction_set.h"
#include "leeway/core/result.h"
#include "leeway/describe/json.h"
#include "leeway/io/safetensors.h"

namespace leeway::tasks {

class SavedWork {
 public:
  // `path` empty: nothing is saved. `made_of`: what decides model and inputs, digests of files.
  template <class Options>
  SavedWork(std::filesystem::path path, Options options, std::uint64_t seed, std::vector<std::string> made_of)
      : path_(std::move(path)), plan_(digest_of([&](Fields& f) {
          std::string program = version, set(name_of(instruction_set));
          f("options", options, "");
          f("seed", seed, "");
          f("version", program, "");
          f("instruction_set", set, "");
          f("made_of", made_of, "");
        })) {}

  [[nodiscard]] bool saves() const { return !path_.empty(); }

  void save(Safetensors state) const {
    state.metadata["plan"] = plan_;
    write_state(path_, std::move(state));
  }

  // What `parse` makes of the state of this plan. Nothing without such a file; `warn` gets a line about a damaged one.
  template <class Parse>
  [[nodiscard]] auto load(const std::function<void(std::string)>& warn, const Parse& parse) const
      -> std::optional<decltype(parse(Safetensors()))> {
    if (!saves() || !std::filesystem::exists(path_)) return std::nullopt;
    try {
      if (const auto state = read_state(path_)) {
        if (state->metadata.at("plan") != plan_) return std::nullopt;
        return parse(*state);
      }
    } catch (const std::logic_error&) {  // Error, std::out_of_range
    } catch (const Json::exception&) {
    }
    warn(damaged_state(path_));
    return std::nullopt;
  }

 private:
  std::filesystem::path path_;
  std::string plan_;
};

}  // namespace leeway::tasks
