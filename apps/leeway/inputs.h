// Inputs that several commands open, opened once.
#pragma once

#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/array.h"
#include "leeway/core/images.h"
#include "leeway/core/outputs.h"
#include "leeway/record/reading.h"
#include "leeway/tasks/input_log.h"
#include "leeway/tasks/outputs_reading.h"

namespace leeway::app {

// Images, noted as an input.
[[nodiscard]] Images open_images(Context& context, const std::string& data);

// The rows of a set of n that --index and --split name (row_fields of record/reading.h), which is noted; nothing where neither is
// given. UsageError: one without the other.
[[nodiscard]] std::optional<std::vector<std::size_t>> open_rows(Context& context,
                                                                const record::OutputsReading& flags,
                                                                std::size_t n);
// The same of images: all of them where neither is given.
[[nodiscard]] Images open_images(Context& context, const std::string& data,
                                 const record::OutputsReading& rows);

// [[MODEL/]SHIFT=]FILE; the name is empty for the source's. UsageError for a name without a file.
struct NamedImages {
  std::string name;
  Images images;
};
[[nodiscard]] std::vector<NamedImages> open_named_images(Context& context,
                                                         const std::vector<std::string>& texts);

}  // namespace leeway::app
