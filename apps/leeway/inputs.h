// Inputs that several commands open, opened once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/leeway/command.h"
#include "leeway/core/images.h"
#include "leeway/record/reading.h"

namespace leeway::app {

// Images, noted as an input.
[[nodiscard]] Images open_images(Context& context, const std::string& data);

// The rows that --index and --split name in a set of n (row_fields of record/reading.h); notes the split file
// as an input. Nothing without these options. UsageError: one without the other.
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
