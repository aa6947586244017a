// What the members of the shift family share. Not part of the library's interface.
#pragma once

#include <functional>

#include "leeway/shift/shift.h"

namespace leeway::shift {

// change(row) for n rows, in parallel. Interrupted where `progress` asks for a stop, before every 512th row.
void for_each_picture(std::size_t n, std::string_view task, Progress* progress,
                      const std::function<void(std::size_t row)>& change);

// change(row, picture) alters one (c,h,w) picture in [0,1] in place. Called from several threads.
using Change = std::function<void(std::size_t row, std::span<float> picture)>;
[[nodiscard]] Shifted change_pictures(const Images& images, std::string_view task, Progress* progress,
                                      const Change& change);

// The same for one (h,w) channel at a time.
[[nodiscard]] Shifted change_channels(const Images& images, std::string_view task, Progress* progress,
                                      const std::function<void(std::span<float> channel)>& change);

// The rows named, in that order.
[[nodiscard]] Shifted keep_rows(const Images& images, std::vector<std::size_t> rows);

// The set's labels; Error where it has none.
[[nodiscard]] const std::vector<std::int64_t>& labels_of(const Images& images, std::string_view member);

// Error where `classes` names a class twice or one that no label has.
void check_classes(const Images& images, const std::vector<std::int64_t>& classes, std::string_view member);

}  // namespace leeway::shift
