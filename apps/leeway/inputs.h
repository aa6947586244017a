// Inputs that several commands open, opened once.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/record/reading.h"
#include "leeway/tasks/named_outputs.h"

namespace leeway::app {

// How outputs are read. `check_finite`: as in OutputsOptions; false where the task reads every logit and names the row
// that is not finite.
[[nodiscard]] OutputsOptions reading_of(const record::OutputsReading& reading, bool check_finite = false);

// The set that `text` names, to be opened by a task: its files are noted as inputs the first time.
[[nodiscard]] tasks::NamedOutputs named_outputs(Context& context, const std::string& text,
                                                const record::OutputsReading& reading,
                                                bool check_finite = false);

// Labels of the n rows of k classes from that file, noted as an input the first time; nothing where the path is empty.
using Labels = std::function<std::vector<std::int64_t>(std::size_t n, std::size_t k)>;
[[nodiscard]] Labels named_labels(Context& context, const std::string& path);

// Images, noted as an input.
[[nodiscard]] Images open_images(Context& context, const std::string& data);

// [[MODEL/]SHIFT=]FILE; the name is empty for the source's. UsageError for a name without a file.
struct NamedImages {
  std::string name;
  Images images;
};
[[nodiscard]] std::vector<NamedImages> open_named_images(Context& context,
                                                         const std::vector<std::string>& texts);

// The single array of a file, a bare .npy or the only one of an archive, as floats; noted as an input. Error where
// there are more.
[[nodiscard]] Array only_array(Context& context, const std::string& path);

}  // namespace leeway::app
