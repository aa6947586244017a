// A study: stages, each a command with its options. Options with several values are axes.
//
//   [study]
//   seed = 0                                   # of values drawn at random
//   threads = 1                                # of a unit
//   exclude = ["noisy.name=rotation, noisy.strength>0.3"]
//
//   [render]
//   command = "data render"                    # default: the stage's name
//   name = "dsprites"
//   out = "images.npz"                         # a file that the unit writes
//
//   [noisy]
//   command = "shift"
//   name = ["gaussian-noise", "rotation"]      # an axis, noisy.name
//   strength = "grid 3 from 0.1 to 0.5"        # an axis, noisy.strength (axis.h)
//   data = "{render}"                          # the file of --out of the unit of render
//   out = "noisy.npz"
//
// {STAGE.OPTION} is the value of another stage's option: the file, where the option writes one. {{ is a
// brace. A repeatable option NAME=VALUE is a table: [train.set] eta = [0.1, 1], axis train.set.eta;
// [assess.target] noisy = "{noisy}". File names are relative to the working directory, unless the option has
// choices or takes numbers. Among several values "" leaves the option out.
//
// Errors (Error: file, line and column, expected, found, and the nearest name): invalid TOML (io/toml.h),
// an unknown command or option, an option that the sweep sets itself, a value that the option does not take,
// references to nothing or in a circle, rules (axis.h) about what is not an axis, a study without stages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "leeway/sweep/axis.h"
#include "leeway/sweep/catalog.h"

namespace leeway::sweep {

// Part of a value: text, or what {STAGE.OPTION} stands for.
struct Piece {
  std::string text;
  std::size_t stage = 0, setting = 0;
  enum class Kind { text, value, file } kind = Kind::text;
};
using Template = std::vector<Piece>;

struct Setting {
  std::string name, part;  // part: of NAME=VALUE; else empty
  CatalogOption option;
  std::vector<std::string> texts;  // as they were given
  std::vector<Template> values;    // several: an axis
  std::string place;
};

struct Stage {
  std::string name, command, place;
  std::vector<Setting> settings;  // in the order of the command's description
  std::set<std::size_t> reads;    // stages whose files it reads
};

struct StudyRule {
  bool keeps = false;  // `only`, else `exclude`
  Rule rule;
  std::string place;
};

struct StudyAxis {
  std::string name;  // "train.lr", "train.set.eta"
  std::size_t stage = 0, setting = 0;
};

struct Study {
  std::uint64_t seed = 0;
  std::size_t threads = 1;
  std::uint64_t memory = 0;   // bytes a unit; 0: not said
  std::vector<Stage> stages;  // in the order of the file
  std::vector<StudyAxis> axes;
  std::vector<StudyRule> rules;

  [[nodiscard]] const Setting& setting(const StudyAxis& axis) const {
    return stages[axis.stage].settings[axis.setting];
  }
};

// What the options of a stage name (catalog.h).
[[nodiscard]] std::vector<CatalogFamily> families_of(const Stage& stage, const Catalog& catalog);

// "train.lr", "train.set.eta".
[[nodiscard]] std::string axis_name(const Stage& stage, const Setting& setting);

// What {STAGE} is called where the stage's command has no --out of its own: its record.
inline constexpr std::string_view record_file = "record.json";

inline constexpr std::size_t most_threads = 4096;  // of a unit

// "800M", "2G" or a number, in bytes.
[[nodiscard]] std::optional<std::uint64_t> bytes_of(std::string_view size);

// Whether a stage may have that name: letters a-z, digits, "-" and "_".
[[nodiscard]] bool is_stage_name(std::string_view text);

// Refuses the words of a planned unit if no stage of that command gives such words: another command or option, or a file
// to write with a folder in its name. `place`: for messages.
void check_words(const std::vector<std::string>& words, const std::string& command, const Catalog& catalog,
                 const std::string& place);

[[nodiscard]] Study parse_study(std::string_view text, const std::string& name, const Catalog& catalog);

}  // namespace leeway::sweep
