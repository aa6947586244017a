// The units of an assessment under corruptions that are done, in a file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "leeway/core/array.h"
#include "leeway/tasks/corruptions/corruptions.h"

namespace leeway::tasks {

// A finished unit.
struct DoneUnit {
  CorruptedSet set = {};
  std::vector<std::uint8_t> wrong = {};  // (n) 1 where an image is misclassified; empty without labels
};

struct DoneUnits {
  std::optional<Array> clean = {};  // the model's logits of the images as they are
  bool paired = true;               // row i of the corrupted images is that of the others
  std::vector<DoneUnit> units = {};
};

class CorruptionsState {
 public:
  explicit CorruptionsState(const CorruptionsTask& task);

  // Nothing is done where the task has no state.
  void save(const DoneUnits& done) const;
  // Nothing where there is no state of this plan; `warn` gets a line about a damaged one.
  [[nodiscard]] std::optional<DoneUnits> load(const std::function<void(std::string)>& warn) const;

 private:
  std::string path_, plan_;
};

}  // namespace leeway::tasks
