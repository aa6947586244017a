// Memory that the system may refuse, and the one line that then says what asked for it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace leeway {

// Throws std::runtime_error: "NAME: the system refuses BYTES bytes of memory".
[[noreturn]] void refuse_memory(std::string_view name, std::size_t bytes);

// Uninitialised storage aligned to 64 bytes; refuse_memory where there is none. allocate_bytes(count) of array.h is the
// same under the name "an array".
[[nodiscard]] std::shared_ptr<std::byte> allocate_bytes(std::size_t count, std::string_view name);

}  // namespace leeway
